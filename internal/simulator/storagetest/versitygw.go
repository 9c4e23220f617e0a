// Package storagetest holds what the simulator's storage assumes of S3 against
// a real S3 server: one suite of assumptions runs on both.
//
// The server is versitygw, from the binary that the environment variable
// VODLIVE_TEST_VERSITYGW names, started by the tests on loopback; without the
// variable that half is skipped. Where versitygw itself departs from what AWS
// documents, the suite says so beside the assumption, and the simulator follows
// AWS.
//
// Versitygw is exported so that life-cycle tests can run on the real server too,
// with NewS3 as simulator.Options.Storage, and NewS3 for the benchmarks.
package storagetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// Environment names the variable with the path of the versitygw binary.
const Environment = "VODLIVE_TEST_VERSITYGW"

// Versitygw starts a versitygw of its own on loopback, ends it with the test,
// and returns how to reach it, with a bucket name that NewS3 will make. It skips
// the test where Environment is not set.
func Versitygw(t testing.TB) S3Config {
	t.Helper()
	binary := os.Getenv(Environment)
	if binary == "" {
		t.Skipf("%s does not name a versitygw binary", Environment)
	}
	config := S3Config{
		Bucket: "vodlive-input",
		Key:    simulator.SigningKey{AccessKey: "storagetest-access", SecretKey: "storagetest-secret", Region: "us-east-1"},
	}
	// The port was free a moment ago; somebody may be faster.
	for attempt := range 5 {
		address, err := freeAddress(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		output, err := start(t, binary, address, config.Key)
		if err == nil {
			config.Endpoint = &url.URL{Scheme: "http", Host: address}
			return config
		}
		t.Logf("versitygw, attempt %d: %v\n%s", attempt+1, err, output)
	}
	t.Fatal("versitygw does not start")
	return config
}

func freeAddress(ctx context.Context) (string, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// output collects what the server prints.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// start runs the server until the test ends, and returns when it takes connections.
func start(t testing.TB, binary, address string, k simulator.SigningKey) (string, error) {
	t.Helper()
	dir := t.TempDir()
	root, sidecar := filepath.Join(dir, "root"), filepath.Join(dir, "sidecar")
	if err := errors.Join(os.Mkdir(root, 0o755), os.Mkdir(sidecar, 0o755)); err != nil {
		return "", err
	}
	// A sidecar folder asks nothing of the file system; extended attributes do.
	// The test's context ends before its clean-up does.
	server := exec.CommandContext(context.WithoutCancel(t.Context()), binary, "--port", address, "--region", k.Region, "--quiet", "posix", "--sidecar", sidecar, root)
	server.Env = []string{"ROOT_ACCESS_KEY_ID=" + k.AccessKey, "ROOT_SECRET_ACCESS_KEY=" + k.SecretKey, "HOME=" + dir}
	printed := &output{}
	server.Stdout, server.Stderr = printed, printed
	if err := server.Start(); err != nil {
		return "", err
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	stop := sync.OnceFunc(func() {
		_ = server.Process.Kill()
		<-ended
	})
	ctx := t.Context()
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	for {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err == nil {
			t.Cleanup(stop)
			return "", conn.Close()
		}
		select {
		case err := <-ended:
			return printed.String(), fmt.Errorf("it ended: %w", err)
		case <-ctx.Done():
			stop()
			return printed.String(), ctx.Err()
		case <-poll.C:
		}
	}
}
