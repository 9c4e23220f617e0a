package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// releaseFlags build a binary as the release does (.goreleaser.yml), but for the names of version and commit.
var releaseFlags = []string{"build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -X main.version=0.0.0"}

// build builds a program of the repository as the release does.
func build(ctx context.Context, folder, pkg, output string) error {
	cmd := exec.CommandContext(ctx, "go", append(releaseFlags, "-o", output, pkg)...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", filepath.Base(output), err, out)
	}
	return nil
}

// service is a simulated service on loopback, on two ports: one address for the CLI under test, the same service.
type service struct {
	*simulator.Service
	address string
	server  *http.Server
}

func serve(o simulator.Options) (*service, error) {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &service{Service: simulator.New(o), address: "http://" + listener.Addr().String()}
	s.server = &http.Server{Handler: s.Service, ReadHeaderTimeout: time.Minute}
	go func() { _ = s.server.Serve(listener) }() // ends with close
	return s, nil
}

func (s *service) close() {
	_ = s.Close()
	_ = s.server.Close()
}

// environment points a provider at the service.
func (s *service) environment(resumeDir string) map[string]string {
	return map[string]string{
		"VODLIVE_BASE_URL":        s.address,
		"VODLIVE_VOD_BASE_URL":    s.address,
		"VODLIVE_ACCESS_TOKEN_ID": simulator.DefaultAccessTokenID,
		"VODLIVE_SECRET_KEY":      simulator.DefaultSecretKey,
		"VODLIVE_ID_TOKEN":        simulator.DefaultIDToken,
		"VODLIVE_RESUME_DIR":      resumeDir,
	}
}

// calls is how many requests of each kind the service has received since the journal was reset.
func (s *service) calls() calls { return s.Counts() }

// span is the time from the first request to the last one's end: the last one takes at least the latency.
func (s *service) span(latency time.Duration) time.Duration {
	journal := s.Journal()
	if len(journal) == 0 {
		return 0
	}
	return journal[len(journal)-1].At.Sub(journal[0].At) + latency
}

type calls map[string]int

func (c calls) total() (n int) {
	for _, v := range c {
		n += v
	}
	return n
}

// cli is a terraform or tofu with the providers under test.
type cli struct {
	path, host, version string
	config              string // its configuration file
	provider            string // our binary
}

func newCLI(ctx context.Context, path, work, provider, minimal string) (*cli, error) {
	c := &cli{path: path, host: "registry.terraform.io", config: filepath.Join(work, "cli.tfrc"), provider: provider}
	out, err := exec.CommandContext(ctx, path, "version").Output()
	if err != nil {
		return nil, fmt.Errorf("the CLI does not run: %w", err)
	}
	c.version, _, _ = strings.Cut(string(out), "\n")
	if strings.Contains(c.version, "OpenTofu") {
		c.host = "registry.opentofu.org"
	}
	text := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    %q = %q\n    %q = %q\n  }\n  direct {}\n}\n",
		c.host+"/vodlive/vodlive", filepath.ToSlash(filepath.Dir(provider)), c.host+"/vodlive/minimal", filepath.ToSlash(filepath.Dir(minimal)))
	return c, os.WriteFile(c.config, []byte(text), 0o600)
}

// folder is a working folder of the CLI.
type folder struct {
	cli     *cli
	dir     string
	env     map[string]string
	program string // the provider that is observed
}

func (c *cli) folder(dir string, env map[string]string, config string) (*folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	const head = "terraform {\n  required_providers {\n    vodlive = { source = \"vodlive/vodlive\" }\n  }\n}\n"
	f := &folder{cli: c, dir: dir, env: env, program: c.provider}
	err := f.write("main.tf", head+config)
	return f, err
}

func (f *folder) write(name, content string) error {
	return os.WriteFile(filepath.Join(f.dir, name), []byte(content), 0o600)
}

// run runs the CLI, which must end with the exit code 0.
func (f *folder) run(ctx context.Context, args ...string) (usage, error) {
	cmd := exec.CommandContext(ctx, f.cli.path, args...)
	cmd.Dir = f.dir
	// Asked to, the CLI stops its providers; killed, it would leave them behind.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	env := maps.Clone(f.env)
	if env == nil {
		env = map[string]string{}
	}
	maps.Copy(env, map[string]string{"TF_CLI_CONFIG_FILE": f.cli.config, "CHECKPOINT_DISABLE": "1", "TF_IN_AUTOMATION": "1", "TF_INPUT": "0"})
	for _, item := range os.Environ() {
		if !strings.HasPrefix(item, "TF_") && !strings.HasPrefix(item, "VODLIVE_") {
			cmd.Env = append(cmd.Env, item)
		}
	}
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	u, err := run(cmd, f.program)
	if err != nil {
		return u, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, tail(out.String(), 3000))
	}
	return u, nil
}

func tail(s string, n int) string { return s[max(0, len(s)-n):] }

// instance is one instance of a resource as a state file has it.
type instance struct {
	Index         any             `json:"index_key"`
	SchemaVersion int             `json:"schema_version"`
	Attributes    json.RawMessage `json:"attributes"`
}

// state writes a state file with instances of one resource, as an apply would have left it.
func (f *folder) state(typ, name string, instances []instance) error {
	if len(instances) == 0 {
		return errors.New("a state without instances")
	}
	document := map[string]any{
		"version": 4, "terraform_version": "1.5.0", "serial": 1, "lineage": "5ca1e000-0000-4000-8000-000000000001", "outputs": map[string]any{},
		"resources": []any{map[string]any{
			"mode": "managed", "type": typ, "name": name, "provider": "provider[" + strconv.Quote(f.cli.host+"/vodlive/vodlive") + "]",
			"instances": instances,
		}},
	}
	content, err := json.Marshal(document)
	if err != nil {
		return err
	}
	return f.write("terraform.tfstate", string(content))
}
