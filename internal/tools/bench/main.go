// Command bench measures the provider beside its peers and as its work grows: `make bench`. Each
// part prints its tables, and what they depend on. results.md beside this file has the latest ones.
//
// Everything listens on loopback. Peers run in turns with the engine, each in a process of its own.
// Its wall time, processor time and peak of resident memory are measured; tables hold medians.
// Linux only: the figures come from /proc.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// bench is one run of the command.
type bench struct {
	root     string // the repository's top folder
	work     string // temporary folder, removed at the end
	runs     int
	most     int    // files in a series, at most
	profiles string // loads of the part lines, separated by commas

	beside string // another build of this program, whose engine takes part there; "": none
	seed   uint64 // of the sizes and lines that these parts draw

	tools tools
}

const mostFiles = 10_000

// tools are the programs that take part.
type tools struct{ self, cli, provider, rclone, versitygw string }

var parts = []struct {
	name string
	run  func(*bench, context.Context) error
}{
	{"uploads", (*bench).uploads},
	{"lines", (*bench).lines},
	{"folder", (*bench).folders},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	run := func(ctx context.Context) error { return start(ctx, os.Args[1:]) }
	if len(os.Args) == 3 {
		switch os.Args[1] { // processes that this program starts
		case "send":
			run = func(ctx context.Context) error { return sendJob(ctx, os.Args[2]) }
		case "relay":
			run = func(context.Context) error { return relay(os.Args[2]) }
		}
	}
	err := run(ctx)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func start(ctx context.Context, args []string) (err error) {
	var names, chosen []string
	for _, p := range parts {
		names = append(names, p.name)
	}
	b := &bench{}
	flags := flag.NewFlagSet("bench [part ...]", flag.ContinueOnError)
	flags.IntVar(&b.runs, "runs", 5, "runs of which the median is taken")
	flags.IntVar(&b.most, "most", mostFiles, "most files in a series")
	flags.StringVar(&b.profiles, "profiles", loadNames(), "what the part lines measures")
	flags.StringVar(&b.beside, "beside", "", "a `program`: this one, built at another commit that has the same sizes of parts, whose engine takes part in lines")
	flags.Uint64Var(&b.seed, "seed", rand.Uint64N(1e6), "of the sizes and lines that are drawn")
	flags.StringVar(&b.tools.cli, "cli", "terraform", "terraform or tofu")
	flags.StringVar(&b.root, "root", "../../..", "the repository's top folder")
	for { // flags may stand before and after the names of parts
		if err := flags.Parse(args); err != nil {
			return err
		}
		if flags.NArg() == 0 {
			break
		}
		if !slices.Contains(names, flags.Arg(0)) {
			return fmt.Errorf("there is no part %q; there are %s", flags.Arg(0), strings.Join(names, ", "))
		}
		chosen, args = append(chosen, flags.Arg(0)), flags.Args()[1:]
	}
	if b.root, err = filepath.Abs(b.root); err != nil {
		return err
	}
	cache := filepath.Join(b.root, ".cache", "bench")
	if err := os.MkdirAll(cache, 0o750); err != nil {
		return err
	}
	if b.work, err = os.MkdirTemp(cache, "run-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.work)
	if err := b.build(ctx); err != nil {
		return err
	}
	on, err := machine(ctx, b.tools.cli)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if len(chosen) > 0 && !slices.Contains(chosen, p.name) {
			continue
		}
		fmt.Printf("\n# %s\n", p.name)
		if err := p.run(b, ctx); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		fmt.Printf("\n%s\n", on)
	}
	return nil
}

// build builds the provider as a release is built, and what it is compared with.
func (b *bench) build(ctx context.Context) (err error) {
	cached := filepath.Join(b.root, ".cache", "bin")
	b.tools.rclone, b.tools.versitygw = filepath.Join(cached, "rclone"), filepath.Join(cached, "versitygw")
	b.tools.provider = filepath.Join(b.work, "vodlive", "terraform-provider-vodlive")
	if b.tools.self, err = os.Executable(); err != nil {
		return err
	}
	for _, p := range []struct{ program, module, pkg string }{
		{b.tools.provider, ".", "."},
		{b.tools.rclone, "internal/tools/bench/peers/rclone", "github.com/rclone/rclone"},
		{b.tools.versitygw, "internal/tools/versitygw", "github.com/versity/versitygw/cmd/versitygw"},
	} {
		if _, err := os.Stat(p.program); err == nil {
			continue
		}
		fmt.Fprintln(os.Stderr, "building", filepath.Base(p.program))
		args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w"}
		cmd := exec.CommandContext(ctx, "go", append(args, "-o", p.program, p.pkg)...)
		cmd.Dir = filepath.Join(b.root, filepath.FromSlash(p.module))
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("building %s: %w\n%s", filepath.Base(p.program), err, out)
		}
	}
	return nil
}
