package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// uploaded is n files sent by one apply, and the plan after it.
type uploaded struct {
	Files int   `json:"files"`
	Calls calls `json:"calls"`
	Apply usage `json:"apply"`
	// Unchanged is a plan in which no file has changed, PlanCalls what it asked the service.
	Unchanged usage `json:"unchanged_plan"`
	PlanCalls int   `json:"unchanged_plan_calls"`
}

// fileSize is that of each of many files: real content, as the service counts and hashes it.
const fileSize = 256 << 10

// uploadConfig has one upload for each file of a folder.
const uploadConfig = `
locals {
  files = fileset(path.module, "media/*.mp4")
}

resource "vodlive_media_upload" "f" {
  for_each = local.files
  source   = each.value
}
`

// uploads is part 4: many files.
func (b *bench) uploads(s *section) error {
	*s = section{
		Part:  s.Part,
		Title: "Many uploads",
		Text: []string{fmt.Sprintf("Files of 256 KiB through `for_each`, %v per call, provider defaults (4 uploads in flight), one PUT each; then a plan in which nothing has changed "+
			"(median of %d runs): it stats each file, reads none and calls nothing. The time includes the CLI, whose own share grows faster than the files.", latency, b.runs)},
		Table: table{Head: []string{"files", "calls", "per file", "apply", "per file", "CLI's CPU", "provider's CPU", "provider's memory", "unchanged plan", "its calls", "CLI's CPU", "provider's CPU", "provider's memory"}},
		Plots: []string{"uploads.svg"},
	}
	var data []uploaded
	calls, apply, plan := series{name: "apply"}, series{name: "apply"}, series{name: "plan of unchanged uploads"}
	for _, n := range b.sizes() {
		r, err := b.upload(n)
		if err != nil {
			return err
		}
		data = append(data, r)
		s.Table.add(n, r.Calls.total(), number(float64(r.Calls.total())/float64(n)), seconds(r.Apply.Wall), milliseconds(r.Apply.Wall/time.Duration(n)),
			seconds(r.Apply.own()), seconds(r.Apply.ProviderCPU), mebibytes(r.Apply.Memory),
			seconds(r.Unchanged.Wall), r.PlanCalls, seconds(r.Unchanged.own()), seconds(r.Unchanged.ProviderCPU), mebibytes(r.Unchanged.Memory))
		fmt.Println(" ", n, r.Calls, seconds(r.Apply.Wall), mebibytes(r.Apply.Memory), seconds(r.Unchanged.Wall), mebibytes(r.Unchanged.Memory))
		x := float64(n)
		calls.x, calls.y = append(calls.x, x), append(calls.y, float64(r.Calls.total()))
		apply.x, apply.y = append(apply.x, x), append(apply.y, r.Apply.Wall.Seconds())
		plan.x, plan.y = append(plan.x, x), append(plan.y, r.Unchanged.Wall.Seconds())
	}
	s.Data = data
	fmt.Printf("\n%s", s.Table.text())
	last := data[len(data)-1]
	s.measure(fmt.Sprintf("%d uploads: calls per file", last.Files), float64(last.Calls.total())/float64(last.Files), 2)
	s.measure(fmt.Sprintf("plan of %d unchanged uploads: calls", last.Files), float64(last.PlanCalls), 0)
	if b.results == "" {
		return nil
	}
	return plot(b.results, "uploads.svg",
		chart{title: "Calls of uploads", x: "files (N)", y: "calls", series: []series{calls}},
		chart{title: "Time of uploads, CLI included", x: "files (N)", y: "seconds", series: []series{apply, plan}})
}

func (b *bench) upload(n int) (r uploaded, err error) {
	r.Files = n
	s, err := serve(simulator.Options{Latency: latency})
	if err != nil {
		return r, err
	}
	defer s.close()
	f, err := b.cli.folder(filepath.Join(b.work, fmt.Sprintf("upload-%d", n)), s.environment(filepath.Join(b.work, "resume")), uploadConfig)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(f.dir)) }()
	if err := writeMedia(filepath.Join(f.dir, "media"), n); err != nil {
		return r, err
	}
	if r.Apply, err = f.run(b.ctx, "apply", "-auto-approve"); err != nil {
		return r, err
	}
	r.Calls = s.calls()
	if stored := len(s.Objects()); stored != n {
		return r, fmt.Errorf("%d of %d files are stored", stored, n)
	}
	s.ResetJournal()
	r.Unchanged, err = b.repeat(func() (usage, error) { return f.run(b.ctx, "plan", "-detailed-exitcode", "-lock=false") })
	r.PlanCalls = s.calls().total()
	return r, err
}

