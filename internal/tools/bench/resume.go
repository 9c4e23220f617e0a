package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// planned is a resume_dir with what a plan has remembered of files.
type planned struct {
	bench *bench
	dir   string
}

// plan reads files as a plan does.
func (b *bench) plan(ctx context.Context, c content) (planned, error) {
	p := planned{bench: b}
	var err error
	if p.dir, err = os.MkdirTemp(b.work, "planned-"); err != nil {
		return p, err
	}
	u := upload.New(upload.Config{Engine: transfer.New(transfer.Config{}), Resume: resume.New(p.dir)})
	for _, path := range c.paths {
		for resume.LookAt(path).Stamp == "" { // the file was written just now
			select {
			case <-time.After(100 * time.Millisecond):
			case <-ctx.Done():
				return p, ctx.Err()
			}
		}
		if _, err := u.SHA256(ctx, upload.File{Path: path}, upload.DetectContent); err != nil {
			return p, err
		}
	}
	return p, nil
}

// copy returns a folder with the same content: an upload adds its records to it.
func (p planned) copy() (string, error) {
	dir, err := p.bench.emptyResumeDir()
	if err != nil {
		return "", err
	}
	found, err := os.ReadDir(filepath.Join(p.dir, resume.Folder))
	if err != nil {
		return "", err
	}
	if err := os.Mkdir(filepath.Join(dir, resume.Folder), 0o700); err != nil {
		return "", err
	}
	for _, f := range found {
		content, err := os.ReadFile(filepath.Join(p.dir, resume.Folder, f.Name()))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, resume.Folder, f.Name()), content, 0o600)
		}
		if err != nil {
			return "", err
		}
	}
	return dir, nil
}

func (b *bench) emptyResumeDir() (string, error) { return os.MkdirTemp(b.work, "resume-") }

// resume continues uploads of which nine tenths are stored.
func (b *bench) resume(ctx context.Context) error {
	st, err := startSink(ctx, 0)
	if err != nil {
		return err
	}
	defer st.close()
	c, err := b.write(1, 1024*mebibyte)
	if err != nil {
		return err
	}
	defer c.remove()
	st.expect(c)
	s, err := serviceAt(ctx, st)
	if err != nil {
		return err
	}
	defer s.close()
	p, err := b.plan(ctx, c)
	if err != nil {
		return err
	}
	t := table{
		title: "Resume: 1 GiB of which 90 % are stored",
		text: "Plain HTTP over loopback to the sink, the content in the page cache; medians of " + strconv.Itoa(b.runs) + " runs in turns. The engine continues an upload from its record. " +
			"*read* is all that its process has read, of the file and of connections.",
		head: []string{"", "wall", "CPU", "memory", "read"},
	}
	rows := []struct {
		name string
		dir  func() (string, error)
		runs []usage
		read []int64
	}{{name: "sums known", dir: p.copy}, {name: "sums unknown", dir: b.emptyResumeDir}}
	for range b.runs {
		for i := range rows {
			dir, err := rows[i].dir()
			if err != nil {
				return err
			}
			u, read, err := b.interruptAndResume(ctx, st, s, c, dir)
			if err != nil {
				return fmt.Errorf("%s: %w", rows[i].name, err)
			}
			rows[i].runs, rows[i].read = append(rows[i].runs, u), append(rows[i].read, read)
		}
	}
	for _, r := range rows {
		u := median(r.runs)
		slices.Sort(r.read)
		t.add(r.name, u.wall, u.cpu, u.memory, r.read[len(r.read)/2])
	}
	t.print()
	return nil
}

// interruptAndResume measures the second of two runs. The first one ends when it asks for the
// addresses of the last parts, after those before are stored.
func (b *bench) interruptAndResume(ctx context.Context, st store, s *service, c content, dir string) (usage, int64, error) {
	s.Fail(simulator.Fault{Call: simulator.CallMultipartURL, After: len(c.parts) * 9 / 10, Delay: 5 * time.Second, Status: http.StatusInternalServerError})
	send := func(retries int) (*exec.Cmd, error) {
		return played(b.tools.self, "engine", loopback, st, s, c, retries, func() (string, error) { return dir, nil })(ctx)
	}
	first, err := send(0)
	if err != nil {
		return usage{}, 0, err
	}
	out, err := first.CombinedOutput()
	s.ClearFaults()
	if err == nil {
		return usage{}, 0, fmt.Errorf("the first run has stored everything: %s", out)
	}
	second, err := send(5)
	if err != nil {
		return usage{}, 0, err
	}
	return measureReads(second)
}

func measureReads(cmd *exec.Cmd) (usage, int64, error) {
	var said bytes.Buffer
	cmd.Stdout = &said
	u, err := measure(cmd)
	if err != nil {
		return u, 0, err
	}
	read, err := strconv.ParseInt(strings.TrimSpace(said.String()), 10, 64)
	return u, read, err
}
