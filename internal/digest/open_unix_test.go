//go:build unix

package digest

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestPipeInPlaceOfAFile: the path was a file a moment ago. Opening the pipe must not wait for a
// writer.
func TestPipeInPlaceOfAFile(t *testing.T) {
	t.Parallel()
	if f, _, err := openNow(newPipe(t)); err == nil || f != nil || err.Error() != "it is not a regular file" {
		t.Errorf("got %v, %v", f, err)
	}
}

func TestIrregularFiles(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		newPipe(t):                         "it is not a regular file",
		"/dev/null":                        "it is not a regular file",
		t.TempDir():                        "it is a folder",
		filepath.Join(t.TempDir(), "none"): "no such file or directory",
	} {
		if _, _, err := openRegular(path); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
}

func TestRegularFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, info, err := openRegular(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if content, err := io.ReadAll(f); err != nil || string(content) != "content" || info.Size() != 7 {
		t.Errorf("read %q of %d bytes, %v", content, info.Size(), err)
	}
}

func newPipe(t *testing.T) string {
	t.Helper()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	return pipe
}
