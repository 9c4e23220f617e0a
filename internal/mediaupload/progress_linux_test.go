package mediaupload_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestProgressGoesToNothingElse gives VODLIVE_PROGRESS what is neither a regular file nor a
// terminal: the upload is still made, nothing waits for a reader, and the log says what is wrong.
func TestProgressGoesToNothingElse(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	pipe, socket := filepath.Join(folder, "pipe"), filepath.Join(folder, "socket")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	link := filepath.Join(folder, "link")
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"pipe": pipe, "link to a pipe": link, "socket": socket, "folder": folder, "device": "/dev/null"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 6*mib)
			w.upload(`method = "multipart"`)
			w.Setenv("VODLIVE_PROGRESS", path)
			logs := filepath.Join(t.TempDir(), "log")
			w.Setenv("TF_LOG_PROVIDER", "WARN")
			w.Setenv("TF_LOG_PATH", logs)
			w.apply()
			onlyObject(t, w.server)
			log, err := os.ReadFile(logs)
			if err != nil || !strings.Contains(string(log), "VODLIVE_PROGRESS") {
				t.Errorf("the log does not say it: %s %v", log, err)
			}
		})
	}
}
