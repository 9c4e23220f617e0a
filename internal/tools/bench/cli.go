package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// workdir is a working folder of the CLI whose provider talks to a simulated service.
type workdir struct {
	cli, dir string
	env      []string
}

func (b *bench) workdir(service, config string) (*workdir, error) {
	dir, err := os.MkdirTemp(b.work, "workdir-")
	if err != nil {
		return nil, err
	}
	files := map[string]string{
		"cli.tfrc": fmt.Sprintf("provider_installation {\n  dev_overrides {\n    %q = %q\n    %q = %q\n  }\n  direct {}\n}\n",
			"registry.terraform.io/vodlive/vodlive", b.provider, "registry.opentofu.org/vodlive/vodlive", b.provider),
		"main.tf": "terraform {\n  required_providers {\n    vodlive = { source = \"vodlive/vodlive\" }\n  }\n}\n" + config,
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	own := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "TF_") || strings.HasPrefix(v, "VODLIVE_") })
	return &workdir{b.cli, dir, append(own,
		"TF_CLI_CONFIG_FILE="+filepath.Join(dir, "cli.tfrc"), "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1",
		"VODLIVE_VOD_BASE_URL="+service, "VODLIVE_ID_TOKEN="+simulator.DefaultIDToken, "VODLIVE_RESUME_DIR="+filepath.Join(dir, "resume"))}, nil
}

func (w *workdir) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, w.cli, args...)
	// Interrupted, the CLI stops its providers; killed, it would leave them behind.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Dir, cmd.Env = w.dir, w.env
	return cmd
}

func (w *workdir) run(ctx context.Context, args ...string) (usage, error) {
	return measure(w.command(ctx, args...))
}
