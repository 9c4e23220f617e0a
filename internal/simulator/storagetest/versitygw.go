// Package storagetest tests the assumptions of the simulator's storage about S3: the same suite
// runs on the simulator's own storage and on a real S3 server.
//
// The server is versitygw, which the tests start on loopback. The environment variable
// VODLIVE_TEST_VERSITYGW names its binary; without it, the tests on the server are skipped. Where
// versitygw differs from the documentation of AWS, the suite says so, and the simulator follows
// AWS.
//
// Versitygw and NewS3 are exported for life-cycle tests on the real server, with
// simulator.Options.Storage.
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
)

// Environment is the variable with the path of the versitygw binary.
const Environment = "VODLIVE_TEST_VERSITYGW"

// Versitygw starts a server on loopback for the duration of the test and returns its configuration
// for NewS3, which creates the bucket. It skips the test if Environment is not set.
func Versitygw(t testing.TB) S3Config {
	t.Helper()
	binary := os.Getenv(Environment)
	if binary == "" {
		t.Skipf("%s does not name a versitygw binary", Environment)
	}
	config := S3Config{
		Bucket: "vodlive-input",
		Key:    Key{AccessKey: "storagetest-access", SecretKey: "storagetest-secret", Region: "us-east-1"},
	}
	// Another process may have taken the free port meanwhile.
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

// output collects the output of the server.
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

// start runs the server until the test ends. It returns when the server accepts connections.
func start(t testing.TB, binary, address string, k Key) (string, error) {
	t.Helper()
	dir := t.TempDir()
	root, sidecar := filepath.Join(dir, "root"), filepath.Join(dir, "sidecar")
	if err := errors.Join(os.Mkdir(root, 0o755), os.Mkdir(sidecar, 0o755)); err != nil {
		return "", err
	}
	// A sidecar folder works on every file system, extended attributes do not. Not the context of
	// the test, which ends before its cleanup.
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
