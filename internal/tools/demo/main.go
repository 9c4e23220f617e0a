// Command demo applies examples/demo with a real Terraform or OpenTofu against the simulated
// service, and shows what the service received. It fails unless the file is stored once and
// unchanged, the batch job names it, no credential went to storage, a second plan is empty, and
// destroy changes nothing at the service.
//
// init installs the provider from a filesystem mirror, so the demo needs no registry and no
// account. It listens on loopback only, works in a temporary folder that it removes, and ignores
// the user's Terraform and provider settings. `make demo` runs it in the root of the repository.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// demo is one run.
type demo struct {
	cli     string // path of terraform or tofu
	mirror  string // absolute path of a filesystem mirror with the provider
	version string // of the provider
	media   string // file to upload; "" makes one
	dir     string // temporary folder of this run
	service *simulator.Service
	url     string // address of the service
}

func main() {
	d := demo{}
	flag.StringVar(&d.cli, "cli", "terraform", "`program` to apply with: terraform or tofu")
	flag.StringVar(&d.mirror, "mirror", "", "absolute path of a filesystem mirror with the provider")
	flag.StringVar(&d.version, "version", "0.0.1", "`version` of the provider in the folder")
	flag.StringVar(&d.media, "media", "", "`file` to upload; default a new one of 32 MiB")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := d.run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func (d *demo) run(ctx context.Context) (err error) {
	started := time.Now()
	if d.dir, err = os.MkdirTemp("", "vodlive-demo-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(d.dir)) }()
	d.service = simulator.New(simulator.Options{ReadyAfter: 2 * time.Second})
	server := httptest.NewServer(d.service)
	defer server.Close()
	defer d.service.Close() // first: it ends requests that the server would wait for
	d.url = server.URL
	fmt.Println("The simulated service listens at", d.url)

	if err := d.install(); err != nil {
		return err
	}
	sum, err := d.prepareMedia()
	if err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return d.terraform(ctx, "init") },
		func() error { return d.terraform(ctx, "apply", "-auto-approve") },
		func() error { return d.check(sum) },
		func() error { return d.terraform(ctx, "plan", "-detailed-exitcode") },
		func() error { return d.terraform(ctx, "destroy", "-auto-approve") },
		d.checkCounts,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	fmt.Println("  the service has no call that stops a session or deletes a file: it still has all three")
	fmt.Printf("\nDone in %.0f s. `make demo VERBOSE=1` shows all of the CLI's output.\n", time.Since(started).Seconds())
	return nil
}

// install writes the configuration, pins the provider's version in it, and has init look for the
// provider in the mirror alone.
func (d *demo) install() error {
	if err := os.CopyFS(d.dir, os.DirFS("examples/demo")); err != nil {
		return fmt.Errorf("%w: run the demo in the root of the repository", err)
	}
	const override = "terraform {\n  required_providers {\n    vodlive = {\n      source  = \"registry.terraform.io/vodlive/vodlive\"\n      version = %q\n    }\n  }\n}\n"
	const settings = "provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n"
	return errors.Join(
		os.WriteFile(filepath.Join(d.dir, "demo_override.tf"), fmt.Appendf(nil, override, d.version), 0o600),
		os.WriteFile(filepath.Join(d.dir, "cli.tfrc"), fmt.Appendf(nil, settings, filepath.ToSlash(d.mirror)), 0o600))
}

// summary is the line of a CLI's output that says what a command has done.
var summary = regexp.MustCompile(`(?m)^(?:(?:Apply|Destroy) complete!|No changes\.|(?:Terraform|OpenTofu) has been successfully).*`)

// terraform runs a command of the CLI and prints its summary. With VERBOSE, and if the command
// fails, it prints all output.
func (d *demo) terraform(ctx context.Context, args ...string) error {
	name := strings.TrimSuffix(filepath.Base(d.cli), ".exe")
	fmt.Printf("\n$ %s %s\n", name, strings.Join(args, " "))
	started := time.Now()
	cmd := exec.CommandContext(ctx, d.cli, append(args, "-input=false", "-no-color")...)
	cmd.Dir = d.dir
	cmd.Env = d.environment()
	// The terminal sends Ctrl-C to the CLI, too, and a second one would end it without its state.
	cmd.Cancel = func() error { return nil }
	cmd.WaitDelay = 30 * time.Second
	output, err := cmd.CombinedOutput()
	if err != nil || os.Getenv("VERBOSE") != "" {
		fmt.Printf("%s\n", output)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", name, args[0], cmp.Or(ctx.Err(), err))
	}
	fmt.Printf("  %s (%.1f s)\n", summary.Find(output), time.Since(started).Seconds())
	return nil
}

// environment is that of this process without settings of Terraform or the provider, plus those of
// the demo.
func (d *demo) environment() []string {
	env := []string{
		"CHECKPOINT_DISABLE=1",
		"TF_CLI_CONFIG_FILE=" + filepath.Join(d.dir, "cli.tfrc"),
		"TF_IN_AUTOMATION=1",
		"TF_VAR_media=" + d.media,
		"VODLIVE_RESUME_DIR=" + filepath.Join(d.dir, "resume"),
		"VODLIVE_BASE_URL=" + d.url,
		"VODLIVE_VOD_BASE_URL=" + d.url,
		"VODLIVE_ACCESS_TOKEN_ID=" + simulator.DefaultAccessTokenID,
		"VODLIVE_SECRET_KEY=" + simulator.DefaultSecretKey,
		"VODLIVE_ID_TOKEN=" + simulator.DefaultIDToken,
	}
	own := slices.DeleteFunc(os.Environ(), func(item string) bool {
		return strings.HasPrefix(item, "TF_") || strings.HasPrefix(item, "VODLIVE_")
	})
	return append(env, own...)
}
