package resume_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/disk"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
)

// TestRecordOutlivesAPowerCut: what Flush has written is on the disk when it returns, and so is its
// name.
func TestRecordOutlivesAPowerCut(t *testing.T) {
	t.Parallel()
	var ops []string
	hook := func(op disk.Op, path string, n int) (int, error) {
		if op != disk.OpOpen && op != disk.OpRead {
			name, _, _ := strings.Cut(filepath.Base(filepath.Clean(path)), "-")
			ops = append(ops, string(op)+" "+name)
		}
		return n, nil
	}
	record := resume.New(t.TempDir(), hook).Begin(t.Context(), testKey, "upload")
	ops = nil
	record.Changed(func() *resume.Unfinished {
		return &resume.Unfinished{UploadID: "upload", KeyPath: "vod/input/c/u/a.mp4", PartSize: testPartSize}
	})
	want := []string{"create upload", "write upload", "sync upload", "rename upload", "sync terraform"}
	if !slices.Equal(ops, want) {
		t.Errorf("a record is written by %q, want %q", ops, want)
	}
	record.Close(true)
}
