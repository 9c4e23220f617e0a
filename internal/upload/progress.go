package upload

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	"github.com/mattn/go-isatty"

	"github.com/vodlive/terraform-provider-vodlive/internal/quote"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/regularfile"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

const (
	logInterval  = 10 * time.Second
	lineInterval = time.Second
)

// reporter passes progress on: to the provider's log every ten seconds, and to users every second.
type reporter struct {
	mask *redact.Redactor
	log  func(line string)
	file *os.File          // VODLIVE_PROGRESS; nil = none
	show func(line string) // nil = nobody watches

	lastLog, lastLine time.Time
}

// newReporter opens the progress file, if there is one. If it cannot be used the log says so. doing
// is the message of the lines in the log.
func (u *Uploader) newReporter(ctx context.Context, doing string, show func(line string)) *reporter {
	r, path := &reporter{mask: u.config.Redactor, lastLog: time.Now(), show: show}, u.config.ProgressFile
	r.log = func(line string) { tflog.Info(ctx, doing, map[string]any{"progress": line}) }
	if path == "" {
		return r
	}
	var err error
	if r.file, err = openProgress(path); err != nil {
		tflog.Warn(ctx, "VODLIVE_PROGRESS cannot be written to", map[string]any{"path": path, "error": regularfile.Cause(err).Error()})
	}
	return r
}

// close must be called after the last report.
func (r *reporter) close() {
	if r.file != nil {
		_ = r.file.Close()
	}
}

// report passes a line on if one is due. It must not be called concurrently.
func (r *reporter) report(line func() string, finished bool) {
	now := time.Now()
	logs, shows := now.Sub(r.lastLog) >= logInterval, finished || now.Sub(r.lastLine) >= lineInterval
	if !logs && !shows {
		return
	}
	text := quote.Escape(r.mask.Text(line()))
	if logs {
		r.lastLog = now
		r.log(text)
	}
	if !shows {
		return
	}
	r.lastLine = now
	if r.file != nil {
		_, _ = io.WriteString(r.file, text+"\n") // one write a line: several uploads share the file
	}
	if r.show != nil {
		r.show(text)
	}
}

// waits passes a line on that says what the upload waits for. It may be called concurrently.
func (r *reporter) waits(line string) {
	text := quote.Escape(r.mask.Text(line))
	r.log(text)
	if r.file != nil {
		_, _ = io.WriteString(r.file, text+"\n")
	}
}

var errNoFileOrTerminal = errors.New("it is neither a regular file nor a terminal")

// openProgress opens a regular file, which is made if it is missing, or a terminal.
func openProgress(path string) (*os.File, error) {
	info, err := os.Stat(path)
	special := err == nil && !info.Mode().IsRegular()
	if special && info.Mode()&fs.ModeCharDevice == 0 {
		return nil, errNoFileOrTerminal // before it is opened: that may change the state of a device
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND|regularfile.NonBlock, 0o600)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil && (info.Mode().IsRegular() || isatty.IsTerminal(f.Fd())) {
		return f, nil
	}
	_ = f.Close()
	return nil, errNoFileOrTerminal
}

// progressLine is one line for people: name, percent, bytes, rate, time left.
func progressLine(p transfer.Progress) string {
	done, percent := p.Sent+p.Reused, int64(100)
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
