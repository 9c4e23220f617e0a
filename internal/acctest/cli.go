package acctest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"golang.org/x/mod/semver"
)

// CLI is a working folder with a configuration, a state and a real terraform or tofu that runs the
// provider built from this tree. Terraform's own environment variables of whoever runs the tests do
// not reach it.
type CLI struct {
	// Dir is the folder of the configuration.
	Dir string

	tb     testing.TB
	server *Server
	path   string
	env    map[string]string
}

// Result is a finished run of the CLI.
type Result struct {
	// Output is standard output and standard error as they came, without colours.
	Output string
	// Code is the exit code; -1 when the process was killed.
	Code int
}

// NewCLI makes a working folder for a test. The provider takes the addresses and credentials of
// server from the environment. The test is skipped where there is no CLI.
func NewCLI(tb testing.TB, server *Server) *CLI {
	tb.Helper()
	path := FindCLI()
	if path == "" {
		tb.Skip("neither terraform nor tofu is on PATH, and TF_ACC_TERRAFORM_PATH names none: run the tests with `make test`, which builds one")
	}
	plugin, err := buildProvider()
	if err != nil {
		tb.Fatal(err)
	}
	dir := tb.TempDir()
	cliConfig := filepath.Join(tb.TempDir(), "cli.tfrc")
	var overrides strings.Builder
	for _, registry := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		fmt.Fprintf(&overrides, "%q = %q\n", registry+"/vodlive/vodlive", filepath.ToSlash(filepath.Dir(plugin)))
	}
	WriteFile(tb, cliConfig, fmt.Sprintf("provider_installation {\ndev_overrides {\n%s}\ndirect {}\n}\n", &overrides))
	env := server.Environment(tb)
	env["TF_CLI_CONFIG_FILE"] = cliConfig
	env["CHECKPOINT_DISABLE"] = "1"
	env["TF_IN_AUTOMATION"] = "1"
	env["TF_INPUT"] = "0"
	return &CLI{Dir: dir, tb: tb, server: server, path: path, env: env}
}

// FindCLI returns the path of the CLI that tests use, "" when there is none: TF_ACC_TERRAFORM_PATH,
// else terraform, else tofu.
func FindCLI() string {
	if path := os.Getenv("TF_ACC_TERRAFORM_PATH"); path != "" {
		return path
	}
	for _, name := range []string{"terraform", "tofu"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// buildProvider returns the provider's binary: the one that `make test` has built, else one that it
// builds once per test process. That one stays until the machine clears its temporary files: a test
// process has no end that all its tests share.
var buildProvider = sync.OnceValues(func() (string, error) {
	if built := os.Getenv("VODLIVE_TEST_PROVIDER"); built != "" {
		return built, nil
	}
	dir, err := os.MkdirTemp("", "vodlive-provider-")
	if err != nil {
		return "", err
	}
	const name = "terraform-provider-vodlive"
	build := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "github.com/vodlive/"+name)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the provider: %w\n%s", err, out)
	}
	return filepath.Join(dir, name), nil
})

// Setenv sets a variable for the runs that follow.
func (c *CLI) Setenv(name, value string) { c.env[name] = value }

// Env is a variable as the runs get it.
func (c *CLI) Env(name string) string { return c.env[name] }

// World is the machine of the CLI. It has no listeners in memory, and no log.
func (c *CLI) World() *World {
	return &World{Server: c.server, Env: c.env, Quiet: true, tb: c.tb}
}

// Config replaces the configuration, main.tf. The requirement of the provider is added.
func (c *CLI) Config(text string) {
	c.tb.Helper()
	c.Write("main.tf", "terraform {\n  required_providers {\n    vodlive = { source = \"vodlive/vodlive\" }\n  }\n}\n"+text)
}

// Write writes a file of the working folder and returns its path.
func (c *CLI) Write(name, content string) string {
	c.tb.Helper()
	path := filepath.Join(c.Dir, name)
	WriteFile(c.tb, path, content)
	return path
}

// WriteFile writes a file and the folders above it.
func WriteFile(tb testing.TB, path, content string) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		tb.Fatal(err)
	}
}

