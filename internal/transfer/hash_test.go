package transfer_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/digest"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

func TestHashReadsAFileOnce(t *testing.T) {
	t.Parallel()
	f, want := newFile(t, 1000)
	e := newEngine(&store{})
	if _, err := e.Hash(t.Context(), f.Path, 0); err != nil {
		t.Fatal(err)
	}
	// Other content behind the same size and time shows whether it is read.
	patch(t, f.Path, 0, []byte("other"))
	again, err := e.Hash(t.Context(), f.Path, 0)
	if err != nil || again.SHA256 != sha256.Sum256(want) {
		t.Errorf("it was read again (%v)", err)
	}
	other, err := newEngine(&store{}).Hash(t.Context(), f.Path, 0)
	if err != nil || other.SHA256 == again.SHA256 {
		t.Errorf("another engine has the same digest (%v)", err)
	}
	later := again.ModTime.Add(time.Second)
	must.Succeed(t, os.Chtimes(f.Path, later, later))
	if d, err := e.Hash(t.Context(), f.Path, 0); err != nil || d.SHA256 != other.SHA256 || !d.ModTime.Equal(later) {
		t.Errorf("it was not read again: %+v (%v)", d, err)
	}
}

// sparse makes a file that takes no room, and longer to hash than any test has.
func sparse(t testing.TB, size int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sparse")
	overwrite(t, path, nil)
	if err := os.Truncate(path, size); err != nil {
		t.Skip("no sparse files here: ", err)
	}
	return path
}

func TestHashEndsWithItsCallers(t *testing.T) {
	t.Parallel()
	path := sparse(t, 1<<40)
	e := newEngine(&store{})
	var open atomic.Int64
	e.OpenWith(func(f *os.File) digest.Handle {
		open.Add(1)
		return &watched{File: f, before: func([]byte) func() { return func() {} }, closed: func() { open.Add(-1) }}
	}, false)
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			if _, err := e.Hash(ctx, path, 0); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v", err)
			}
		})
	}
	group.Wait()
	if n := open.Load(); n != 0 {
		t.Errorf("the file is still open %d times", n)
	}
}

func TestHashOutlivesACaller(t *testing.T) {
	t.Parallel()
	path := sparse(t, 64<<20)
	e := newEngine(&store{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var group sync.WaitGroup
	group.Go(func() { _, _ = e.Hash(ctx, path, 0) }) // starts the read, or joins it
	for range 4 {
		group.Go(func() {
			cancel()
			d, err := e.Hash(t.Context(), path, 0)
			if err != nil || d.SHA256 != sha256.Sum256(make([]byte, 64<<20)) {
				t.Errorf("%+v: %v", d, err)
			}
		})
	}
	group.Wait()
}

func TestHashCancelledBefore(t *testing.T) {
	t.Parallel()
	f, _ := newFile(t, 10)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newEngine(&store{}).Hash(ctx, f.Path, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestHashOfAChangingFile(t *testing.T) {
	t.Parallel()
	path := sparse(t, 1<<40)
	e := newEngine(&store{})
	reading, ended := make(chan struct{}), make(chan error)
	begin := sync.OnceFunc(func() { close(reading) })
	e.OpenWith(func(f *os.File) digest.Handle {
		return &watched{File: f, before: func([]byte) func() { return begin }}
	}, false)
	go func() {
		_, err := e.Hash(t.Context(), path, 0)
		ended <- err
	}()
	<-reading
	must.Succeed(t, os.Truncate(path, 1000))
	var ce *transfer.ChangedError
	if err := <-ended; !errors.As(err, &ce) || ce.Detail != "it has 1000 bytes, but had 1099511627776 before" {
		t.Errorf("error %v", err)
	}
	// The failure is not remembered.
	if d, err := e.Hash(t.Context(), path, 0); err != nil || d.Size != 1000 {
		t.Errorf("%+v: %v", d, err)
	}
}

func TestFilesThatAreNone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	socket := filepath.Join(dir, "socket")
	if l, err := net.Listen("unix", socket); err == nil {
		t.Cleanup(func() { _ = l.Close() })
	}
	empty := filepath.Join(dir, "empty")
	overwrite(t, empty, nil)
	closed := filepath.Join(dir, "closed")
	overwrite(t, closed, []byte("x"))
	must.Succeed(t, os.Chmod(closed, 0))
	for _, c := range []struct {
		path    string
		problem digest.FileProblem
		is      error
	}{
		{filepath.Join(dir, "none"), digest.FileMissing, fs.ErrNotExist},
		{dir, digest.FileIsFolder, nil},
		{os.DevNull, digest.FileIsDevice, nil},
		{socket, digest.FileIsSocket, nil},
		{empty, digest.FileEmpty, nil},
		{closed, digest.FileUnreadable, fs.ErrPermission},
	} {
		t.Run(string(c.problem), func(t *testing.T) {
			t.Parallel()
			if c.problem == digest.FileUnreadable && os.Getuid() <= 0 {
				t.Skip("this user may read everything")
			}
			if c.problem == digest.FileIsSocket && runtime.GOOS == "windows" {
				t.Skip("on Windows a socket is no kind of file")
			}
			e := newEngine(&store{})
			f := transfer.File{Path: c.path, Name: "x", Size: 1}
			_, hashed := e.Hash(t.Context(), c.path, 0)
			_, parts := e.UploadParts(t.Context(), f, partSize, nil, &upload{})
			_, single := e.UploadSingle(t.Context(), f, func(context.Context) (string, error) {
				t.Error("an address was asked for")
				return "", errors.New("none")
			}, "")
			for _, err := range []error{hashed, parts, single} {
				var fe *transfer.FileError
				if !errors.As(err, &fe) || fe.Problem != c.problem || fe.Path != c.path {
					t.Errorf("error %v", err)
					continue
				}
				if c.is != nil && !errors.Is(err, c.is) {
					t.Errorf("%v is no %v", err, c.is)
				}
				if want := c.path + " " + string(c.problem); !strings.HasPrefix(err.Error(), want) {
					t.Errorf("error text %q", err.Error())
				}
			}
		})
	}
}
