package upload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
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

const (
	logInterval  = 10 * time.Second // between lines in the provider's log
	lineInterval = 5 * time.Second  // between lines in a file and in Terraform's output
	redraw       = time.Second      // between changes of the line on a terminal

	// rateWindow is the time over which a rate is measured, and rateAfter how long bytes must have
	// been sent before there is one.
	rateWindow = 10 * time.Second
	rateAfter  = 3 * time.Second
)

// meter counts what is sent of a set of files. It is safe for concurrent use.
type meter struct {
	mu           sync.Mutex
	files, ended int
	total        int64 // bytes, without what is missing of files that failed
	sent, reused int64 // bytes
	since        time.Time
	samples      []sample // since bytes are sent; oldest first, within rateWindow
}

// sample is how many bytes were sent at a time.
type sample struct {
	at   time.Time
	sent int64
}

func (m *meter) add(files, ended int, total, sent, reused int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files, m.ended = m.files+files, m.ended+ended
	m.total, m.sent, m.reused = m.total+total, m.sent+sent, m.reused+reused
	m.sample(time.Now())
}

// sample needs mu.
func (m *meter) sample(now time.Time) {
	if n := len(m.samples); n == 0 && m.sent > 0 {
		m.since = now
	} else if n == 0 || now.Sub(m.samples[n-1].at) < redraw/2 {
		return
	}
	m.samples = append(m.samples, sample{now, m.sent})
	for len(m.samples) > 2 && now.Sub(m.samples[1].at) > rateWindow {
		m.samples = m.samples[1:]
	}
}

// line says what the meter shows: "42 %, 3.1 GB of 7.4 GB, 88 MB/s, 49 s left".
func (m *meter) line() (text string, percent int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	done := m.sent + m.reused
	percent = 100
	if m.total > 0 {
		percent = min(done*100/m.total, 100)
	}
	text = fmt.Sprintf("%d %%, %s of %s", percent, bytes(done), bytes(m.total))
	now := time.Now()
	m.sample(now)
	switch {
	case done >= m.total:
	case len(m.samples) == 0:
		text += ", waiting"
	case now.Sub(m.since) >= rateAfter:
		oldest := m.samples[0]
		rate := float64(m.sent-oldest.sent) / now.Sub(oldest.at).Seconds()
		if m.sent == oldest.sent {
			text += ", waiting"
			break
		}
		left := float64(m.total-done) / rate * float64(time.Second)
		text += fmt.Sprintf(", %s/s, %s left", bytes(int64(math.Round(rate))), remaining(time.Duration(left)))
	}
	if m.files > 1 {
		text += fmt.Sprintf(", %d of %d files", m.ended, m.files)
	}
	return text, percent
}

// over reports whether all files have ended.
func (m *meter) over() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ended == m.files
}

// tracked is one file whose bytes some meters count.
type tracked struct {
	name         string
	size         int64
	began        time.Time
	sent, reused int64
	meters       []*meter
}

func track(f File, meters ...*meter) *tracked {
	for _, m := range meters {
		m.add(1, 0, f.Size, 0, 0)
	}
	return &tracked{name: f.Name, size: f.Size, began: time.Now(), meters: meters}
}

// progress is never called concurrently.
func (t *tracked) progress(p transfer.Progress) {
	for _, m := range t.meters {
		m.add(0, 0, 0, p.Sent-t.sent, p.Reused-t.reused)
	}
	t.sent, t.reused = p.Sent, p.Reused
}

// end returns what became of the file.
func (t *tracked) end(err error) string {
	missing := t.size - t.sent - t.reused
	for _, m := range t.meters {
		if err == nil {
			m.add(0, 1, 0, 0, missing) // it was stored before
		} else {
			m.add(0, 1, -missing, 0, 0)
		}
	}
	if err != nil {
		text := fmt.Sprintf("%s: not stored, %s of %s were sent", t.name, bytes(t.sent+t.reused), bytes(t.size))
		if t.reused > 0 {
			text += fmt.Sprintf(", %s of them before", bytes(t.reused))
		}
		return text
	}
	if t.sent == 0 {
		return fmt.Sprintf("%s: %s were stored before", t.name, bytes(t.size))
	}
	text := fmt.Sprintf("%s: stored, %s in %s", t.name, bytes(t.size), remaining(time.Since(t.began)))
	if reused := t.size - t.sent; reused > 0 {
		text += fmt.Sprintf(", of which %s were stored before", bytes(reused))
	}
	return text
}

// display shows in VODLIVE_PROGRESS what the whole process sends: on a terminal in one line that
// is rewritten, in a file in lines.
type display struct {
	path string
	mask *redact.Redactor
	meter

	showing  sync.Mutex
	tasks    map[*task]struct{}
	file     *os.File // while there are tasks; nil: it cannot be used
	terminal bool
	waits    string // what a request waits for, until it is shown
	stop     func()
}

// task is what a display shows as long as it runs.
type task struct {
	line func() string // nil: an upload, which the meter counts
}

