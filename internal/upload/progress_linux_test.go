package upload

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// TestProgressOnATerminal: one line, which is rewritten each second and removed in the end.
func TestProgressOnATerminal(t *testing.T) {
	t.Parallel()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminals: %v", err)
	}
	defer master.Close()
	fd := int(master.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	must.Succeed(t, err)
	must.Succeed(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	path := fmt.Sprintf("/dev/pts/%d", number)
	// Open until the test has read what the display wrote.
	slave, err := os.OpenFile(path, os.O_RDWR|unix.O_NOCTTY, 0)
	must.Succeed(t, err)
	defer slave.Close()
	synctest.Test(t, func(t *testing.T) {
		d := &display{path: path, mask: redact.New(), tasks: map[*task]struct{}{}}
		over := d.begin(t.Context(), &task{})
		file := track(File{Upload: api.Upload{Name: "a.mp4"}, Size: 10e6}, &d.meter)
		time.Sleep(redraw + redraw/2)
		for i := range int64(5) {
			file.progress(transfer.Progress{Sent: (i + 1) * 1e6})
			time.Sleep(time.Second)
		}
		d.say(file.end(nil))
		over()
	})
	if _, err := slave.WriteString("end"); err != nil {
		t.Fatal(err)
	}
	var text string
	for block := make([]byte, 1<<12); !strings.HasSuffix(text, "end"); {
		n, err := master.Read(block)
		must.Succeed(t, err)
		text += string(block[:n])
	}
	text = strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "end") // the terminal adds \r
	var lines []string
	for part := range strings.SplitSeq(strings.TrimSuffix(text, clearLine), clearLine+"\n\x1b[?7l") {
		if part != "" {
			lines = append(lines, strings.TrimSuffix(part, "\x1b[?7h\x1b[A\r"))
		}
	}
	want := []string{
		"[                    ] 0 %, 0 B of 10 MB, waiting",
		"[==                  ] 10 %, 1.0 MB of 10 MB",
		"[====                ] 20 %, 2.0 MB of 10 MB",
		"[======              ] 30 %, 3.0 MB of 10 MB",
		"[========            ] 40 %, 4.0 MB of 10 MB, 857 kB/s, 7 s left",
		"[==========          ] 50 %, 5.0 MB of 10 MB, 889 kB/s, 6 s left",
	}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") || !strings.HasSuffix(text, clearLine) {
		t.Errorf("the terminal got %q, want %q", text, want)
	}
}
