package upload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/hashicorp/terraform-plugin-log/tflog"
	"github.com/mattn/go-isatty"

	"github.com/vodlive/terraform-provider-vodlive/internal/disk"
	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// Progress is shown by one goroutine, which runs while there are tasks and wakes every second.
const (
	lineTicks = 5  // between lines in a file, and in Terraform's output
	logTicks  = 10 // between lines in the provider's log
	rateTicks = 3  // with bytes before there is a rate
)

// total counts what is sent of some files. It is safe for concurrent use.
type total struct {
	mu                 sync.Mutex
	files, ended       int
	size, sent, reused int64   // bytes; size is without what is missing of files that failed
	rate               float64 // bytes a second, the newer the heavier
	ticks              int     // with bytes
	before             int64   // sent at the last tick
}

func (t *total) add(files, ended int, size, sent, reused int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.files, t.ended = t.files+files, t.ended+ended
	t.size, t.sent, t.reused = t.size+size, t.sent+sent, t.reused+reused
}

func (t *total) tick() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := float64(t.sent - t.before); t.ticks == 0 {
		t.rate = now
	} else {
		t.rate += (now - t.rate) / 5
	}
	if t.before = t.sent; t.sent > 0 {
		t.ticks++
	}
}

// line is such as "42 %, 3.1 GB of 7.4 GB, 88 MB/s, 49 s left".
func (t *total) line() (text string, percent int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	done := t.sent + t.reused
	if percent = 100; t.size > 0 {
		percent = min(done*100/t.size, 100)
	}
	text = fmt.Sprintf("%d %%, %s of %s", percent, bytes(done), bytes(t.size))
	switch {
	case done >= t.size:
	case t.rate < 1:
		text += ", waiting"
	case t.ticks >= rateTicks:
		text += fmt.Sprintf(", %s/s, %s left", bytes(int64(t.rate)), remaining(time.Duration(float64(t.size-done)/t.rate*float64(time.Second))))
	}
	if t.files > 1 {
		text += fmt.Sprintf(", %d of %d files", t.ended, t.files)
	}
	return text, percent
}

// task is what is shown as long as it runs: the upload of some files, or else a text.
type task struct {
	doing, name string
	show        func(line string) // nil: nobody watches
	total       *total
	text        func() string

	progress *progress
	log      context.Context //nolint:containedctx // only its logger is used
}

func (t *task) line() string {
	if t.total == nil {
		return t.text()
	}
	line, _ := t.total.line()
	return t.name + ": " + line
}

// waits shows what a request waits for.
func (t *task) waits(text string) {
	text = t.progress.safe(text)
	tflog.Info(t.log, t.doing, map[string]any{"progress": text})
	t.progress.say(text)
}

// tracked is one file.
type tracked struct {
	File
	began        time.Time
	sent, reused int64
	totals       []*total
}

func (t *task) track(f File) *tracked {
	t.progress.all.add(1, 0, f.Size, 0, 0)
	return &tracked{f, time.Now(), 0, 0, []*total{t.total, &t.progress.all}}
}

// progress is never called concurrently.
func (t *tracked) progress(p transfer.Progress) {
	for _, one := range t.totals {
		one.add(0, 0, 0, p.Sent-t.sent, p.Reused-t.reused)
	}
	t.sent, t.reused = p.Sent, p.Reused
}

// end says what became of the file.
func (t *tracked) end(err error) string {
	missing := t.Size - t.sent - t.reused
	for _, one := range t.totals {
		if err == nil {
			one.add(0, 1, 0, 0, missing) // it was stored before
		} else {
			one.add(0, 1, -missing, 0, 0)
		}
	}
	if err != nil {
		return fmt.Sprintf("%s: not stored, %s of %s are", t.Name, bytes(t.sent+t.reused), bytes(t.Size))
	}
	return fmt.Sprintf("%s: stored, %s in %s, of which %s were stored before", t.Name, bytes(t.Size), remaining(time.Since(t.began)), bytes(t.Size-t.sent))
}

// progress shows what the whole process does: in VODLIVE_PROGRESS, in the log, and in Terraform's
// output.
type progress struct {
	path string
	mask *redact.Redactor
	all  total

	mu       sync.Mutex
	tasks    map[*task]bool
	file     *os.File // while there are tasks; nil: it cannot be used
	terminal bool
	stop     chan struct{}
}

