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
	key := Key{AccessKey: "storagetest-access", SecretKey: "storagetest-secret", Region: "us-east-1"}
	endpoint, stop, err := Start(t.Context(), binary, t.TempDir(), key)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return S3Config{Endpoint: endpoint, Bucket: "vodlive-input", Key: key}
}

// Start starts a server on loopback over an empty folder, in which "root" becomes the folder of the
// buckets. It returns when the server accepts connections.
func Start(ctx context.Context, binary, dir string, k Key) (endpoint *url.URL, stop func(), err error) {
	// Another process may take the free port before the server does.
	for range 5 {
		if endpoint, stop, err = start(ctx, binary, dir, k); err == nil {
			break
		}
	}
	return endpoint, stop, err
}

func start(ctx context.Context, binary, dir string, k Key) (*url.URL, func(), error) {
	free, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	address := free.Addr().String()
	root, sidecar := filepath.Join(dir, "root"), filepath.Join(dir, "sidecar")
	if err := errors.Join(free.Close(), os.MkdirAll(root, 0o755), os.MkdirAll(sidecar, 0o755)); err != nil {
		return nil, nil, err
	}
	// A sidecar folder works on every file system, extended attributes do not. Without the
	// cancellation of a test's context, which ends before its cleanup.
	server := exec.CommandContext(context.WithoutCancel(ctx), binary, "--port", address, "--region", k.Region, "--keep-alive", "--quiet", "posix", "--sidecar", sidecar, root)
	server.Env = []string{"ROOT_ACCESS_KEY_ID=" + k.AccessKey, "ROOT_SECRET_ACCESS_KEY=" + k.SecretKey, "HOME=" + dir}
	var printed bytes.Buffer
	server.Stdout, server.Stderr = &printed, &printed
	if err := server.Start(); err != nil {
		return nil, nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	stop := sync.OnceFunc(func() {
		_ = server.Process.Kill()
		<-ended
	})
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	for {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err == nil {
			return &url.URL{Scheme: "http", Host: address}, stop, conn.Close()
		}
		select {
		case err := <-ended:
			return nil, nil, fmt.Errorf("versitygw ended: %w\n%s", err, printed.Bytes())
		case <-ctx.Done():
			stop()
			return nil, nil, ctx.Err()
		case <-poll.C:
		}
	}
}
