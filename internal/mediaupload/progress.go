package mediaupload

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

const (
	logInterval  = 10 * time.Second
	lineInterval = time.Second
)

// reporter passes the progress of one upload on: to the log every ten seconds, and a line a second to where the user
// wants to watch it. The engine calls it from one goroutine at a time.
type reporter struct {
	ctx  context.Context //nolint:containedctx // carries the logger of the request
	now  func() time.Time
	line func(string) // nil = nobody watches

	lastLog, lastLine time.Time
}

// newReporter opens where progress lines go: a file or a terminal, "" for none. One that cannot be opened is logged:
// nobody wants an upload to fail for it. closer must be called after the last report.
func newReporter(ctx context.Context, path string) (r *reporter, closer func()) {
	r = &reporter{ctx: ctx, now: time.Now, lastLog: time.Now()}
	if path == "" {
		return r, func() {}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		tflog.Warn(ctx, "VODLIVE_PROGRESS cannot be written to", map[string]any{"path": path, "error": cause(err).Error()})
		return r, func() {}
	}
	r.line = func(text string) { _, _ = io.WriteString(f, text+"\n") } // one write a line: several uploads share the file
	return r, func() { _ = f.Close() }
}

func (r *reporter) report(p transfer.Progress) {
	now := r.now()
	finished := p.Sent+p.Reused >= p.Total
	if now.Sub(r.lastLog) >= logInterval {
		r.lastLog = now
		tflog.Info(r.ctx, "uploading", map[string]any{"progress": progressLine(p)})
	}
	if r.line != nil && (finished || now.Sub(r.lastLine) >= lineInterval) {
		r.lastLine = now
		r.line(progressLine(p))
	}
}

// progressLine is one line for people: name, percent, bytes, rate, time left.
func progressLine(p transfer.Progress) string {
	done := p.Sent + p.Reused
	percent := int64(100)
	if p.Total > 0 {
		percent = done * 100 / p.Total
	}
	unit, name := unitOf(p.Total)
	line := fmt.Sprintf("%s %d %%, %s of %s %s, %s/s", p.Name, percent, inUnit(done, unit), inUnit(p.Total, unit), name, size(int64(p.Rate)))
	if done < p.Total && p.Remaining > 0 {
		line += ", " + remaining(p.Remaining) + " left"
	}
	return line
}

var units = []struct {
	bytes int64
	name  string
}{{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}}

func unitOf(n int64) (int64, string) {
	for _, u := range units {
		if n >= u.bytes {
			return u.bytes, u.name
		}
	}
	return 1, "B"
}

// inUnit has one decimal below ten and above a byte, as in "3.1" and "88".
func inUnit(n, unit int64) string {
	v := float64(n) / float64(unit)
	if unit == 1 || v >= 10 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.1f", v)
}

func size(n int64) string {
	unit, name := unitOf(n)
	return inUnit(n, unit) + " " + name
}

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
