// Command bench times uploads: the engine of this provider against the AWS
// SDK's transfer manager and rclone, on the same file, against the same store,
// in turns within one run. Each run is a process of its own, of which the wall
// time, the CPU time and the peak of its resident memory are taken. What is
// reported are medians, and their ratios to the transfer manager at its
// defaults.
//
// Two stores: versitygw, a real S3 server that keeps what it gets in files,
// and a sink that throws it away and so leaves the client's own cost. Both
// listen on loopback, over plain HTTP: for a line or TLS the figures say
// nothing. With -provider and -cli the provider takes part too, through a whole
// apply, with a service in front of the store that hands out the addresses.
//
// A shell script with curl takes part as well, as what the provider replaces.
//
// The results go to -out as Markdown and JSON. Linux only.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
)

type options struct {
	root     string
	work     string
	out      string
	rounds   int
	sizes    []int64
	stores   []string
	files    int
	search   int
	provider string
	cli      string
	profile  bool
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == "child" {
		if err := runChild(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func parse() (options, error) {
	var o options
	sizes := flag.String("sizes", "64,1024", "sizes of the file in MiB; 8192 takes minutes")
	stores := flag.String("stores", "sink,versitygw", "where to send it")
	flag.StringVar(&o.root, "root", "../../..", "the repository's top folder")
	flag.StringVar(&o.work, "work", "", "folder for files and stores, needs three times the largest size (default: .cache/bench in root)")
	flag.StringVar(&o.out, "out", "results", "folder for the results")
	flag.IntVar(&o.rounds, "rounds", 5, "runs of each contender")
	flag.IntVar(&o.files, "files", 200, "number of files of 1 MiB for the comparison with rclone copy; 0: leave it out")
	flag.IntVar(&o.search, "search", 2, "runs of each setting when looking for the transfer manager's best; 0: leave it out")
	flag.StringVar(&o.provider, "provider", "", "a built provider: let it take part")
	flag.StringVar(&o.cli, "cli", "terraform", "terraform or tofu, with -provider")
	flag.BoolVar(&o.profile, "profile", false, "also write CPU profiles of the engine and the transfer manager to -work")
	flag.Parse()
	if flag.NArg() > 0 || o.rounds < 1 {
		flag.Usage()
		return o, errors.New("no arguments, and at least one round")
	}
	for s := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 32)
		if err != nil || n < 1 {
			return o, fmt.Errorf("-sizes: %q is no number of MiB", s)
		}
		o.sizes = append(o.sizes, n<<20)
	}
	o.stores = strings.Split(*stores, ",")
	var err error
	if o.root, err = filepath.Abs(o.root); err != nil {
		return o, err
	}
	if o.work == "" {
		o.work = filepath.Join(o.root, ".cache", "bench")
	}
	if o.provider != "" {
		o.provider, err = filepath.Abs(o.provider)
	}
	return o, err
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	o, err := parse()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.work, 0o750); err != nil {
		return err
	}
	work, err := os.MkdirTemp(o.work, "run-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	b := &bench{options: o, work: work, report: newReport(o)}
	if b.tools, err = buildTools(ctx, o, work); err != nil {
		return err
	}
	for _, name := range o.stores {
		if err := b.against(ctx, strings.TrimSpace(name)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return b.report.write(o.out)
}
