package upload_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/disk"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// slowDisk has files that each take a second to read.
func slowDisk(op disk.Op, _ string, n int) (int, error) {
	if op == disk.OpRead {
		time.Sleep(time.Second)
	}
	return n, nil
}

// TestReadingForSeconds has a plan read files for two and for eleven seconds. Several are read at
// once.
func TestReadingForSeconds(t *testing.T) {
	t.Parallel()
	for seconds, lines := range map[int]int{2: 0, 11: 2} {
		bubble.Run(t, fmt.Sprint(seconds), func(t *testing.T) {
			dir := t.TempDir()
			files := make([]upload.Inspection, seconds*max(2, runtime.GOMAXPROCS(0))) // as many are read at once
			for i := range files {
				files[i].File.Path = filepath.Join(dir, fmt.Sprintf("%d.mp4", i))
				must.Succeed(t, os.WriteFile(files[i].File.Path, []byte("0123456789"), 0o600))
			}
			progress := filepath.Join(t.TempDir(), "progress")
			u := upload.New(upload.Config{Engine: transfer.New(transfer.Config{Files: slowDisk}), ProgressFile: progress})
			var log bytes.Buffer
			var shown []string
			ctx := tflogtest.RootLogger(t.Context(), &log)
			u.InspectFiles(ctx, "media", files, upload.DetectContent, func(line string) { shown = append(shown, line) })
			for _, l := range files {
				if l.Err != nil || l.SHA256 == "" {
					t.Fatalf("%+v", l)
				}
			}
			written, err := os.ReadFile(progress)
			if err != nil || len(shown) != lines || strings.Count(string(written), "media: looked at ") != lines {
				t.Fatalf("want %d lines, shown: %q, written: %q, %v", lines, shown, written, err)
			}
			want := regexp.MustCompile(fmt.Sprintf(`^media: looked at \d+ of %d files, \d+ read \([\d.]+ .?B\)$`, len(files)))
			for _, line := range shown {
				if !want.MatchString(line) {
					t.Errorf("line %q", line)
				}
			}
			if logged := strings.Count(log.String(), "reading the files of a folder"); logged != min(lines, 1) {
				t.Errorf("%d lines in the log:\n%s", logged, &log)
			}
		})
	}
}

// TestRateOfAFolder continues a large file of which 1000 bytes are missing, and uploads ten files
// of 1000 bytes. The first PUT takes ten seconds, each later one takes a second.
func TestRateOfAFolder(t *testing.T) {
	t.Parallel()
	inWorld(t, simulator.Options{}, func(t *testing.T, w *world) {
		w.interrupted()
		files := []upload.File{w.file}
		content := make([]byte, 1000)
		for i := range 10 {
			files = append(files, upload.File{Content: content, Upload: api.Upload{Name: fmt.Sprintf("%d.mp4", i), ContentType: "video/mp4"}, Size: 1000, SHA256: hexSHA256(content)})
		}
		var puts atomic.Int64
		slow := func(*http.Request) {
			if puts.Add(1) == 1 {
				time.Sleep(9 * time.Second)
			}
			time.Sleep(time.Second)
		}
		w.Hook(simulator.CallPutPart, slow)
		w.Hook(simulator.CallPutObject, slow)
		var lines []string
		w.uploader().UploadFolder(t.Context(), upload.Folder{Name: "media", Files: files}, func(line string) { lines = append(lines, line) })
		// Reused bytes and the seconds before the first byte do not count.
		for _, want := range []string{", 0 of 11 files", " kB of 142 kB, 1.0 kB/s, ", "media: 100 %, 142 kB of 142 kB, 11 of 11 files"} {
			if !slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, want) }) {
				t.Errorf("no line has %q:\n%s", want, strings.Join(lines, "\n"))
			}
		}
	})
}
