package main

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator/storagetest"
)

const bucket = "bench"

// key is for stores on loopback that live as long as the run.
var key = storagetest.Key{AccessKey: "bench-access-key", SecretKey: "bench-secret-key", Region: "us-east-1"}

// store is where contenders send to.
type store interface {
	name() string
	host() string
	secure(ctx context.Context, dir string, c certificate) error // listens with TLS, too; dir is for files
	expect(c content)
	empty(ctx context.Context) error // forgets what was sent
	close()
}

// gateway is versitygw, a real S3 server, over a folder.
type gateway struct {
	program, dir, address string
	processes             []*exec.Cmd
}

func (b *bench) startGateway(ctx context.Context) (*gateway, error) {
	dir, err := os.MkdirTemp(b.work, "versitygw-")
	if err != nil {
		return nil, err
	}
	free, err := listen(ctx)
	if err != nil {
		return nil, err
	}
	g := &gateway{program: b.tools.versitygw, dir: dir, address: free.Addr().String()}
	_ = free.Close()
	if err := g.start(ctx, g.address); err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

// start starts a process for the folder and waits until it listens.
func (g *gateway) start(ctx context.Context, address string, flags ...string) error {
	cmd := exec.CommandContext(ctx, g.program, append([]string{"--quiet", "--keep-alive", "--port", address}, append(flags, "posix", g.dir)...)...)
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+key.AccessKey, "ROOT_SECRET_KEY="+key.SecretKey)
	if err := cmd.Start(); err != nil {
		return err
	}
	g.processes = append(g.processes, cmd)
	for deadline := time.Now().Add(30 * time.Second); ; <-time.After(50 * time.Millisecond) {
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err == nil {
			return c.Close()
		}
		if time.Now().After(deadline) {
			return err
		}
	}
}

// secure starts a second process: one listens with TLS or without.
func (g *gateway) secure(ctx context.Context, dir string, c certificate) error {
	cert, key, err := c.files(dir)
	if err != nil {
		return err
	}
	return g.start(ctx, secured(g.address), "--cert", cert, "--key", key)
}

func listen(ctx context.Context) (net.Listener, error) {
	return (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
}

func (g *gateway) name() string   { return "versitygw" }
func (g *gateway) host() string   { return g.address }
func (g *gateway) expect(content) {}

func (g *gateway) close() {
	for _, cmd := range g.processes {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	_ = os.RemoveAll(g.dir)
}

// empty removes the objects behind the server's back, which costs least. It is not timed.
func (g *gateway) empty(context.Context) error {
	objects, err := filepath.Glob(filepath.Join(g.dir, bucket, "*"))
	for _, object := range objects {
		err = os.RemoveAll(object)
	}
	return err
}

// bucketAt is a store as the simulated service uses it. It makes the bucket.
func bucketAt(ctx context.Context, s store) (simulator.Storage, error) {
	return storagetest.NewS3(ctx, storagetest.S3Config{Endpoint: &url.URL{Scheme: "http", Host: s.host()}, Bucket: bucket, Key: key})
}

// serviceAt is the simulated service, with its storage at s. Its own storage would check what it
// gets.
func serviceAt(ctx context.Context, s store) (*service, error) {
	storage, err := bucketAt(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name(), err)
	}
	return serve(simulator.Options{Storage: storage})
}
