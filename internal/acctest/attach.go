package acctest

import (
	"bufio"
	"bytes"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// startsProvider has the commands of a CLI that start providers.
var startsProvider = map[string]bool{
	"apply": true, "destroy": true, "import": true, "plan": true, "refresh": true, "show": true, "test": true, "validate": true,
}

// attachment is what the provider prints for CLIs that are to use it.
var attachment = regexp.MustCompile(`TF_REATTACH_PROVIDERS='?\{(.*)\}`)

// attach starts one provider for a run of the CLI and returns the function that ends it. A CLI
// itself starts a provider for each of its phases, and the keys of the connections to them take
// most of its time.
func (c *CLI) attach(run *exec.Cmd) (end func()) {
	c.tb.Helper()
	program, err := buildProvider()
	if err != nil {
		c.tb.Fatal(err)
	}
	provider := exec.CommandContext(c.tb.Context(), program, "-debug")
	provider.Dir = run.Dir
	provider.Env = slices.Concat(run.Env, []string{"TF_LOG_PROVIDER_VODLIVE=OFF", "TF_LOG_SDK=OFF"})
	trace := &bytes.Buffer{}
	provider.Stderr = trace
	printed, err := provider.StdoutPipe()
	if err == nil {
		err = provider.Start()
	}
	if err != nil {
		c.tb.Fatal(err)
	}
	end = func() {
		_ = provider.Process.Kill()
		_ = provider.Wait()
		if text := trace.String(); strings.Contains(text, "goroutine ") {
			c.tb.Errorf("the provider has crashed:\n%s", text)
		}
	}
	for lines := bufio.NewScanner(printed); lines.Scan(); {
		if found := attachment.FindStringSubmatch(lines.Text()); found != nil {
			tofu := strings.Replace(found[1], "registry.terraform.io", "registry.opentofu.org", 1)
			run.Env = append(run.Env, "TF_REATTACH_PROVIDERS={"+found[1]+","+tofu+"}")
			return end
		}
	}
	end()
	c.tb.Fatalf("%s -debug does not say how to attach a CLI", program)
	return nil
}
