package main

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

const latency = 50 * time.Millisecond

// folder measures what grows with the number of files of a folder.
func (b *bench) folder(ctx context.Context) error {
	t := table{
		title: "Many files",
		text: fmt.Sprintf("Files of 256 KiB as one `vodlive_media_folder`, one PUT each, %v a call, the provider's defaults. "+
			"*plan* finds no change: medians of %d runs. *one changed* is the number of calls, PUTs included, of an apply after one file has changed. Memory is the provider's.", latency, b.runs),
		head: []string{"files", "apply", "CPU", "memory", "plan", "CPU", "memory", "one changed"},
	}
	for _, n := range []int{100, 1000, 10_000} {
		if err := b.manyFiles(ctx, &t, n); err != nil {
			return err
		}
	}
	t.print()
	return nil
}

func (b *bench) manyFiles(ctx context.Context, t *table, n int) error {
	c, err := b.write(n, 256<<10)
	if err != nil {
		return err
	}
	defer os.RemoveAll(c.dir)
	service := simulator.New(simulator.Options{Latency: latency, DiscardContent: true})
	defer service.Close()
	server := httptest.NewServer(service)
	defer server.Close()
	w, err := b.workdir(server.URL, fmt.Sprintf("resource \"vodlive_media_folder\" \"files\" {\n  source_dir = %q\n}\n", c.dir))
	if err != nil {
		return err
	}
	apply, err := w.run(ctx, "apply", "-auto-approve")
	if err != nil {
		return err
	}
	if stored := len(service.Objects()); stored != n {
		return fmt.Errorf("%d of %d files are stored", stored, n)
	}
	service.ResetJournal()
	var plans []usage
	for range b.runs {
		plan, err := w.run(ctx, "plan", "-detailed-exitcode", "-lock=false")
		if err != nil {
			return err
		}
		plans = append(plans, plan)
	}
	if calls := len(service.Journal()); calls > 0 {
		return fmt.Errorf("a plan without change made %d calls", calls)
	}
	if err := os.WriteFile(c.paths[n/2], []byte("changed"), 0o600); err != nil {
		return err
	}
	if _, err := w.run(ctx, "apply", "-auto-approve"); err != nil {
		return err
	}
	plan := median(plans)
	t.add(n, apply.wall, apply.cpu, apply.memory, plan.wall, plan.cpu, plan.memory, len(service.Journal()))
	return nil
}