// begin returns a function that must be called when the task is over.
func (d *display) begin(ctx context.Context, one *task) (over func()) {
	if d.path == "" {
		return func() {}
	}
	d.showing.Lock()
	defer d.showing.Unlock()
	if len(d.tasks) == 0 {
		d.open(ctx)
	}
	d.tasks[one] = struct{}{}
	return func() {
		d.showing.Lock()
		defer d.showing.Unlock()
		delete(d.tasks, one)
		if len(d.tasks) == 0 {
			d.close()
		}
	}
}

// open needs showing.
func (d *display) open(ctx context.Context) {
	file, err := openProgress(d.path)
	if err != nil {
		tflog.Warn(ctx, "VODLIVE_PROGRESS cannot be written to", map[string]any{"path": d.path, "error": disk.Cause(err).Error()})
		return
	}
	d.file, d.terminal = file, isTerminal(file)
	interval := lineInterval
	if d.terminal {
		interval = redraw
	}
	ticker, done := time.NewTicker(interval), make(chan struct{})
	d.stop = func() { ticker.Stop(); close(done) }
	go func() {
		for {
			select {
			case <-ticker.C:
				d.show(done)
			case <-done:
				return
			}
		}
	}()
}

// close needs showing.
func (d *display) close() {
	if d.file == nil {
		return
	}
	d.stop()
	if d.terminal {
		d.write(clearLine)
	}
	_ = d.file.Close()
	d.file = nil
}

// clearLine removes the line that show has drawn, whether or not Terraform has written a line
// since.
const clearLine = "\r\x1b[J"

func (d *display) show(done <-chan struct{}) {
	d.showing.Lock()
	defer d.showing.Unlock()
	select {
	case <-done: // closed, and perhaps opened again
		return
	default:
	}
	line, percent := d.now()
	if !d.terminal {
		d.write(line + "\n")
		return
	}
	if percent >= 0 {
		const width = 20
		full := int(percent) * width / 100
		line = "[" + strings.Repeat("=", full) + strings.Repeat(" ", width-full) + "] " + line
	}
	// One row below the cursor, which goes back: what Terraform writes next begins on a row of its
	// own. A line that the terminal would wrap is cut off instead.
	d.write(clearLine + "\n\x1b[?7l" + parse.Escape(d.mask.Text(line)) + "\x1b[?7h\x1b[A\r")
}

// now needs showing. percent is -1 unless files are uploaded.
func (d *display) now() (line string, percent int64) {
	var others []string
	percent = -1
	for one := range d.tasks {
		if one.line != nil {
			others = append(others, one.line())
		} else if percent < 0 {
			line, percent = d.line()
		}
	}
	if d.waits != "" {
		others = append(others, d.waits)
		d.waits = ""
	}
	if line != "" {
		others = append([]string{line}, others...)
	}
	return strings.Join(others, "; "), percent
}

// write needs showing.
func (d *display) write(text string) {
	if d.file == nil {
		return
	}
	if !d.terminal {
		text = parse.Escape(d.mask.Text(strings.TrimSuffix(text, "\n"))) + "\n"
	}
	_ = d.file.SetWriteDeadline(time.Now().Add(redraw)) // of a terminal that is held
	_, _ = d.file.WriteString(text)
}

// say writes a line of its own to a file. On a terminal, Terraform shows what has ended.
func (d *display) say(line string) {
	d.showing.Lock()
	defer d.showing.Unlock()
	if !d.terminal {
		d.write(line + "\n")
	}
}

func (d *display) waitsFor(text string) {
	d.showing.Lock()
	defer d.showing.Unlock()
	d.waits = text
}

// reporter passes on what one call does: to the provider's log, and to Terraform.
type reporter struct {
	mask *redact.Redactor
	log  func(line string)
	show func(line string) // nil: nobody watches

	mu                sync.Mutex
	lastLog, lastLine time.Time
}

// newReporter returns a reporter whose lines in the log have the message doing.
func (u *Uploader) newReporter(ctx context.Context, doing string, show func(line string)) *reporter {
	if show == nil {
		show = func(string) {}
	}
	log := func(line string) { tflog.Info(ctx, doing, map[string]any{"progress": line}) }
	return &reporter{mask: u.config.Redactor, log: log, show: show, lastLog: time.Now(), lastLine: time.Now()}
}

// report passes a line on if one is due.
func (r *reporter) report(line func() string, finished bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	logs, shows := now.Sub(r.lastLog) >= logInterval, finished || now.Sub(r.lastLine) >= lineInterval
	if !logs && !shows {
		return
	}
	text := parse.Escape(r.mask.Text(line()))
	if logs {
		r.lastLog = now
		r.log(text)
	}
	if shows {
		r.lastLine = now
		r.show(text)
	}
}

// waits logs what the upload waits for.
func (r *reporter) waits(line string) { r.log(parse.Escape(r.mask.Text(line))) }

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
	special := err == nil && !info.Mode().IsRegular()
	if special && info.Mode()&fs.ModeCharDevice == 0 {
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

// remaining is a duration in the two largest units that matter.
func remaining(d time.Duration) string {
	s := int64(d.Round(time.Second) / time.Second)
	switch {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	}
	return fmt.Sprintf("%d h %d min", s/3600, s%3600/60)
}