// Run runs the CLI to its end, for example c.Run("apply", "-auto-approve"), with a provider that is
// started for the run. With a log, the CLI starts the provider itself: otherwise the log would lack
// what the provider writes.
func (c *CLI) Run(args ...string) Result {
	c.tb.Helper()
	cmd := c.command(args)
	if startsProvider[args[0]] && c.env["TF_LOG"]+c.env["TF_LOG_PROVIDER"] == "" {
		defer c.attach(cmd)()
	}
	return c.start(cmd).Wait()
}

// Must is Run that fails the test unless the exit code is 0.
func (c *CLI) Must(args ...string) Result {
	c.tb.Helper()
	r := c.Run(args...)
	if r.Code != 0 {
		c.tb.Fatalf("%s: exit code %d\n%s", strings.Join(args, " "), r.Code, r.Output)
	}
	return r
}

// Process is a run of the CLI under way.
type Process struct {
	tb     testing.TB
	cmd    *exec.Cmd
	output *bytes.Buffer
	done   chan struct{}
	err    error
}

// Start starts the CLI, which starts the provider itself. It is killed when the test ends before it
// does. Nothing else limits its time: a machine may be slow.
func (c *CLI) Start(args ...string) *Process {
	c.tb.Helper()
	return c.start(c.command(args))
}

func (c *CLI) command(args []string) *exec.Cmd {
	cmd := exec.CommandContext(c.tb.Context(), c.path, args...)
	cmd.Dir = c.Dir
	cmd.Env = c.environ()
	cmd.WaitDelay = 10 * time.Second
	setProcessGroup(cmd)
	return cmd
}

func (c *CLI) start(cmd *exec.Cmd) *Process {
	c.tb.Helper()
	p := &Process{tb: c.tb, cmd: cmd, output: &bytes.Buffer{}, done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.output, p.output
	if err := cmd.Start(); err != nil {
		c.tb.Fatal(err)
	}
	go func() {
		p.err = cmd.Wait()
		close(p.done)
	}()
	c.tb.Cleanup(func() { <-p.done })
	return p
}

// environ is the machine's environment less every variable that steers Terraform or the provider,
// plus the test's own.
func (c *CLI) environ() []string {
	var env []string
	for _, item := range os.Environ() {
		if !strings.HasPrefix(item, "TF_") && !strings.HasPrefix(item, "VODLIVE_") {
			env = append(env, item)
		}
	}
	for name, value := range c.env {
		env = append(env, name+"="+value)
	}
	return env
}

// Signal sends a signal to the CLI's process alone.
func (p *Process) Signal(s os.Signal) {
	p.tb.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.tb.Fatalf("signal %v: %v", s, err)
	}
}

// Pid is the process id of the CLI.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Until waits for an event. It fails the test if the run ends before it.
func (p *Process) Until(event <-chan struct{}) {
	p.tb.Helper()
	select {
	case <-event:
	case <-p.done:
		p.tb.Fatalf("the run has ended too early:\n%s", p.Wait().Output)
	}
}

var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Wait waits for the end of the run.
func (p *Process) Wait() Result {
	p.tb.Helper()
	<-p.done
	r := Result{Output: colours.ReplaceAllString(p.output.String(), "")}
	var exit *exec.ExitError
	switch {
	case p.err == nil:
	case errors.As(p.err, &exit):
		r.Code = exit.ExitCode()
	case errors.Is(p.err, exec.ErrWaitDelay): // a provider that outlived a killed CLI held its output open
		r.Code = p.cmd.ProcessState.ExitCode()
	default:
		p.tb.Fatalf("running the CLI: %v\n%s", p.err, r.Output)
	}
	return r
}

// Flat is the output with Terraform's line wrapping and box drawing undone, so that a text can be
// looked for in it.
func (r Result) Flat() string {
	return strings.Join(strings.FieldsFunc(r.Output, func(c rune) bool {
		return c == ' ' || c == '\n' || c == '\t' || c == '│' || c == '╷' || c == '╵'
	}), " ")
}

// box is a diagnostic as a CLI shows it.
var box = regexp.MustCompile(`(?s)╷\n│ (Error|Warning): ([^\n]*)\n(.*?)╵`)

