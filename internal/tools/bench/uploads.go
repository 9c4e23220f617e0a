package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator/storagetest"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

const (
	loopback = "127.0.0.1"
	bucket   = "bench"
)

// key is for stores on loopback that live as long as the run.
var key = storagetest.Key{AccessKey: "bench-access-key", SecretKey: "bench-secret-key", Region: "us-east-1"}

// store is where contenders send to.
type store struct {
	name, address string
	expect        func(content)
	empty         func() error // forgets what was sent; not timed
}

// contender is one way of sending content. command makes one run.
type contender struct {
	name    string
	command func(context.Context) (*exec.Cmd, error)
}

// uploads compares the engine and a whole apply with the transfer manager on the same files.
func (b *bench) uploads(ctx context.Context) error {
	dir, err := os.MkdirTemp(b.work, "versitygw-")
	if err != nil {
		return err
	}
	gateway, stop, err := storagetest.Start(ctx, b.versitygw, dir, key)
	if err != nil {
		return err
	}
	defer stop()
	// Removed behind the server's back, which costs least.
	objects := filepath.Join(dir, "root", bucket)
	emptyGateway := func() error { return errors.Join(os.RemoveAll(objects), os.Mkdir(objects, 0o755)) }
	s := &sink{}
	discarding := httptest.NewServer(s)
	defer discarding.Close()
	stores := []store{
		{"versitygw", gateway.String(), func(content) {}, emptyGateway},
		{"the sink", discarding.URL, s.expect, s.empty},
	}
	for _, st := range stores {
		for _, files := range []struct {
			count int
			size  int64
		}{{1, 64 * mebibyte}, {1, 1024 * mebibyte}, {200, mebibyte}} {
			if err := b.compare(ctx, st, files.count, files.size); err != nil {
				return err
			}
		}
	}
	return nil
}

// compare measures the contenders with files of one size, in turns.
func (b *bench) compare(ctx context.Context, st store, count int, size int64) error {
	c, err := b.write(count, size)
	if err != nil {
		return err
	}
	defer os.RemoveAll(c.dir)
	st.expect(c)
	server, err := serviceAt(ctx, st.address)
	if err != nil {
		return err
	}
	defer server.Close()
	j := job{Service: server.URL, Store: st.address, Connect: loopback, Paths: c.paths, Size: size, SHA256: c.sha256}
	t := table{
		title: fmt.Sprintf("%d x %d MiB to %s", count, size/mebibyte, st.name),
		text: fmt.Sprintf("Plain HTTP over loopback, the content in the page cache; medians of %d runs in turns. versitygw is a real S3 server, the sink drops what it gets. "+
			"The transfer manager (AWS SDK for Go v2) has its defaults, *engine* and *apply* those of the provider: they ask the simulated service for addresses, and verify everything. "+
			"*sums known*: with what a plan has remembered of the file. *apply* is a whole `terraform apply`, which plans and sends; its memory is the provider's.", b.runs),
		head: []string{"", "wall", "ratio", "CPU", "ratio", "memory"},
	}
	return b.inTurns(ctx, t, st.empty, []contender{
		j.contender("transfer manager", b.self), j.contender("engine", b.self), b.sumsKnown(j), b.apply(j),
	})
}

// inTurns measures the contenders, and compares them with the first one.
func (b *bench) inTurns(ctx context.Context, t table, empty func() error, contenders []contender) error {
	runs := make([][]usage, len(contenders))
	for round := range b.runs {
		for i := range contenders {
			n := (i + round) % len(contenders) // another one begins each round
			cmd, err := contenders[n].command(ctx)
			if err != nil {
				return err
			}
			u, err := measure(cmd)
			if err != nil {
				return fmt.Errorf("%s: %w", contenders[n].name, err)
			}
			runs[n] = append(runs[n], u)
			if err := empty(); err != nil {
				return err
			}
		}
	}
	first := median(runs[0])
	for i, c := range contenders {
		u := median(runs[i])
		t.add(c.name, u.wall, u.wall.Seconds()/first.wall.Seconds(), u.cpu, u.cpu.Seconds()/first.cpu.Seconds(), u.memory)
	}
	t.print()
	return nil
}

// serviceAt is the simulated service with its storage at an address, where it makes the bucket. Its
// own storage would check what it gets.
func serviceAt(ctx context.Context, address string) (*httptest.Server, error) {
	endpoint, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	storage, err := storagetest.NewS3(ctx, storagetest.S3Config{Endpoint: endpoint, Bucket: bucket, Key: key})
	if err != nil {
		return nil, err
	}
	return httptest.NewServer(simulator.New(simulator.Options{Storage: storage})), nil
}

// contender is a process of a build of this program.
func (j job) contender(name, program string) contender {
	j.Contender = name
	return contender{name, func(ctx context.Context) (*exec.Cmd, error) {
		argument, err := json.Marshal(j)
		return exec.CommandContext(ctx, program, "send", string(argument)), err
	}}
}

// sumsKnown is the engine with what a plan has remembered of the files.
func (b *bench) sumsKnown(j job) contender {
	return contender{"engine, sums known", func(ctx context.Context) (*exec.Cmd, error) {
		var err error
		if j.Resume, err = os.MkdirTemp(b.work, "resume-"); err != nil {
			return nil, err
		}
		u := upload.New(upload.Config{Engine: transfer.New(transfer.Config{}), Resume: resume.New(j.Resume)})
		for _, path := range j.Paths {
			for resume.LookAt(path).Stamp == "" && ctx.Err() == nil { // the file was written just now
				<-time.After(100 * time.Millisecond)
			}
			if _, err := u.Prepare(ctx, upload.File{Path: path}); err != nil {
				return nil, err
			}
		}
		return j.contender("engine", b.self).command(ctx)
	}}
}

// apply is a whole apply of one resource for each file.
func (b *bench) apply(j job) contender {
	return contender{"apply", func(ctx context.Context) (*exec.Cmd, error) {
		paths, err := json.Marshal(j.Paths)
		if err != nil {
			return nil, err
		}
		w, err := b.workdir(j.Service, "resource \"vodlive_media_upload\" \"file\" {\n  for_each = toset("+string(paths)+")\n  source   = each.value\n}\n")
		if err != nil {
			return nil, err
		}
		return w.command(ctx, "apply", "-auto-approve"), nil
	}}
}
