package upload

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// One goroutine shows progress while there are tasks. It wakes every second.
const (
	lineSeconds = 5  // between lines in a file, and in the output of an action
	logSeconds  = 10 // between lines in the provider's log
)

// counts are what is known of the files of a task, or of the whole process.
type counts struct {
	files, ended int
	size, done   int64 // bytes; size is without what is missing of files that failed
	sent         int64 // bytes of done that this process has sent

	rate   float64 // bytes a second, the newer the heavier
	before int64   // sent a second ago
}

// tick updates the rate. It is called every second.
func (c *counts) tick() {
	c.rate += (float64(c.sent-c.before) - c.rate) / 5
	c.before = c.sent
}

// line returns a text such as "42 %, 3.1 GB of 7.4 GB, 88 MB/s, 49 s left".
func (c *counts) line() string {
	text := fmt.Sprintf("%d %%, %s of %s", c.done*100/max(c.size, 1), bytesText(c.done), bytesText(c.size))
	if c.done < c.size && c.rate >= 1 {
		left := time.Duration(float64(c.size-c.done) / c.rate * float64(time.Second))
		text += fmt.Sprintf(", %s/s, %s left", bytesText(int64(c.rate)), left.Round(time.Second))
	}
	if c.files > 1 {
		text += fmt.Sprintf(", %d of %d files", c.ended, c.files)
	}
	return text
}

// bytesText returns a number of bytes in the unit that has one to three digits before the point.
func bytesText(n int64) string {
	units, amount := []string{"B", "kB", "MB", "GB", "TB"}, float64(n)
	for amount >= 1000 && len(units) > 1 {
		amount, units = amount/1000, units[1:]
	}
	return fmt.Sprintf("%.4g %s", amount, units[0])
}

// task is what is shown while it runs.
type task struct {
	counts
	doing, name string
	reading     bool              // files are read, not sent
	show        func(line string) // nil: nobody watches

	log context.Context //nolint:containedctx // only its logger is used
}

func (t *task) line() string {
	if t.reading {
		return fmt.Sprintf("%s: looked at %d of %d files", t.name, t.ended, t.files)
	}
	return t.name + ": " + t.counts.line()
}

// progress shows what the whole process does.
type progress struct {
	path string // VODLIVE_PROGRESS
	mask *redact.Redactor

	mu    sync.Mutex
	all   counts
	tasks map[*task]bool
	stop  chan struct{} // ends the goroutine that shows the tasks
}

func newProgress(path string, mask *redact.Redactor) *progress {
	return &progress{path: path, mask: mask, tasks: map[*task]bool{}}
}

// begin shows a task until end is called.
func (p *progress) begin(ctx context.Context, t *task) (end func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t.log = context.WithoutCancel(ctx)
	if t.show == nil {
		t.show = func(string) {}
	}
	if !t.reading {
		p.all.files, p.all.size = p.all.files+t.files, p.all.size+t.size
	}
	if p.tasks[t] = true; len(p.tasks) == 1 {
		p.stop = make(chan struct{})
		go p.run(t.log, p.stop)
	}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		t.show(p.safe(t.line()))
		if delete(p.tasks, t); len(p.tasks) == 0 {
			close(p.stop)
		}
	}
}

// follow returns the function that takes the engine's progress of a file of a task, and the one that
// ends the file.
func (p *progress) follow(t *task, f File) (update func(transfer.Progress), end func(err error)) {
	var latest transfer.Progress
	change := func(ended int, size, done, sent int64) {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, c := range []*counts{&t.counts, &p.all} {
			c.ended, c.size, c.done, c.sent = c.ended+ended, c.size+size, c.done+done, c.sent+sent
		}
	}
	update = func(now transfer.Progress) { // never called concurrently
		sent := now.Sent - latest.Sent
		change(0, 0, sent+now.Reused-latest.Reused, sent)
		latest = now
	}
	end = func(err error) {
		if missing := f.Size - latest.Sent - latest.Reused; err == nil {
			change(1, 0, missing, 0) // the file was stored before
		} else {
			change(1, -missing, 0, 0)
		}
	}
	return update, end
}

// looked counts a file that was looked at.
func (p *progress) looked(t *task) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t.ended++
}

func (p *progress) safe(text string) string { return parse.Escape(p.mask.Text(text)) }

// run shows the tasks until stop is closed. It writes without the mutex, because a terminal may be
// held, and uploads must go on.
func (p *progress) run(ctx context.Context, stop chan struct{}) {
	out, err := openProgress(p.path)
	if err != nil {
		redact.Warn(ctx, "VODLIVE_PROGRESS cannot be written to", map[string]any{"path": p.path, "error": err.Error()})
	}
	defer func() { _ = out.Close() }() // of nil, too
	info, err := out.Stat()
	isTerminal := err == nil && info.Mode()&fs.ModeCharDevice != 0
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for second := 1; ; second++ {
		select {
		case <-ticker.C:
		case <-stop:
			if isTerminal {
				_, _ = out.WriteString(clearLine)
			} else if out != nil {
				_, _ = out.WriteString(p.tick(0) + "\n")
			}
			return
		}
		switch line := p.tick(second); {
		case out == nil:
		case isTerminal:
			_, _ = out.WriteString(clearLine + lineBelow + line + backUp)
		case second%lineSeconds == 0:
			_, _ = out.WriteString(line + "\n")
		}
	}
}

// The line on a terminal is one row below the cursor, which goes back: what Terraform writes next
// begins on a row of its own. The terminal cuts off a line that is too long.
const (
	clearLine = "\r\x1b[J"
	lineBelow = "\n\x1b[?7l"
	backUp    = "\x1b[?7h\x1b[A\r"
)

// tick updates the rates, tells those who watch tasks, and returns the line of the whole process.
func (p *progress) tick(second int) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all.tick()
	var lines []string
	if p.all.files > 0 {
		lines = append(lines, p.all.line())
	}
	for t := range p.tasks {
		t.tick()
		if t.reading {
			lines = append(lines, t.line())
		}
		if second%lineSeconds == 0 {
			t.show(p.safe(t.line()))
		}
		if second%logSeconds == 0 {
			redact.Info(t.log, t.doing, map[string]any{"progress": p.safe(t.line())})
		}
	}
	return p.safe(strings.Join(lines, "; "))
}

// openProgress opens a terminal, or a regular file, which it creates if there is none. It does not
// open anything else: opening a pipe waits for its other end. The file of no path is nil.
func openProgress(path string) (*os.File, error) {
	if path == "" {
		return nil, nil //nolint:nilnil // nobody asks for progress
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && info.Mode()&fs.ModeCharDevice == 0 {
		return nil, errors.New("it is neither a regular file nor a terminal")
	}
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600) // #nosec G304 -- the user names it
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, e.Err
	}
	return out, err
}
