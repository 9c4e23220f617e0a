// Command bench measures the provider as its work grows, and its upload engine beside the transfer
// manager of the AWS SDK: `make bench`. Each part prints its tables and what they depend on.
// results.md beside this file has the latest ones.
//
// Everything listens on loopback. Contenders run in turns, each in a process of its own. Its wall
// time, processor time and peak of resident memory are measured; tables hold medians. Linux only:
// the figures come from /proc.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

// bench is one run of the command.
type bench struct {
	work     string // temporary folder, removed at the end
	runs     int
	profiles string // what the part lines measures, separated by commas
	seed     uint64 // of the sizes and lines that are drawn

	self, cli, versitygw string // programs
	provider             string // folder of the provider
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := start(ctx, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func start(ctx context.Context, args []string) error {
	if len(args) == 2 {
		switch args[0] { // processes that this program starts
		case "send":
			return send(ctx, args[1])
		case "relay":
			return relay(args[1])
		}
	}
	b := &bench{}
	flags := flag.NewFlagSet("bench [flags] [uploads] [lines] [folder]", flag.ContinueOnError)
	flags.IntVar(&b.runs, "runs", 5, "runs of which the median is taken")
	flags.StringVar(&b.profiles, "profiles", profileNames(), "what the part lines measures")
	flags.Uint64Var(&b.seed, "seed", rand.Uint64N(1e6), "of the sizes and lines that are drawn")
	flags.StringVar(&b.cli, "cli", "terraform", "terraform or tofu")
	cache := flags.String("cache", "../../../.cache", "`folder` of what make has built")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if err := b.prepare(*cache); err != nil {
		return err
	}
	defer os.RemoveAll(b.work)
	return b.run(ctx, flags.Args())
}

// prepare finds the programs and makes the temporary folder.
func (b *bench) prepare(cache string) (err error) {
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	if cache, err = filepath.Abs(cache); err != nil {
		return err
	}
	b.provider, b.versitygw = filepath.Join(cache, "bin"), filepath.Join(cache, "bin", "versitygw")
	b.work, err = os.MkdirTemp(cache, "bench-")
	return err
}

// run runs the parts named, all without names.
func (b *bench) run(ctx context.Context, names []string) error {
	on, err := machine(ctx, b.cli)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		names = []string{"uploads", "lines", "folder"}
	}
	for _, name := range names {
		run, ok := map[string]func(context.Context) error{"uploads": b.uploads, "lines": b.lines, "folder": b.folder}[name]
		if !ok {
			return fmt.Errorf("there is no part %q", name)
		}
		if err := run(ctx); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Printf("\n%s\n", on)
	}
	return nil
}
