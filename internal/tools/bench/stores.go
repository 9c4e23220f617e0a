package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

const bucket = "bench"

// store is where the contenders send to.
type store interface {
	name() string
	url() string
	expect(sums)                     // what will be sent
	empty(ctx context.Context) error // forgets what was sent
	close()
}

func (b *bench) openStore(ctx context.Context, name string) (store, error) {
	switch name {
	case "sink":
		return startSink(ctx)
	case "versitygw":
		return b.startGateway(ctx)
	}
	return nil, fmt.Errorf("no such store; there are sink and versitygw")
}

// gateway is versitygw over a folder.
type gateway struct {
	dir     string
	address string
	cmd     *exec.Cmd
	ended   chan error
}

func (b *bench) startGateway(ctx context.Context) (*gateway, error) {
	dir, err := os.MkdirTemp(b.work, "versitygw-")
	if err != nil {
		return nil, err
	}
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	g := &gateway{dir: dir, address: address, ended: make(chan error, 1)}
	g.cmd = exec.CommandContext(ctx, b.tools.versitygw, "--quiet", "--keep-alive", "--port", address, "posix", dir)
	g.cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+accessKey, "ROOT_SECRET_KEY="+secretKey)
	if err := g.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { g.ended <- g.cmd.Wait() }()
	err = g.ready(ctx)
	return g, err
}

// ready waits until the gateway takes requests, and makes the bucket.
func (g *gateway) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		_, err := client(g.url()).CreateBucket(ctx, &s3.CreateBucketInput{Bucket: aws.String(bucket)})
		if err == nil {
			return nil
		}
		select {
		case ended := <-g.ended:
			return fmt.Errorf("versitygw ended: %w", ended)
		case <-ctx.Done():
			g.close()
			return errors.Join(errors.New("versitygw takes no requests"), err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (g *gateway) name() string { return "versitygw" }
func (g *gateway) url() string  { return "http://" + g.address }
func (g *gateway) expect(sums)  {}

// empty removes the objects behind the gateway's back: that costs least, and
// nothing of it is timed.
func (g *gateway) empty(context.Context) error {
	entries, err := os.ReadDir(filepath.Join(g.dir, bucket))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(g.dir, bucket, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func (g *gateway) close() {
	_ = g.cmd.Process.Kill()
	<-g.ended //nolint:errcheck // it was killed
	_ = os.RemoveAll(g.dir)
}

func freeAddress(ctx context.Context) (string, error) {
	l, err := listen(ctx)
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

func listen(ctx context.Context) (net.Listener, error) {
	var c net.ListenConfig
	return c.Listen(ctx, "tcp", "127.0.0.1:0")
}

// tools are the programs that take part.
type tools struct{ self, rclone, versitygw, idle string }

// buildTools builds what is not there yet, from the modules pinned in this
// repository, into its .cache/bin.
func buildTools(ctx context.Context, o options, work string) (tools, error) {
	self, err := os.Executable()
	if err != nil {
		return tools{}, err
	}
	t := tools{
		self:      self,
		rclone:    filepath.Join(o.root, ".cache", "bin", "rclone"),
		versitygw: filepath.Join(o.root, ".cache", "bin", "versitygw"),
		idle:      filepath.Join(work, "idle", "terraform-provider-vodlive"),
	}
	for _, p := range []struct{ path, module, pkg string }{
		{t.rclone, "internal/tools/bench/peers/rclone", "github.com/rclone/rclone"},
		{t.versitygw, "internal/tools/versitygw", "github.com/versity/versitygw/cmd/versitygw"},
		{t.idle, "internal/tools/bench", "./idle"},
	} {
		if _, err := os.Stat(p.path); err == nil || p.path == t.idle && o.provider == "" {
			continue
		}
		fmt.Fprintf(os.Stderr, "building %s\n", filepath.Base(p.path))
		cmd := exec.CommandContext(ctx, "go", "build", "-o", p.path, p.pkg)
		cmd.Dir = filepath.Join(o.root, filepath.FromSlash(p.module))
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		if err := cmd.Run(); err != nil {
			return tools{}, fmt.Errorf("building %s: %w", filepath.Base(p.path), err)
		}
	}
	return t, nil
}
