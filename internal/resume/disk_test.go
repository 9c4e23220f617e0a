package resume_test

import (
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/regularfile"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
)

// TestKilledWhileLinesAreRemoved: Remove replaces the journal in one step, so a process that is killed at any of its
// operations leaves the lines of before, or those of after.
func TestKilledWhileLinesAreRemoved(t *testing.T) {
	t.Parallel()
	for killed := range 12 {
		dir, left := t.TempDir(), 1<<30
		hook := func(_ regularfile.Op, _ string, n int) (int, error) {
			if left--; left < 0 {
				return n / 2, syscall.EIO // of a process that is no more
			}
			return n, nil
		}
		j := resume.New(dir, hook).Journal(t.Context(), testJournal)
		j.Add(as("a.mp4"))
		j.Add(as("b.mp4"))
		left = killed
		j.Remove([]string{as("a.mp4").KeyPath})
		j.Close(false)

		after := resume.New(dir, nil).Journal(t.Context(), testJournal)
		_, a := after.Found(asked("a.mp4"))
		if _, b := after.Found(asked("b.mp4")); !b {
			t.Errorf("killed before operation %d: the line that stays is lost (that to be removed: %t)", killed, a)
		}
		after.Close(true)
	}
}

// TestLinesThatAreRemovedInPlace: a journal that cannot be replaced loses the lines that are removed, and no others.
func TestLinesThatAreRemovedInPlace(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]func(op regularfile.Op, path string) bool{
		"no room for a second file": func(op regularfile.Op, path string) bool {
			return op == regularfile.OpWrite && strings.HasSuffix(path, ".tmp")
		},
		"held by another program": func(op regularfile.Op, _ string) bool {
			return op == regularfile.OpRename || op == regularfile.OpRemove
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, broken := t.TempDir(), false
			hook := func(op regularfile.Op, path string, n int) (int, error) {
				if broken && fails(op, path) {
					return 0, syscall.ENOSPC
				}
				return n, nil
			}
			j := resume.New(dir, hook).Journal(t.Context(), testJournal)
			j.Add(as("a.mp4"))
			j.Add(as("b.mp4"))
			broken = true
			j.Remove([]string{as("a.mp4").KeyPath})
			broken = false
			j.Close(false)

			after := resume.New(dir, nil).Journal(t.Context(), testJournal)
			_, a := after.Found(asked("a.mp4"))
			_, b := after.Found(asked("b.mp4"))
			if a || !b {
				t.Errorf("removed: found %t, kept: found %t", a, b)
			}
			after.Close(true)
		})
	}
}

// TestRecordOutlivesAPowerCut: what Flush has written is on the disk when it returns, and so is its name.
func TestRecordOutlivesAPowerCut(t *testing.T) {
	t.Parallel()
	var ops []string
	hook := func(op regularfile.Op, path string, n int) (int, error) {
		if op != regularfile.OpOpen && op != regularfile.OpRead {
			name, _, _ := strings.Cut(filepath.Base(filepath.Clean(path)), "-")
			ops = append(ops, string(op)+" "+name)
		}
		return n, nil
	}
	record, _ := resume.New(t.TempDir(), hook).Record(t.Context(), testKey)
	ops = nil
	record.Changed(func() *resume.Upload {
		return &resume.Upload{UploadID: "upload", KeyPath: "vod/input/c/u/a.mp4", PartSize: testKey.PartSize}
	})
	want := []string{"create upload", "write upload", "sync upload", "rename upload", "sync terraform"}
	if !slices.Equal(ops, want) {
		t.Errorf("a record is written by %q, want %q", ops, want)
	}
	record.Close(true)
}

// TestFullDisk: a journal whose disk is full says that it lacks files, and has what it had.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir, full := t.TempDir(), false
	hook := func(op regularfile.Op, _ string, n int) (int, error) {
		if full && op == regularfile.OpWrite {
			return n / 2, syscall.ENOSPC
		}
		return n, nil
	}
	j := resume.New(dir, hook).Journal(t.Context(), testJournal)
	j.Add(as("a.mp4"))
	full = true
	j.Add(as("b.mp4"))
	full = false
	j.Add(as("c.mp4"))
	if j.Whole() {
		t.Error("the journal reports that it is whole")
	}
	j.Close(false)
	after := resume.New(dir, nil).Journal(t.Context(), testJournal)
	defer after.Close(true)
	for name, want := range map[string]bool{"a.mp4": true, "b.mp4": false, "c.mp4": true} {
		if _, got := after.Found(asked(name)); got != want {
			t.Errorf("%s: found %t, want %t", name, got, want)
		}
	}
}
