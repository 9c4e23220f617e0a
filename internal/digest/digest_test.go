package digest_test

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/crc64nvme"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/digest"
)

func newReader() *digest.Reader { return digest.NewReader(digest.OnDisk(nil)) }

func newFile(t *testing.T, size int) (path string, content []byte) {
	t.Helper()
	content = make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{byte(size)}).Read(content)
	path = filepath.Join(t.TempDir(), "a.mp4")
	must.Succeed(t, os.WriteFile(path, content, 0o600))
	return path, content
}

// patch writes into a file and keeps its size and modification time.
func patch(t *testing.T, path string, content string) {
	t.Helper()
	info, err := os.Stat(path)
	must.Succeed(t, err)
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	must.Succeed(t, err)
	_, err = f.WriteString(content)
	must.Succeed(t, err)
	must.Succeed(t, f.Close())
	must.Succeed(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
}

// sparse makes a file that takes no room, and longer to hash than any test has.
func sparse(t *testing.T, size int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sparse")
	must.Succeed(t, os.WriteFile(path, nil, 0o600))
	if err := os.Truncate(path, size); err != nil {
		t.Skip("no sparse files here: ", err)
	}
	return path
}

// TestHash compares the sums of files and their parts with those of the standard library.
func TestHash(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ size, part int }{
		{1, 0}, {1, 1}, {256 << 10, 0}, {256<<10 + 1, 1000}, {17 << 20, 0}, {17<<20 + 1, 5 << 20}, {17 << 20, 17 << 20}, {1 << 20, 1 << 18},
	} {
		path, content := newFile(t, c.size)
		got, err := newReader().Hash(t.Context(), path, int64(c.part))
		want := digest.Digest{Size: int64(c.size), SHA256: sha256.Sum256(content)}
		if c.part > 0 {
			want.Sums = digest.Sums{PartSize: int64(c.part), CRC: crc64nvme.Update(0, content)}
			for part := range slices.Chunk(content, c.part) {
				want.Sums.Parts = append(want.Sums.Parts, digest.PartSum{MD5: md5.Sum(part), CRC: crc64nvme.Update(0, part)})
			}
		}
		if err != nil || got.Size != want.Size || got.SHA256 != want.SHA256 || got.Sums.PartSize != want.Sums.PartSize ||
			got.Sums.CRC != want.Sums.CRC || !slices.Equal(got.Sums.Parts, want.Sums.Parts) {
			t.Errorf("%d bytes in parts of %d: other sums (%v)", c.size, c.part, err)
		}
	}
}

// TestFileIsHashedOnce: Terraform plans an object twice.
func TestFileIsHashedOnce(t *testing.T) {
	t.Parallel()
	path, content := newFile(t, 1000)
	r := newReader()
	if _, err := r.Hash(t.Context(), path, 0); err != nil {
		t.Fatal(err)
	}
	patch(t, path, "other") // behind the same size and time, it shows whether the file is read
	again, err := r.Hash(t.Context(), path, 0)
	if err != nil || again.SHA256 != sha256.Sum256(content) {
		t.Errorf("it was read again (%v)", err)
	}
	later := again.ModTime.Add(time.Second)
	must.Succeed(t, os.Chtimes(path, later, later))
	if d, err := r.Hash(t.Context(), path, 0); err != nil || d.SHA256 == again.SHA256 || !d.ModTime.Equal(later) {
		t.Errorf("it was not read again: %+v (%v)", d, err)
	}
}

// TestHashEndsWithItsCallers: one caller reads, and the others wait for it. All of them end with
// their own contexts.
func TestHashEndsWithItsCallers(t *testing.T) {
	t.Parallel()
	path, r := sparse(t, 1<<40), newReader()
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			if _, err := r.Hash(ctx, path, 5<<20); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v", err)
			}
		})
	}
	group.Wait()
}

// watched is a file that calls a function before each read.
type watched struct {
	*os.File
	before func()
}

func (w watched) ReadAt(p []byte, off int64) (int, error) {
	w.before()
	return w.File.ReadAt(p, off)
}

func watch(before func()) *digest.Reader {
	return digest.NewReader(func(path string) (digest.Handle, fs.FileInfo, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, nil, err
		}
		info, err := f.Stat()
		return watched{f, before}, info, err
	})
}

// TestFileThatShrinksWhileItIsHashed: the error says so, and is not remembered.
func TestFileThatShrinksWhileItIsHashed(t *testing.T) {
	t.Parallel()
	path := sparse(t, 1<<40)
	shrink := sync.OnceFunc(func() { must.Succeed(t, os.Truncate(path, 1000)) })
	r := watch(shrink)
	_, err := r.Hash(t.Context(), path, 0)
	if ce, ok := errors.AsType[*digest.ChangedError](err); !ok || ce.Detail != "it has 1000 bytes, but had 1099511627776 before" {
		t.Errorf("error %v", err)
	}
	if d, err := r.Hash(t.Context(), path, 0); err != nil || d.Size != 1000 {
		t.Errorf("%+v: %v", d, err)
	}
}

