package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// contender is one way of sending what is to be sent. command makes one run.
type contender struct {
	name    string
	command func(ctx context.Context) (*exec.Cmd, error)
}

// target is how contenders reach servers: their addresses say 127.0.0.1, because the provider calls
// no other host over plain HTTP.
type target struct {
	scheme  string
	connect string // IP address to connect to
	// addresses are those of storage, where a name stands for it.
	addresses []string
	ca        string // PEM of the servers' certificate; "": plain HTTP
}

var loopback = target{scheme: "http", connect: "127.0.0.1"}

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
	for _, st := range []store{gateway, discarding} {
		if err := b.overTLS(ctx, st); err != nil {
			return err
		}
	}
	return nil
}

// overTLS compares the engine with the transfer manager, which both verify the servers'
// certificate.
func (b *bench) overTLS(ctx context.Context, st store) error {
	c, err := b.write(1, 1024*mebibyte)
	if err != nil {
		return err
	}
	defer c.remove()
	st.expect(c)
	certificate := newCertificate()
	storage, err := bucketAt(ctx, st)
	if err != nil {
		return err
	}
	s, err := serve(simulator.Options{Storage: secureStorage{storage}})
	if err != nil {
		return err
	}
	defer s.close()
	if err := st.secure(ctx, b.work, certificate); err != nil {
		return err
	}
	front, err := secureListener(ctx, s.host(), certificate)
	if err != nil {
		return err
	}
	defer front.Close()
	go func() { _ = s.server.Config.Serve(front) }()
	t := target{scheme: "https", connect: secureAddress, ca: certificate.pem()}
	p, err := b.plan(ctx, c)
	if err != nil {
		return err
	}
	return b.inTurns(ctx, table{
		title: "1 x 1024 MiB to " + st.name() + " over TLS",
		text: "Over TLS the transfer manager computes a CRC-32 and no SHA-256. versitygw computes a CRC-64/NVME of the parts of the engine, " +
			"because a presigned PUT cannot bring a checksum, and none of those of the transfer manager.",
	}, st, []contender{
		b.self("transfer manager", t, st, s, c), b.known(t, st, s, c, p), b.self("engine", t, st, s, c), b.stdlib(t, st, s, c),
	})
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
		contenders = append([]contender{b.self("transfer manager", loopback, st, s, c), b.known(loopback, st, s, c, p)}, append(contenders,
			b.stdlib(loopback, st, s, c), b.rclone(loopback, st, c), b.curl(s, c.paths[0]))...)
	} else {
		contenders = append([]contender{b.rclone(loopback, st, c)}, contenders...)
	}
	t := table{
		title: fmt.Sprintf("%d x %d MiB to %s", count, size/mebibyte, st.name()),
		text: "Plain HTTP over loopback, the content in the page cache; medians of " + strconv.Itoa(b.runs) + " runs in turns. versitygw is a real S3 server, the sink drops what it gets. " +
			"*engine* and *apply* have the provider's defaults, ask the simulated service for addresses, and verify everything; *apply* is a whole `terraform apply`, its memory the provider's, *of it provider* the provider's processor time. " +
			"The transfer manager (AWS SDK for Go v2) and rclone have their defaults; *curl* is `curl.sh`, part after part; the parts are split before. *crypto/md5* is the engine without md5-simd. " +
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
func (b *bench) self(name string, t target, st store, s *service, c content) contender {
	return contender{name, played(b.tools.self, name, t, st, s, c, 5, nil)}
}

// known is the engine with the sums that a plan has remembered.
func (b *bench) known(t target, st store, s *service, c content, p planned) contender {
	return contender{"engine, sums known", played(b.tools.self, "engine", t, st, s, c, 5, p.copy)}
}

// stdlib is the engine without md5-simd.
func (b *bench) stdlib(t target, st store, s *service, c content) contender {
	return contender{"crypto/md5", played(b.tools.stdlib, "engine", t, st, s, c, 5, nil)}
}

// played takes a function that makes a resume_dir, nil for none.
func played(program, name string, t target, st store, s *service, c content, retries int, resumeDir func() (string, error)) func(context.Context) (*exec.Cmd, error) {
	return func(ctx context.Context) (*exec.Cmd, error) {
		var dir string
		if resumeDir != nil {
			var err error
			if dir, err = resumeDir(); err != nil {
				return nil, err
			}
		}
		argument, err := json.Marshal(job{
			Contender: name, Service: t.scheme + "://" + s.host(), Store: t.scheme + "://" + st.host(),
			Connect: t.connect, Addresses: t.addresses, CA: t.ca, Paths: c.paths, Size: c.size, SHA256: c.sha256,
			Resume: dir, Retries: retries,
		})
		return exec.CommandContext(ctx, program, "send", string(argument)), err
	}
}

// rclone copies the only file, or the folder of all files. It does not verify the servers'
// certificate.
func (b *bench) rclone(t target, st store, c content) contender {
	command, from, to := "copyto", c.paths[0], filepath.Base(c.paths[0])
	if len(c.paths) > 1 {
		command, from, to = "copy", c.dir, ""
	}
	return contender{"rclone " + command, func(ctx context.Context) (*exec.Cmd, error) {
		_, port, err := net.SplitHostPort(st.host())
		cmd := exec.CommandContext(ctx, b.tools.rclone, command, from, ":s3:"+bucket+"/"+to,
			"--config", filepath.Join(b.work, "none.conf"), "--retries", "1", "--quiet", "--no-check-certificate", "--s3-provider", "Other",
			"--s3-endpoint", t.scheme+"://"+net.JoinHostPort(t.connect, port), "--s3-region", key.Region,
			"--s3-force-path-style", "--s3-no-check-bucket", "--s3-use-multipart-etag=false")
		cmd.Env = append(os.Environ(), "RCLONE_S3_ACCESS_KEY_ID="+key.AccessKey, "RCLONE_S3_SECRET_ACCESS_KEY="+key.SecretKey)
		return cmd, err
	}}
}

func (b *bench) curl(s *service, path string) contender {
	return contender{"curl", func(ctx context.Context) (*exec.Cmd, error) {
		dir, err := os.MkdirTemp(b.work, "curl-")
		if err != nil {
			return nil, err
		}
		out, err := exec.CommandContext(ctx, "split", "-b", strconv.FormatInt(16*mebibyte, 10), "-a", "4", path, filepath.Join(dir, "part.")).CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("split: %w: %s", err, out)
		}
		return exec.CommandContext(ctx, "sh", "curl.sh", s.server.URL, path, dir), nil
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
