// Command demo applies examples/demo with a real Terraform or OpenTofu against the simulated
// service and shows what the service received. It fails unless the file was stored once and
// unchanged, the batch job names exactly the stored file, no credential went to storage, a second
// plan is empty, an interrupted upload sends only what is missing, and a file that changes while
// it is sent is refused.
//
// init installs the provider from a filesystem mirror, so the demo needs no registry and no
// account. It listens on loopback only, works in a temporary folder that it removes, and ignores
// the user's Terraform and provider settings. make runs it in the root of the repository.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	if err != nil && ctx.Err() != nil {
		err = errors.New("interrupted; nothing is left running")
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// demo is one run.
type demo struct {
	cli     string // path of terraform or tofu
	media   string // file to upload; "" creates one
	release string // folder with the archives of a release; "" builds the provider

	dir     string // temporary folder of this run
	service *service
	step    int
	content content // of the media file
	version string  // of the provider
}

func run(ctx context.Context, args []string) (err error) {
	d := &demo{}
	flags := flag.NewFlagSet("demo", flag.ExitOnError)
	flags.StringVar(&d.cli, "cli", "terraform", "`program` to apply with: terraform or tofu")
	flags.StringVar(&d.media, "media", "", "`file` to upload; default a generated file of 32 MiB")
	flags.StringVar(&d.release, "release", "", "`folder` with the archives of a release to install instead of a build")
	_ = flags.Parse(args) // exits on errors

	if d.media != "" {
		if d.media, err = filepath.Abs(d.media); err != nil {
			return err
		}
	}
	if d.dir, err = os.MkdirTemp("", "vodlive-demo-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(d.dir)) }()

	if err := d.install(ctx); err != nil {
		return err
	}
	started := time.Now()
	if err := d.apply(ctx); err != nil {
		return err
	}
	fmt.Printf("\nDemo complete: applied, verified, planned empty, interrupted, continued, refused and destroyed in %.0f s.\n", time.Since(started).Seconds())
	return nil
}

// apply runs all steps of the demo.
func (d *demo) apply(ctx context.Context) (err error) {
	d.say("Start the simulated service on loopback")
	d.service = startService()
	defer func() { err = errors.Join(err, d.service.stop()) }()
	fmt.Printf("It listens at %s\n", d.service.server.URL)

	if err := d.prepareMedia(ctx); err != nil {
		return err
	}

	d.say("Apply examples/demo")
	if err := d.terraform(ctx, "init", "-input=false"); err != nil {
		return err
	}
	if err := d.terraform(ctx, "apply", "-input=false", "-auto-approve"); err != nil {
		return err
	}

	d.say("Show what the service received")
	report := d.service.Report()
	if err := report.WriteText(os.Stdout); err != nil {
		return err
	}
	if err := check(report, d.service.Journal(), d.content, d.version); err != nil {
		return fmt.Errorf("the service did not receive what it should have:\n%w", err)
	}
	fmt.Printf("The object is the file, byte for byte: SHA-256 %s\n", d.content.sha256)

	d.say("Plan again: the plan must be empty")
	if err := d.terraform(ctx, "plan", "-input=false", "-detailed-exitcode"); err != nil {
		return fmt.Errorf("the second plan is not empty: %w", err)
	}

	if err := d.secondAct(ctx); err != nil {
		return err
	}

	report = d.service.Report()
	d.say("Destroy: the service has no call to stop a session or delete a file, so both are only removed from the state")
	if err := d.terraform(ctx, "destroy", "-input=false", "-auto-approve"); err != nil {
		return err
	}
	return checkUnchanged(report, d.service.Report())
}

// prepareMedia creates the media file, unless one is given, and reads its content.
func (d *demo) prepareMedia(ctx context.Context) (err error) {
	if d.media == "" {
		d.say("Write a media file of 32 MiB")
		d.media = filepath.Join(d.dir, "promo.mp4")
		if err := writeMedia(d.media, 32<<20); err != nil {
			return err
		}
	} else {
		d.say("Read the media file")
	}
	if d.content, err = readContent(ctx, d.media); err != nil {
		return err
	}
	fmt.Printf("%s, %d bytes, SHA-256 %s\n", d.media, d.content.size, d.content.sha256)
	return nil
}

func (d *demo) say(what string) {
	d.step++
	fmt.Printf("\n[%d] %s\n", d.step, what)
}