// TestEachReadIsOfTheSameBytes: a part that is read again, for whatever purpose, has the bytes that
// were hashed first, or the read fails.
func TestEachReadIsOfTheSameBytes(t *testing.T) {
	t.Parallel()
	const size, part = 1 << 20, 300_000
	for name, read := range map[string]func(*digest.Section) error{
		"MD5":      func(s *digest.Section) error { _, err := s.MD5(t.Context()); return err },
		"checksum": func(s *digest.Section) error { _, err := s.Checksum(t.Context(), "crc32c"); return err },
		"stream": func(s *digest.Section) error {
			n, err := io.Copy(io.Discard, s.Stream())
			if n == part && err != nil {
				t.Error("the last bytes were returned")
			}
			return err
		},
	} {
		for _, isChanged := range []bool{false, true} {
			path, content := newFile(t, size)
			c, err := newReader().Open(path, digest.Plan{Size: size, SHA256: sha256.Sum256(content), PartSize: part})
			must.Succeed(t, err)
			section, err := c.Next(t.Context())
			must.Succeed(t, err)
			if isChanged {
				patch(t, path, "other")
			}
			err = read(section)
			if _, ok := errors.AsType[*digest.ChangedError](err); ok != isChanged || !isChanged && err != nil {
				t.Errorf("%s, changed: %v: error %v", name, isChanged, err)
			}
			if sum, err := section.MD5(t.Context()); !isChanged && (err != nil || sum != md5.Sum(content[:part])) {
				t.Errorf("%s: other MD5 (%v)", name, err)
			}
			c.Close()
		}
	}
}

// TestMD5OfAStreamNeedsNoOtherRead: what was sent is not read once more for its ETag.
func TestMD5OfAStreamNeedsNoOtherRead(t *testing.T) {
	t.Parallel()
	path, content := newFile(t, 1000)
	reads := 0
	c, err := watch(func() { reads++ }).Open(path, digest.Plan{Size: 1000, PartSize: 1000})
	must.Succeed(t, err)
	defer c.Close()
	section, err := c.Next(t.Context())
	must.Succeed(t, err)
	_, err = io.Copy(io.Discard, section.Stream())
	must.Succeed(t, err)
	if sum, err := section.MD5(t.Context()); err != nil || sum != md5.Sum(content) || reads != 2 {
		t.Errorf("%d reads (%v)", reads, err)
	}
}

// TestCheck: whatever differs from the plan is found before an object is made.
func TestCheck(t *testing.T) {
	t.Parallel()
	path, content := newFile(t, 1000)
	for name, plan := range map[string]digest.Plan{"size": {Size: 999}, "SHA-256": {Size: 1000, SHA256: sha256.Sum256(content[1:])}} {
		c, err := newReader().Open(path, plan)
		if err == nil {
			_, err = c.Next(t.Context())
			must.Succeed(t, err)
			err = c.Check()
			c.Close()
		}
		if ce, ok := errors.AsType[*digest.ChangedError](err); !ok || !strings.Contains(ce.Error(), path) || (ce.SHA256 != "") != (name == "SHA-256") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	c, err := newReader().Bytes("content", content, digest.Plan{Size: 1000, SHA256: sha256.Sum256(content)})
	must.Succeed(t, err)
	defer c.Close()
	_, err = c.Next(t.Context())
	must.Succeed(t, err)
	must.Succeed(t, c.Check())
}

func TestFilesThatCannotBeSent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	socket, empty, closed := filepath.Join(dir, "socket"), filepath.Join(dir, "empty"), filepath.Join(dir, "closed")
	if l, err := net.Listen("unix", socket); err == nil {
		t.Cleanup(func() { _ = l.Close() })
	}
	must.Succeed(t, os.WriteFile(empty, nil, 0o600))
	must.Succeed(t, os.WriteFile(closed, []byte("x"), 0))
	for path, c := range map[string]struct {
		problem digest.FileProblem
		is      error
	}{
		filepath.Join(dir, "none"): {digest.FileMissing, fs.ErrNotExist},
		dir:                        {digest.FileIsFolder, nil},
		os.DevNull:                 {digest.FileIsDevice, nil},
		socket:                     {digest.FileIrregular, nil},
		empty:                      {digest.FileEmpty, nil},
		closed:                     {digest.FileUnreadable, fs.ErrPermission},
	} {
		if path == closed && os.Getuid() <= 0 || path == socket && runtime.GOOS == "windows" {
			continue
		}
		_, hashed := newReader().Hash(t.Context(), path, 0)
		_, opened := newReader().Open(path, digest.Plan{Size: 1})
		_, looked := digest.Stat(path)
		for _, err := range []error{hashed, opened, looked} {
			fe, ok := errors.AsType[*digest.FileError](err)
			if !ok || fe.Problem != c.problem || !strings.HasPrefix(err.Error(), path+" "+string(c.problem)) || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%s: error %v", path, err)
			}
		}
	}
}
