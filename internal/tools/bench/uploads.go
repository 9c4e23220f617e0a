package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// contender is one way of sending what is to be sent. command makes one run.
type contender struct {
	name    string
	command func(ctx context.Context) (*exec.Cmd, error)
}

const loopback = "127.0.0.1"

// uploads compares the engine and a whole apply with other clients on the same files and stores.
func (b *bench) uploads(ctx context.Context) error {
	gateway, err := b.startGateway(ctx)
	if err != nil {
		return err
	}
	defer gateway.close()
	discarding, err := startSink(ctx, 0)
	if err != nil {
		return err
	}
	defer discarding.close()
	for _, st := range []store{gateway, discarding} {
		for _, load := range []struct {
			count int
			size  int64
		}{{1, 64 * mebibyte}, {1, 1024 * mebibyte}, {200, mebibyte}} {
			if err := b.compare(ctx, st, load.count, load.size); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *bench) compare(ctx context.Context, st store, count int, size int64) error {
	c, err := b.write(count, size)
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
	contenders := []contender{b.self("engine", loopback, st, s, c), b.apply(s, c)}
	if count == 1 {
		p, err := b.plan(ctx, c)
		if err != nil {
			return err
		}
		contenders = append([]contender{b.self("transfer manager", loopback, st, s, c), b.known(loopback, st, s, c, p)}, append(contenders, b.rclone(st, c))...)
	} else {
		contenders = append([]contender{b.rclone(st, c)}, contenders...)
	}
	t := table{
		title: fmt.Sprintf("%d x %d MiB to %s", count, size/mebibyte, st.name()),
		text: "Plain HTTP over loopback, the content in the page cache; medians of " + strconv.Itoa(b.runs) + " runs in turns. versitygw is a real S3 server, the sink drops what it gets. " +
			"*engine* and *apply* have the provider's defaults, ask the simulated service for addresses, and verify everything; *apply* is a whole `terraform apply`, its memory the provider's, *of it provider* the provider's processor time. " +
			"The transfer manager (AWS SDK for Go v2) and rclone have their defaults. " +
			"*engine, sums known* has what a plan has remembered of the file; *apply* plans and sends.",
	}
	return b.inTurns(ctx, t, st, contenders)
}

// inTurns measures the contenders, and compares them with the first one.
func (b *bench) inTurns(ctx context.Context, t table, st store, contenders []contender) error {
	t.head = []string{"", "wall", "ratio", "CPU", "ratio", "memory", "of it provider"}
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
			if err := st.empty(ctx); err != nil {
				return err
			}
		}
	}
	first := median(runs[0])
	for i, c := range contenders {
		u := median(runs[i])
		t.add(c.name, u.wall, u.wall.Seconds()/first.wall.Seconds(), u.cpu, u.cpu.Seconds()/first.cpu.Seconds(), u.memory, u.provider)
	}
	t.print()
	return nil
}

// self is a contender that this program plays in a process of its own.
func (b *bench) self(name, connect string, st store, s *service, c content) contender {
	return contender{name, played(b.tools.self, name, connect, st, s, c, nil)}
}

// known is the engine with the sums that a plan has remembered.
func (b *bench) known(connect string, st store, s *service, c content, p planned) contender {
	return contender{"engine, sums known", played(b.tools.self, "engine", connect, st, s, c, p.copy)}
}

// played connects to an IP address, because the addresses of servers say 127.0.0.1: the provider
// calls no other host over plain HTTP. It takes a function that makes a resume_dir, nil for none.
func played(program, name, connect string, st store, s *service, c content, resumeDir func() (string, error)) func(context.Context) (*exec.Cmd, error) {
	return func(ctx context.Context) (*exec.Cmd, error) {
		var dir string
		if resumeDir != nil {
			var err error
			if dir, err = resumeDir(); err != nil {
				return nil, err
			}
		}
		argument, err := json.Marshal(job{
			Contender: name, Service: "http://" + s.host(), Store: "http://" + st.host(), Connect: connect,
			Paths: c.paths, Size: c.size, SHA256: c.sha256, Resume: dir,
		})
		return exec.CommandContext(ctx, program, "send", string(argument)), err
	}
}

// rclone copies the only file, or the folder of all files.
func (b *bench) rclone(st store, c content) contender {
	command, from, to := "copyto", c.paths[0], filepath.Base(c.paths[0])
	if len(c.paths) > 1 {
		command, from, to = "copy", c.dir, ""
	}
	return contender{"rclone " + command, func(ctx context.Context) (*exec.Cmd, error) {
		cmd := exec.CommandContext(ctx, b.tools.rclone, command, from, ":s3:"+bucket+"/"+to,
			"--config", filepath.Join(b.work, "none.conf"), "--retries", "1", "--quiet", "--s3-provider", "Other",
			"--s3-endpoint", "http://"+st.host(), "--s3-region", key.Region,
			"--s3-force-path-style", "--s3-no-check-bucket", "--s3-use-multipart-etag=false")
		cmd.Env = append(os.Environ(), "RCLONE_S3_ACCESS_KEY_ID="+key.AccessKey, "RCLONE_S3_SECRET_ACCESS_KEY="+key.SecretKey)
		return cmd, nil
	}}
}

// forEach uploads every file that it is given by path.
func forEach(paths []string) string {
	list := make([]string, len(paths))
	for i, p := range paths {
		list[i] = quoted(p)
	}
	return "resource \"vodlive_media_upload\" \"file\" {\n  for_each = toset([" + strings.Join(list, ", ") + "])\n  source   = each.value\n}\n"
}

func (b *bench) apply(s *service, c content) contender {
	return contender{"apply", func(ctx context.Context) (*exec.Cmd, error) {
		f, err := b.workdir(s, forEach(c.paths))
		if err != nil {
			return nil, err
		}
		return f.command(ctx, "apply", "-auto-approve"), nil
	}}
}

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
		if _, err := u.Prepare(ctx, upload.File{Path: path}); err != nil {
			return p, err
		}
	}
	return p, nil
}

// copy returns a folder with the same content: an upload adds its records to it.
func (p planned) copy() (string, error) {
	dir, err := os.MkdirTemp(p.bench.work, "resume-")
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