// writeMedia writes n different files.
func writeMedia(dir string, n int) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	source := rand.NewChaCha8([32]byte{1})
	content := make([]byte, fileSize)
	for i := range n {
		if _, err := source.Read(content); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file-%04d.mp4", i)), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// large is one file in many parts.
type large struct {
	Parts int   `json:"parts"`
	Calls calls `json:"calls"`
	Apply usage `json:"apply"`
}

const partSize = 5 << 20

// largeFile is part 4, too: one file in up to 10,000 parts.
func (b *bench) largeFile(s *section) error {
	*s = section{
		Part:  s.Part,
		Title: "One file in many parts",
		Text: []string{"Parts of 5 MiB, the least that storage takes; a sparse file, so that the disk is left out; no latency; the simulated service takes every byte and its MD5, and keeps none. " +
			"Everything else is real: the plan hashes the file, the apply hashes it again while it sends, every part has its own address and PUT. " +
			"Up to 5,000 MiB the file is read once before, into the page cache. The largest does not fit into memory: its time is mostly that of the kernel, which takes seconds to fill a GiB of the cache from a hole, for the plan and again for the apply."},
		Table: table{Head: []string{"parts", "size", "calls", "per part", "apply", "per part", "MiB/s", "provider's CPU", "provider's memory"}},
		Plots: []string{"parts.svg"},
	}
	var data []large
	calls, wall, memory := series{name: "apply"}, series{name: "apply"}, series{name: "largest resident size of the provider"}
	for _, n := range []int{10, 100, 1000, 10_000} {
		if n > b.parts {
			break
		}
		r, err := b.sendParts(n)
		if err != nil {
			return err
		}
		data = append(data, r)
		bytes := int64(n) * partSize
		s.Table.add(n, mebibytes(bytes), r.Calls.total(), fmt.Sprintf("%.2f", float64(r.Calls.total())/float64(n)), seconds(r.Apply.Wall), milliseconds(r.Apply.Wall/time.Duration(n)),
			number(float64(bytes>>20)/r.Apply.Wall.Seconds()), seconds(r.Apply.ProviderCPU), mebibytes(r.Apply.Memory))
		fmt.Println(" ", n, r.Calls, seconds(r.Apply.Wall), mebibytes(r.Apply.Memory))
		calls.x, calls.y = append(calls.x, float64(n)), append(calls.y, float64(r.Calls.total()))
		wall.x, wall.y = append(wall.x, float64(n)), append(wall.y, r.Apply.Wall.Seconds())
		memory.x, memory.y = append(memory.x, float64(n)), append(memory.y, float64(r.Apply.Memory)/(1<<20))
	}
	s.Data = data
	fmt.Printf("\n%s", s.Table.text())
	if b.results == "" {
		return nil
	}
	return plot(b.results, "parts.svg",
		chart{title: "Calls of one file", x: "parts (N)", y: "calls", series: []series{calls}},
		chart{title: "Time of one file, CLI included", x: "parts (N)", y: "seconds", series: []series{wall}},
		chart{title: "Memory", x: "parts (N)", y: "MiB", series: []series{memory}})
}

func readThrough(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(io.Discard, f)
	return err
}

func (b *bench) sendParts(n int) (r large, err error) {
	r.Parts = n
	s, err := serve(simulator.Options{DiscardContent: true})
	if err != nil {
		return r, err
	}
	defer s.close()
	f, err := b.cli.folder(filepath.Join(b.work, fmt.Sprintf("parts-%d", n)), s.environment(filepath.Join(b.work, "resume")), fmt.Sprintf(`
resource "vodlive_media_upload" "f" {
  source    = "sparse.mp4"
  method    = "multipart"
  part_size = %d
}
`, partSize))
	if err != nil {
		return r, err
	}
	if err := f.write("sparse.mp4", ""); err != nil {
		return r, err
	}
	if err := os.Truncate(filepath.Join(f.dir, "sparse.mp4"), int64(n)*partSize); err != nil {
		return r, err
	}
	if n <= 1000 {
		if err := readThrough(filepath.Join(f.dir, "sparse.mp4")); err != nil {
			return r, err
		}
	}
	if r.Apply, err = f.run(b.ctx, "apply", "-auto-approve"); err != nil {
		return r, err
	}
	r.Calls = s.calls()
	if objects := s.Objects(); len(objects) != 1 || objects[0].Parts != n || objects[0].Size != int64(n)*partSize {
		return r, fmt.Errorf("the file is not stored: %+v", objects)
	}
	return r, nil
}
