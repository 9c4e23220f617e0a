package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// latency is what each call takes at the simulated service, and each request at the store of
// rclone.
const latency = 50 * time.Millisecond

// mostForEach is the largest number of files for for_each. Terraform's time grows with its square.
const mostForEach = 1000

// folders measures what grows with the number of files: an apply, and a plan in which no file has
// changed.
func (b *bench) folders(ctx context.Context) error {
	t := table{
		title: "Many files",
		text: fmt.Sprintf("Files of 256 KiB, %v a call, the provider's defaults, one PUT each: as one `vodlive_media_folder`, and through `for_each` over `vodlive_media_upload` for at most %d files. "+
			"*plan* finds no change: medians of %d runs. *one changed* is the number of calls, PUTs included, of an apply after one file of the folder has changed. CPU and memory are the provider's. "+
			"rclone copies the same folder to the sink, which answers after %[1]v.", latency, mostForEach, b.runs),
		head: []string{"files", "apply", "to for_each", "to rclone copy", "plan", "CPU", "memory", "one changed", "for_each: apply", "plan", "CPU", "memory", "rclone copy"},
	}
	for _, n := range []int{100, 1000, mostFiles} {
		if n > b.most {
			continue
		}
		f, err := b.manyFiles(ctx, n)
		if err != nil {
			return err
		}
		row := []any{n, f.folder.wall, "", f.folder.wall.Seconds() / f.rclone.wall.Seconds(), f.folderPlan.wall, f.folder.provider, f.folder.memory, f.changed, "", "", "", "", f.rclone.wall}
		if n <= mostForEach {
			row[2] = f.folder.wall.Seconds() / f.each.wall.Seconds()
			row[8], row[9], row[10], row[11] = f.each.wall, f.eachPlan.wall, f.each.provider, f.each.memory
		}
		t.add(row...)
	}
	t.print()
	return nil
}

type manyFiles struct {
	folder, folderPlan, each, eachPlan, rclone usage
	changed                                    int // calls
}

func (b *bench) manyFiles(ctx context.Context, n int) (m manyFiles, err error) {
	c, err := b.write(n, 256<<10)
	if err != nil {
		return m, err
	}
	defer c.remove()
	if n <= mostForEach {
		s, w, err := b.applied(ctx, forEach(c.paths), n, &m.each, &m.eachPlan)
		if err != nil {
			return m, err
		}
		s.close()
		w.remove()
	}
	slow, err := startSink(ctx, latency)
	if err != nil {
		return m, err
	}
	defer slow.close()
	slow.expect(c)
	cmd, err := b.rclone(slow, c).command(ctx)
	if err != nil {
		return m, err
	}
	if m.rclone, err = measure(cmd); err != nil {
		return m, err
	}
	fmt.Printf("%d files\trclone copy\t%.2f s\n", n, m.rclone.wall.Seconds())
	s, w, err := b.applied(ctx, fmt.Sprintf("resource \"vodlive_media_folder\" \"files\" {\n  source_dir = %s\n}\n", quoted(c.dir)), n, &m.folder, &m.folderPlan)
	if err != nil {
		return m, err
	}
	defer s.close()
	defer w.remove()
	if err := os.WriteFile(filepath.Clean(c.paths[n/2]), []byte("changed"), 0o600); err != nil {
		return m, err
	}
	s.ResetJournal()
	_, err = w.run(ctx, "apply", "-auto-approve")
	m.changed = s.calls()
	return m, err
}

// applied applies the configuration of n files with a new service, then plans it.
func (b *bench) applied(ctx context.Context, config string, n int, apply, plan *usage) (s *service, w *workdir, err error) {
	s = serve(simulator.Options{Latency: latency, DiscardContent: true})
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if w, err = b.workdir(s, config); err != nil {
		return s, nil, err
	}
	if *apply, err = w.run(ctx, "apply", "-auto-approve"); err != nil {
		return s, w, err
	}
	if stored := len(s.Objects()); stored != n {
		return s, w, fmt.Errorf("%d of %d files are stored", stored, n)
	}
	s.ResetJournal()
	*plan, err = b.repeat(func() (usage, error) { return w.run(ctx, "plan", "-detailed-exitcode", "-lock=false") })
	if err == nil && s.calls() > 0 {
		err = fmt.Errorf("a plan without change made %d calls", s.calls())
	}
	fmt.Printf("%d files\tTerraform\tapply %.2f s\tplan %.2f s\n", n, apply.wall.Seconds(), plan.wall.Seconds())
	return s, w, err
}
