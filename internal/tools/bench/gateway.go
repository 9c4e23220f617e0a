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
	expect(c content)
	empty(ctx context.Context) error // forgets what was sent
	close()
}

// gateway is versitygw, a real S3 server, over a folder.
type gateway struct {
	dir, address string
	process      *exec.Cmd
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
	g := &gateway{dir: dir, address: free.Addr().String()}
	_ = free.Close()
	if err := g.start(ctx, b.tools.versitygw); err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

// start starts the server for the folder and waits until it listens.
func (g *gateway) start(ctx context.Context, program string) error {
	cmd := exec.CommandContext(ctx, program, "--quiet", "--keep-alive", "--port", g.address, "posix", g.dir)
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+key.AccessKey, "ROOT_SECRET_KEY="+key.SecretKey)
	if err := cmd.Start(); err != nil {
		return err
	}
	g.process = cmd
	for deadline := time.Now().Add(30 * time.Second); ; <-time.After(50 * time.Millisecond) {
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp", g.address)
		if err == nil {
			return c.Close()
		}
		if time.Now().After(deadline) {
			return err
		}
	}
}

func listen(ctx context.Context) (net.Listener, error) {
	return (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
}

func (g *gateway) name() string   { return "versitygw" }
func (g *gateway) host() string   { return g.address }
func (g *gateway) expect(content) {}

func (g *gateway) close() {
	if g.process != nil {
		_ = g.process.Process.Kill()
		_ = g.process.Wait()
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

// serviceAt is the simulated service, with its storage at s, where it makes the bucket. Its own
// storage would check what it gets.
func serviceAt(ctx context.Context, s store) (*service, error) {
	storage, err := storagetest.NewS3(ctx, storagetest.S3Config{Endpoint: &url.URL{Scheme: "http", Host: s.host()}, Bucket: bucket, Key: key})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name(), err)
	}
	return serve(simulator.Options{Storage: storage}), nil
}
