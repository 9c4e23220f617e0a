package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// terraform runs the CLI in the working folder and passes its output through.
//
// The CLI gets its own process group. Otherwise Ctrl-C would interrupt it twice, from the terminal
// and from this process, and on the second interrupt it exits without saving the state.
func (d *demo) terraform(ctx context.Context, args ...string) error {
	if !isTerminal(os.Stdout) {
		args = append(args, "-no-color")
	}
	fmt.Printf("\n$ %s %s\n", strings.TrimSuffix(filepath.Base(d.cli), ".exe"), strings.Join(args, " "))
	cmd := exec.CommandContext(ctx, d.cli, args...)
	cmd.Dir = d.workDir()
	cmd.Env = d.environment()
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stdout
	cmd.Cancel = func() error { return interrupt(cmd.Process) }
	cmd.WaitDelay = 30 * time.Second
	ownGroup(cmd)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", filepath.Base(d.cli), args[0], err)
	}
	return nil
}

// environment is the environment of this process without settings of Terraform or the provider,
// plus the demo's settings.
func (d *demo) environment() []string {
	env := []string{
		"CHECKPOINT_DISABLE=1",
		"TF_CLI_CONFIG_FILE=" + d.cliConfig(),
		"TF_IN_AUTOMATION=1",
		"TF_VAR_media=" + d.media,
		"VODLIVE_RESUME_DIR=" + filepath.Join(d.dir, "resume"),
	}
	env = append(env, d.service.environment()...)
	for _, item := range os.Environ() {
		if !strings.HasPrefix(item, "TF_") && !strings.HasPrefix(item, "VODLIVE_") {
			env = append(env, item)
		}
	}
	return env
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
