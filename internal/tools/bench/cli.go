package main

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// service is a simulated service on loopback.
type service struct {
	*simulator.Service
	server *httptest.Server
}

func serve(o simulator.Options) *service {
	s := simulator.New(o)
	return &service{Service: s, server: httptest.NewServer(s)}
}

func (s *service) close() {
	_ = s.Close()
	s.server.CloseClientConnections()
	s.server.Close()
}

func (s *service) host() string { return s.server.Listener.Addr().String() }

// calls is how many requests the service has received since its journal was reset.
func (s *service) calls() int { return len(s.Journal()) }

// workdir is a working folder of the CLI whose provider talks to a service.
type workdir struct {
	bench *bench
	dir   string
	env   []string
}

// workdir makes a working folder with a configuration.
func (b *bench) workdir(s *service, config string) (*workdir, error) {
	dir, err := os.MkdirTemp(b.work, "workdir-")
	if err != nil {
		return nil, err
	}
	f := &workdir{bench: b, dir: dir, env: []string{
		"TF_CLI_CONFIG_FILE=" + filepath.Join(dir, "cli.tfrc"), "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1",
		"VODLIVE_BASE_URL=" + s.server.URL, "VODLIVE_VOD_BASE_URL=" + s.server.URL,
		"VODLIVE_ACCESS_TOKEN_ID=" + simulator.DefaultAccessTokenID, "VODLIVE_SECRET_KEY=" + simulator.DefaultSecretKey,
		"VODLIVE_ID_TOKEN=" + simulator.DefaultIDToken, "VODLIVE_RESUME_DIR=" + filepath.Join(dir, "resume"),
	}}
	var overrides strings.Builder
	for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		fmt.Fprintf(&overrides, "    %q = %q\n", host+"/vodlive/vodlive", filepath.Dir(b.tools.provider))
	}
	files := map[string]string{
		"cli.tfrc": "provider_installation {\n  dev_overrides {\n" + overrides.String() + "  }\n  direct {}\n}\n",
		"main.tf":  "terraform {\n  required_providers {\n    vodlive = { source = \"vodlive/vodlive\" }\n  }\n}\n" + config,
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (f *workdir) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, f.bench.tools.cli, args...)
	// Interrupted, the CLI stops its providers; killed, it would leave them behind.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Dir = f.dir
	for _, item := range os.Environ() {
		if !strings.HasPrefix(item, "TF_") && !strings.HasPrefix(item, "VODLIVE_") {
			cmd.Env = append(cmd.Env, item)
		}
	}
	cmd.Env = append(cmd.Env, f.env...)
	return cmd
}

func (f *workdir) run(ctx context.Context, args ...string) (usage, error) {
	return measure(f.command(ctx, args...))
}

func (f *workdir) remove() { _ = os.RemoveAll(f.dir) }

// quoted is a string as HCL takes it.
func quoted(s string) string {
	return strings.NewReplacer("${", "$${", "%{", "%%{").Replace(strconv.Quote(s))
}