// Diagnostics are those of the output, but that of the override which has the CLI run a built
// provider.
func (r Result) Diagnostics() (diags Diagnostics) {
	for _, found := range box.FindAllStringSubmatch(r.Output, -1) {
		severity := tfprotov6.DiagnosticSeverityWarning
		switch {
		case found[1] == "Error":
			severity = tfprotov6.DiagnosticSeverityError
		case found[2] == "Provider development overrides are in effect":
			continue
		}
		diags = append(diags, &tfprotov6.Diagnostic{Severity: severity, Summary: found[2], Detail: strings.ReplaceAll(found[3], "│", "")})
	}
	return diags
}

// Resource is one instance of a resource in the state.
type Resource struct {
	Values  map[string]any
	Tainted bool
}

// State returns the managed resources of the root module, by address; a deposed one under "ADDRESS
// (deposed)". It reads the state's file: `show -json` takes half as long as an apply.
func (c *CLI) State() map[string]Resource {
	c.tb.Helper()
	content, _ := os.ReadFile(filepath.Join(c.Dir, "terraform.tfstate"))
	if len(content) == 0 {
		return nil // nothing has been applied, or not saved by a CLI that was killed
	}
	var doc struct {
		Resources []struct {
			Module    string `json:"module"`
			Mode      string `json:"mode"`
			Type      string `json:"type"`
			Name      string `json:"name"`
			Instances []struct {
				Key        json.RawMessage `json:"index_key"`
				Status     string          `json:"status"`
				Deposed    string          `json:"deposed"`
				Attributes map[string]any  `json:"attributes"`
			} `json:"instances"`
		} `json:"resources"`
	}
	if err := json.Unmarshal(content, &doc); err != nil {
		c.tb.Fatal(err)
	}
	state := map[string]Resource{}
	for _, r := range doc.Resources {
		if r.Mode != "managed" || r.Module != "" {
			continue
		}
		for _, o := range r.Instances {
			address := r.Type + "." + r.Name
			if o.Key != nil {
				address += fmt.Sprintf("[%s]", o.Key)
			}
			if o.Deposed != "" {
				address += " (deposed)"
			}
			for name, value := range o.Attributes { // a value of any type stands beside its type
				if typed, ok := value.(map[string]any); ok && r.Type == "terraform_data" {
					o.Attributes[name] = typed["value"]
				}
			}
			state[address] = Resource{Values: o.Attributes, Tainted: o.Status == "tainted"}
		}
	}
	return state
}

// AssertNoChanges fails the test unless a plan is empty.
func (c *CLI) AssertNoChanges() {
	c.tb.Helper()
	if r := c.Run("plan", "-detailed-exitcode"); r.Code != 0 {
		c.tb.Errorf("the plan is not empty: exit code %d\n%s", r.Code, r.Output)
	}
}

// IsTofu says whether the CLI is OpenTofu.
func (c *CLI) IsTofu() bool {
	name, _ := c.release()
	return name == "OpenTofu"
}

// SkipBelow skips the test where the CLI is older than the release, such as 1.12.0. "" means that no
// release of that CLI has the feature.
func (c *CLI) SkipBelow(feature, terraform, tofu string) {
	c.tb.Helper()
	name, have := c.release()
	need := terraform
	if name == "OpenTofu" {
		need = tofu
	}
	if need == "" {
		c.tb.Skipf("%s has no %s", name, feature)
	}
	if semver.Compare(have, "v"+need) < 0 {
		c.tb.Skipf("%s needs %s %s, this is %s", feature, name, need, have)
	}
}

var released = regexp.MustCompile(`(Terraform|OpenTofu) (v\d+\.\d+\.\d+)`)

// release returns the name of the CLI and its version.
func (c *CLI) release() (name, version string) {
	c.tb.Helper()
	text, err := cliVersion()
	found := released.FindStringSubmatch(text)
	if err != nil || found == nil {
		c.tb.Fatalf("the version of the CLI is %q: %v", text, err)
	}
	return found[1], found[2]
}

// cliVersion is what the CLI says of itself. All CLIs of a test process are the same program.
var cliVersion = sync.OnceValues(func() (string, error) {
	cmd := exec.Command(FindCLI(), "version")
	cmd.Env = append(os.Environ(), "CHECKPOINT_DISABLE=1", "TF_CLI_CONFIG_FILE="+os.DevNull)
	out, err := cmd.Output()
	return string(out), err
})