func newProgress(path string, mask *redact.Redactor) *progress {
	return &progress{path: path, mask: mask, tasks: map[*task]bool{}}
}

func (p *progress) safe(text string) string { return parse.Escape(p.mask.Text(text)) }

// begin returns a function that must be called when the task is over.
func (p *progress) begin(ctx context.Context, t *task) (over func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.progress, t.log = p, context.WithoutCancel(ctx); t.show == nil {
		t.show = func(string) {}
	}
	if p.tasks[t] = true; len(p.tasks) == 1 {
		if p.path != "" {
			var err error
			if p.file, err = openProgress(p.path); err != nil {
				tflog.Warn(ctx, "VODLIVE_PROGRESS cannot be written to", map[string]any{"path": p.path, "error": disk.Cause(err).Error()})
			}
			p.terminal = p.file != nil && isTerminal(p.file)
		}
		p.stop = make(chan struct{})
		go p.run(p.stop)
	}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		t.show(p.safe(t.line()))
		if delete(p.tasks, t); len(p.tasks) > 0 {
			return
		}
		close(p.stop)
		if p.file != nil {
			if p.terminal {
				_, _ = p.file.WriteString(clearLine)
			}
			_ = p.file.Close()
			p.file = nil
		}
	}
}

func (p *progress) run(stop chan struct{}) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for n := 1; ; n++ {
		select {
		case <-ticker.C:
			p.tick(n)
		case <-stop:
			return
		}
	}
}

func (p *progress) tick(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all.tick()
	var lines []string
	for t := range p.tasks {
		if t.total != nil {
			t.total.tick()
		} else {
			lines = append(lines, t.text())
		}
		if n%lineTicks == 0 {
			t.show(p.safe(t.line()))
		}
		if n%logTicks == 0 {
			tflog.Info(t.log, t.doing, map[string]any{"progress": p.safe(t.line())})
		}
	}
	if slices.ContainsFunc(slices.Collect(maps.Keys(p.tasks)), func(t *task) bool { return t.total != nil }) {
		line, percent := p.all.line()
		if p.terminal {
			const width = 20
			full := int(percent) * width / 100
			line = "[" + strings.Repeat("=", full) + strings.Repeat(" ", width-full) + "] " + line
		}
		lines = append([]string{line}, lines...)
	}
	line := p.safe(strings.Join(lines, "; "))
	if p.terminal {
		// One row below the cursor, which goes back: what Terraform writes next begins on a row of
		// its own. A line that the terminal would wrap is cut off instead.
		p.write(clearLine + "\n\x1b[?7l" + line + "\x1b[?7h\x1b[A\r")
	} else if n%lineTicks == 0 {
		p.write(line + "\n")
	}
}

// clearLine removes the line that tick has drawn, whether or not Terraform has written one since.
const clearLine = "\r\x1b[J"

// write needs mu.
func (p *progress) write(text string) {
	if p.file != nil {
		_ = p.file.SetWriteDeadline(time.Now().Add(time.Second)) // of a terminal that is held
		_, _ = p.file.WriteString(text)
	}
}

// say writes a line of its own to a file. On a terminal, Terraform shows what has ended.
func (p *progress) say(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.terminal {
		p.write(p.safe(line) + "\n")
	}
}

var errNoFileOrTerminal = errors.New("it is neither a regular file nor a terminal")

// CheckProgressFile reports why progress cannot be written to a path.
func CheckProgressFile(path string) error {
	file, err := openProgress(path)
	if err != nil {
		return disk.Cause(err)
	}
	return file.Close()
}

// openProgress opens a regular file, which is made if it is missing, or a terminal.
func openProgress(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() && info.Mode()&fs.ModeCharDevice == 0 {
		return nil, errNoFileOrTerminal // before it is opened: that may change the state of a device
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND|disk.NonBlock, 0o600)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil && (info.Mode().IsRegular() || isTerminal(f)) {
		return f, nil
	}
	return nil, cmp.Or(f.Close(), errNoFileOrTerminal)
}

// isTerminal does not use File.Fd, which would make writes to the file block.
func isTerminal(f *os.File) (is bool) {
	if raw, err := f.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { is = isatty.IsTerminal(fd) })
	}
	return is
}

func bytes(n int64) string { return humanize.Bytes(uint64(max(n, 0))) }

func remaining(d time.Duration) string { return d.Round(time.Second).String() }
