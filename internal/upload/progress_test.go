package upload

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

func TestMeter(t *testing.T) {
	t.Parallel()
	const gb = 1_000_000_000
	for name, test := range map[string]struct {
		files []int64
		run   func(files []*tracked)
		want  string
	}{
		"nothing was sent yet": {[]int64{7.4e9}, func([]*tracked) { time.Sleep(time.Minute) }, "0 %, 0 B of 7.4 GB, waiting"},
		"waits for a slot after a few bytes": {[]int64{7.4e9}, func(f []*tracked) {
			f[0].progress(transfer.Progress{Sent: 3000})
			time.Sleep(2 * time.Second)
		}, "0 %, 3.0 kB of 7.4 GB"},
		"the first seconds have no rate": {[]int64{7.4e9}, func(f []*tracked) {
			time.Sleep(time.Minute)
			send(f[0], 2, gb)
		}, "27 %, 2.0 GB of 7.4 GB"},
		"a rate": {[]int64{10e9}, func(f []*tracked) { send(f[0], 5, gb) }, "50 %, 5.0 GB of 10 GB, 1.0 GB/s, 5 s left"},
		"stored before is no rate": {[]int64{10e9}, func(f []*tracked) {
			f[0].progress(transfer.Progress{Reused: 3e9})
			send(f[0], 5, gb)
		}, "80 %, 8.0 GB of 10 GB, 1.0 GB/s, 2 s left"},
		"nothing for ten seconds": {[]int64{10e9}, func(f []*tracked) {
			send(f[0], 5, gb)
			for range 15 {
				time.Sleep(time.Second)
				f[0].progress(transfer.Progress{Sent: 5e9})
			}
		}, "50 %, 5.0 GB of 10 GB, waiting"},
		"all is sent": {[]int64{10e9}, func(f []*tracked) { send(f[0], 10, gb) }, "100 %, 10 GB of 10 GB"},
		"several files": {[]int64{10e9, 10e9, 2e9}, func(f []*tracked) {
			f[2].end(nil)
			send(f[0], 8, gb)
		}, "45 %, 10 GB of 22 GB, 1.0 GB/s, 12 s left, 1 of 3 files"},
		"a failed file is not missing": {[]int64{10e9, 10e9}, func(f []*tracked) {
			send(f[0], 10, gb)
			f[0].end(nil)
			f[1].end(errors.New("refused"))
		}, "100 %, 10 GB of 10 GB, 2 of 2 files"},
		"hours": {[]int64{5.5e12}, func(f []*tracked) { send(f[0], 4, gb/10) }, "0 %, 400 MB of 5.5 TB, 100 MB/s, 15 h 16 min left"},
	} {
		bubble.Run(t, name, func(t *testing.T) {
			m := &meter{}
			var files []*tracked
			for _, size := range test.files {
				files = append(files, track(File{Upload: api.Upload{Name: "a.mp4"}, Size: size}, m))
			}
			test.run(files)
			if got, _ := m.line(); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// send sends n bytes a second.
func send(f *tracked, seconds int, n int64) {
	sent := f.sent
	f.progress(transfer.Progress{Sent: sent + 1, Reused: f.reused})
	for i := range seconds {
		time.Sleep(time.Second)
		f.progress(transfer.Progress{Sent: min(sent+int64(i+1)*n, f.size), Reused: f.reused})
	}
}

func TestWhatBecameOfAFile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for want, test := range map[string]struct {
			p   transfer.Progress
			err error
		}{
			"a.mp4: stored, 10 MB in 2 min 5 s":                                     {p: transfer.Progress{Sent: 10e6}},
			"a.mp4: stored, 10 MB in 2 min 5 s, of which 3.0 MB were stored before": {p: transfer.Progress{Sent: 7e6, Reused: 3e6}},
			"a.mp4: 10 MB were stored before":                                       {},
			"a.mp4: not stored, 4.0 MB of 10 MB were sent":                          {p: transfer.Progress{Sent: 4e6}, err: errors.New("refused")},
			"a.mp4: not stored, 5.0 MB of 10 MB were sent, 2.0 MB of them before":   {p: transfer.Progress{Sent: 3e6, Reused: 2e6}, err: errors.New("refused")},
		} {
			f := track(File{Upload: api.Upload{Name: "a.mp4"}, Size: 10e6}, &meter{})
			f.progress(test.p)
			time.Sleep(125 * time.Second)
			if got := f.end(test.err); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		}
	})
}

// TestTwoHoursInALog: two files in two hours, and how many lines of a CI log they take.
func TestTwoHoursInALog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "progress")
		d := &display{path: path, mask: redact.New(), tasks: map[*task]struct{}{}}
		var files []*tracked
		var over []func()
		for _, name := range []string{"a.mxf", "b.mxf"} {
			over = append(over, d.begin(context.Background(), &task{}))
			files = append(files, track(File{Upload: api.Upload{Name: name}, Size: 7200e6}, &d.meter))
		}
		d.waitsFor("a.mxf waiting for storage.example.com: connection refused")
		for i := range 7200 {
			for _, f := range files {
				f.progress(transfer.Progress{Sent: int64(i) * 1e6})
			}
			time.Sleep(time.Second)
		}
		for i, f := range files {
			f.progress(transfer.Progress{Sent: f.size})
			d.say(f.end(nil))
			over[i]()
		}
		written, err := os.ReadFile(path)
		must.Succeed(t, err)
		lines := strings.Split(strings.TrimSpace(string(written)), "\n")
		if len(lines) < 1400 || len(lines) > 7200/5+2 {
			t.Errorf("%d lines", len(lines))
		}
		if !strings.HasSuffix(lines[0], "; a.mxf waiting for storage.example.com: connection refused") {
			t.Errorf("the first line is %s", lines[0])
		}
		if half := lines[len(lines)/2]; !regexp.MustCompile(`^(49|50) %, 7\.2 GB of 14 GB, (1\.9|2\.0|2\.1) MB/s, (5\d min \d+ s|1 h \d min) left, 0 of 2 files$`).MatchString(half) {
			t.Errorf("half way: %s", half)
		}
		for _, want := range []string{"a.mxf: stored, 7.2 GB in 2 h 0 min", "b.mxf: stored, 7.2 GB in 2 h 0 min"} {
			if !slices.Contains(lines, want) {
				t.Errorf("no line is %q", want)
			}
		}
	})
}
