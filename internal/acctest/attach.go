package acctest

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/stage"
)

// startsProvider are the commands of a CLI that start providers.
var startsProvider = map[string]bool{
	"apply": true, "destroy": true, "import": true, "plan": true, "refresh": true, "show": true, "test": true, "validate": true,
}

// attaches tells whether a run is attached to a provider that is started for it. With a log, the
// CLI starts the provider itself: else the log would lack what the provider writes.
func (c *CLI) attaches(args []string) bool {
	return stage.Attaches() && len(args) > 0 && startsProvider[args[0]] && c.env["TF_LOG"]+c.env["TF_LOG_PROVIDER"] == ""
}

// attachment is what the provider prints for CLIs that are to use it.
var attachment = regexp.MustCompile(`TF_REATTACH_PROVIDERS='?(\{.*\})`)

// attach starts the provider in the folder and with the environment of a run, and makes the run use
// it. It returns what ends it.
func (c *CLI) attach(run *exec.Cmd) (end func()) {
	c.tb.Helper()
	program, err := buildProvider()
	if err != nil {
		c.tb.Fatal(err)
	}
	provider := exec.CommandContext(c.tb.Context(), program, "-debug")
	provider.Dir = run.Dir
	provider.Env = slices.Concat(run.Env, []string{"TF_LOG_PROVIDER_VODLIVE=OFF", "TF_LOG_SDK=OFF"})
	printed, err := provider.StdoutPipe()
	if err == nil {
		err = provider.Start()
	}
	if err != nil {
		c.tb.Fatal(err)
	}
	lines := bufio.NewScanner(printed)
	for lines.Scan() {
		if found := attachment.FindStringSubmatch(lines.Text()); found != nil {
			terraform := found[1]
			tofu := strings.Replace(terraform, "registry.terraform.io", "registry.opentofu.org", 1)
			run.Env = append(run.Env, "TF_REATTACH_PROVIDERS="+strings.TrimSuffix(terraform, "}")+","+strings.TrimPrefix(tofu, "{"))
			return func() {
				if provider.Process.Signal(os.Interrupt) != nil { // as on Windows
					_ = provider.Process.Kill()
				}
				_ = provider.Wait()
			}
		}
	}
	_ = provider.Wait()
	c.tb.Fatalf("%s -debug does not say how to attach a CLI: %v", filepath.Base(program), lines.Err())
	return nil
}
