package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"gonum.org/v1/plot/plotter"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// latency is what each call takes at the simulated service, and each request at the store of rclone.
const latency = 50 * time.Millisecond

// files measures what grows with the number of files: an apply, and a plan in which none has changed.
func (b *bench) files(ctx context.Context) error {
	t := table{
		title: "Many files through for_each",
		text: fmt.Sprintf("Files of 256 KiB, %v a call, the provider's defaults, one PUT each. The plan finds no change: medians of %d runs. "+
			"rclone copies the same folder to the sink, which answers after %[1]v.", latency, b.rounds),
		head: []string{"files", "apply", "calls", "CLI's CPU", "provider's CPU", "memory", "unchanged plan", "its calls", "CLI's CPU", "provider's CPU", "memory", "rclone copy"},
	}
	apply, plan, peer := series{name: "apply, for_each"}, series{name: "unchanged plan, for_each"}, series{name: "rclone copy"}
	for _, n := range b.sizes() {
		figures, err := b.manyFiles(ctx, n)
		if err != nil {
			return err
		}
		a, p, r := figures.apply, figures.plan, figures.rclone
		t.add(n, a.wall, figures.calls, a.cpu-a.provider, a.provider, a.memory, p.wall, figures.planCalls, p.cpu-p.provider, p.provider, p.memory, r.wall)
		point := func(s *series, u usage) { s.points = append(s.points, plotter.XY{X: float64(n), Y: u.wall.Seconds()}) }
		point(&apply, a)
		point(&plan, p)
		point(&peer, r)
	}
	b.report.chart = []series{apply, plan, peer}
	b.report.add(t)
	return b.manyParts(ctx)
}

// sizes are the numbers of resources in a series.
func (b *bench) sizes() (list []int) {
	for _, n := range []int{1, 10, 100, 300, 1000} {
		if n <= b.most {
			list = append(list, n)
		}
	}
	return list
}

type manyFiles struct {
	apply, plan, rclone usage
	calls, planCalls    int
}

func (b *bench) manyFiles(ctx context.Context, n int) (figures manyFiles, err error) {
	dir, err := os.MkdirTemp(b.work, "files-")
	if err != nil {
		return figures, err
	}
	defer os.RemoveAll(dir)
	c, err := write(dir, n, 256<<10)
	if err != nil {
		return figures, err
	}
	s, err := serve(simulator.Options{Latency: latency})
	if err != nil {
		return figures, err
	}
	defer s.close()
	f, err := b.folder(s, forEach(c.paths))
	if err != nil {
		return figures, err
	}
	defer f.remove()
	if figures.apply, err = f.run(ctx, "apply", "-auto-approve"); err != nil {
		return figures, err
	}
	figures.calls = s.calls()
	if stored := len(s.Objects()); stored != n {
		return figures, fmt.Errorf("%d of %d files are stored", stored, n)
	}
	s.ResetJournal()
	if figures.plan, err = b.repeat(func() (usage, error) { return f.run(ctx, "plan", "-detailed-exitcode", "-lock=false") }); err != nil {
		return figures, err
	}
	figures.planCalls = s.calls()

	slow, err := startSink(ctx, latency)
	if err != nil {
		return figures, err
	}
	defer slow.close()
	slow.expect(c)
	cmd, err := b.rclone(slow, "copy", dir, "").command(ctx)
	if err != nil {
		return figures, err
	}
	figures.rclone, err = measure(cmd)
	return figures, err
}

// manyParts applies one sparse file in many parts of the least size that storage takes.
func (b *bench) manyParts(ctx context.Context) error {
	t := table{
		title: "One file in many parts",
		text:  "A sparse file in parts of 5 MiB, no latency; the simulated service takes every byte with its MD5 and keeps none.",
		head:  []string{"parts", "apply", "calls", "provider's CPU", "memory"},
	}
	for _, n := range b.sizes() {
		if err := b.partsOf(ctx, &t, n); err != nil {
			return err
		}
	}
	b.report.add(t)
	return nil
}

func (b *bench) partsOf(ctx context.Context, t *table, n int) error {
	s, err := serve(simulator.Options{DiscardContent: true})
	if err != nil {
		return err
	}
	defer s.close()
	path := fmt.Sprintf("%s/parts-%d.mp4", b.work, n)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return err
	}
	if err := os.Truncate(path, int64(n)*5*mebibyte); err != nil {
		return err
	}
	f, err := b.folder(s, fmt.Sprintf("resource \"vodlive_media_upload\" \"file\" {\n  source = %s\n  method = \"multipart\"\n  part_size = %d\n}\n", quoted(path), 5*mebibyte))
	if err != nil {
		return err
	}
	u, err := f.run(ctx, "apply", "-auto-approve")
	if err != nil {
		return err
	}
	t.add(n, u.wall, s.calls(), u.provider, u.memory)
	return nil
}
