package mediaupload_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestProgressIsShownOnATerminal gives VODLIVE_PROGRESS a pseudo terminal.
func TestProgressIsShownOnATerminal(t *testing.T) {
	t.Parallel()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminals: %v", err)
	}
	defer master.Close()
	fd := int(master.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	terminal := fmt.Sprintf("/dev/pts/%d", number)
	// Kept open here, so that what the provider wrote is still to be read after it has closed its
	// own.
	slave, err := os.OpenFile(terminal, os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer slave.Close()

	w := newWorld(t, 6*mib)
	w.upload(`method = "multipart"`)
	w.Setenv("VODLIVE_PROGRESS", terminal)
	w.apply()
	if _, err := slave.WriteString("end\n"); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(master)
	text := ""
	for !strings.HasSuffix(text, "end\n") && lines.Scan() {
		text += strings.TrimSpace(lines.Text()) + "\n"
	}
	if !strings.Contains(text, "media.mp4 100 %, 6.3 of 6.3 MB") {
		t.Errorf("the terminal shows %q", text)
	}
}

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
