// Command scale measures how the provider grows: refresh, creation, start-up and uploads, each with the real CLI and
// the provider built as a release, against the simulated service on loopback. It prints every figure beside its
// target and writes Markdown, JSON and plots. `make bench-scale` runs it.
//
// It works on every system; memory of the provider's process is measured on Linux only. The simulated service, the CLI
// and the provider share the machine's cores, so on a small machine times are upper bounds; calls are exact.
//
// With -drive it runs one load on a provider in a process of its own, for profiles: see drive.go.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// bench is one run of the command.
type bench struct {
	ctx     context.Context
	work    string // temporary folder
	results string
	cli     *cli
	minimal string        // binary of the provider to compare with
	runs    int           // repeated measurements of which the median is taken
	starts  int           // the same for start-up
	most    int           // largest number of resources in a series
	parts   int           // largest number of parts in one file
	without map[int]usage // plans without refresh, by number of sessions
	report  report
}

// latency is what every call takes at the simulated service, as the targets have it.
const latency = 50 * time.Millisecond

// parts of a run, in order.
var parts = []struct {
	name string
	run  func(*bench, *section) error
}{
	{"startup", (*bench).startup},
	{"refresh", (*bench).refresh},
	{"bound", (*bench).bound},
	{"create", (*bench).create},
	{"uploads", (*bench).uploads},
	{"parts", (*bench).largeFile},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := start(ctx, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

func start(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("scale", flag.ContinueOnError)
	var names []string
	for _, p := range parts {
		names = append(names, p.name)
	}
	only := flags.String("only", "", "parts to run, separated by commas: "+strings.Join(names, ", ")+" (default: all)")
	path := flags.String("cli", "terraform", "terraform or tofu")
	results := flags.String("results", "results", "folder to write into; \"\" writes nothing")
	b := &bench{ctx: ctx, without: map[int]usage{}}
	flags.IntVar(&b.runs, "runs", 3, "measurements of which the median is taken")
	flags.IntVar(&b.starts, "starts", 21, "the same for start-up")
	flags.IntVar(&b.most, "most", 1000, "largest number of resources in a series")
	flags.IntVar(&b.parts, "parts", 10_000, "largest number of parts in one file; each has 5 MiB, so 10,000 take minutes")
	var d drive
	d.flags(flags)
	if err := flags.Parse(args); err != nil {
		return err
	}
	if d.load != "" {
		return d.run(ctx)
	}
	chosen := names
	if *only != "" {
		chosen = strings.Split(*only, ",")
	}
	for _, name := range chosen {
		if !slices.Contains(names, name) {
			return fmt.Errorf("there is no part %q", name)
		}
	}
	b.results = *results
	return b.all(*path, chosen)
}

func (b *bench) all(cliPath string, chosen []string) (err error) {
	if b.work, err = os.MkdirTemp("", "vodlive-scale-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.work)) }()
	if err := b.prepare(cliPath); err != nil {
		return err
	}
	for _, p := range parts {
		if !slices.Contains(chosen, p.name) {
			continue
		}
		fmt.Printf("\n== %s\n", p.name)
		s := &section{Part: p.name}
		if err := p.run(b, s); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		b.report.Sections = append(b.report.Sections, s)
	}
	fmt.Printf("\n== targets\n")
	var missed []string
	for _, t := range b.report.targets() {
		fmt.Printf("  %s  %s: %s (at most %s)\n", t.verdict(), t.Name, number(t.Value), number(t.Limit))
		if !t.Met {
			missed = append(missed, t.Name)
		}
	}
	if b.results != "" {
		if err := b.report.write(b.results); err != nil {
			return err
		}
	}
	if len(missed) > 0 {
		return fmt.Errorf("missed: %s", strings.Join(missed, "; "))
	}
	return nil
}

// prepare builds the providers and finds the CLI.
func (b *bench) prepare(cliPath string) error {
	provider := filepath.Join(b.work, "vodlive", "terraform-provider-vodlive")
	b.minimal = filepath.Join(b.work, "minimal", "terraform-provider-minimal")
	if os.PathSeparator == '\\' {
		provider, b.minimal = provider+".exe", b.minimal+".exe"
	}
	fmt.Println("Building the provider and the minimal one, as a release is built")
	if err := build(b.ctx, "../../..", ".", provider); err != nil {
		return err
	}
	if err := build(b.ctx, ".", "./minimal", b.minimal); err != nil {
		return err
	}
	if b.results != "" {
		if err := os.MkdirAll(b.results, 0o750); err != nil {
			return err
		}
	}
	var err error
	if b.cli, err = newCLI(b.ctx, cliPath, b.work, provider, b.minimal); err != nil {
		return err
	}
	b.report.Machine = thisMachine(b.cli.version)
	fmt.Printf("%+v\n", b.report.Machine)
	return nil
}

// repeat measures several times and takes the median of wall time and of processor time, and the most memory.
func (b *bench) repeat(once func() (usage, error)) (usage, error) {
	var wall, cpu, own []time.Duration
	var u usage
	for range b.runs {
		one, err := once()
		if err != nil {
			return u, err
		}
		wall, cpu, own = append(wall, one.Wall), append(cpu, one.CPU), append(own, one.ProviderCPU)
		u.Memory = max(u.Memory, one.Memory)
	}
	u.Wall, u.CPU, u.ProviderCPU = median(wall), median(cpu), median(own)
	return u, nil
}
