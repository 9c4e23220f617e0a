package acctest

import (
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/disk"
)

// The files of a machine, as places of a Trouble.
const (
	recordFiles = "files of resume_dir"
	mediaFiles  = "media files"
	tokenFiles  = "token file"
)

// slowness is how long an operation on a slow disk takes.
const slowness = 5 * time.Second

// diskTroubles are the faults of a disk by their names in a Trouble. A slow disk takes its time to
// open a file that is only read: other operations may hold a mutex, and a bubble's time stands
// still while a goroutine waits for a mutex.
var diskTroubles = map[string][]string{
	recordFiles: {"no space", "EIO", "read-only"},
	mediaFiles:  {"EIO", "slow"},
	tokenFiles:  {"EIO", "slow"},
}

// faultyDisk is that of a machine. It fails as Troubles say, and knows what a power cut would lose.
type faultyDisk struct {
	files, records string

	mu       sync.Mutex
	troubles []Trouble
	synced   map[string]int64  // sizes of files that have grown, when they were last synced
	renamed  map[string][]byte // contents before renames that are not synced; nil: there was no file
}

func newDisk(files, records string) *faultyDisk {
	return &faultyDisk{files: files, records: records, synced: map[string]int64{}, renamed: map[string][]byte{}}
}

// fail replaces the troubles.
func (d *faultyDisk) fail(troubles []Trouble) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.troubles = nil
	for _, t := range troubles {
		if !onDisk(t) {
			continue
		}
		if t.Times == 0 {
			t.Times = math.MaxInt
		}
		d.troubles = append(d.troubles, t)
	}
}

// hook is that of a process. A process that is dead writes nothing.
func (d *faultyDisk) hook(pr *process) disk.Hook {
	return func(op disk.Op, path string, n int) (int, error) {
		pr.mu.Lock()
		dead := pr.dead
		pr.mu.Unlock()
		if dead {
			return 0, syscall.EIO
		}
		return d.operate(op, filepath.Clean(path), n)
	}
}

func (d *faultyDisk) operate(op disk.Op, path string, n int) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch d.trouble(op, path) {
	case "no space":
		if op == disk.OpWrite {
			d.grows(path)
			return n / 2, syscall.ENOSPC
		}
	case "EIO":
		return 0, syscall.EIO
	case "read-only":
		if op != disk.OpOpen && op != disk.OpRead {
			return 0, syscall.EROFS
		}
	case "slow":
		if op == disk.OpOpen {
			d.mu.Unlock()
			time.Sleep(slowness)
			d.mu.Lock()
		}
	}
	switch op { //nolint:exhaustive // the others leave nothing that a power cut could lose
	case disk.OpWrite:
		d.grows(path)
	case disk.OpSync:
		if delete(d.synced, path); filepath.Base(path) == "terraform-provider-vodlive" {
			clear(d.renamed)
		}
	case disk.OpRename:
		if _, twice := d.renamed[path]; !twice {
			d.renamed[path], _ = os.ReadFile(path)
		}
	}
	return n, nil
}

func (d *faultyDisk) grows(path string) {
	if _, known := d.synced[path]; !known {
		if info, err := os.Stat(path); err == nil { // else it was removed while it was open
			d.synced[path] = info.Size()
		}
	}
}

// trouble is what an operation meets, "" if nothing.
func (d *faultyDisk) trouble(op disk.Op, path string) (what string) {
	place := mediaFiles
	switch {
	case strings.HasPrefix(path, d.records):
		place = recordFiles
	case strings.HasPrefix(filepath.Base(path), tokenFile):
		place = tokenFiles
	}
	for i := range d.troubles {
		switch t := &d.troubles[i]; {
		case t.Call != place || t.What == "no space" && op != disk.OpWrite:
		case t.After > 0:
			t.After--
		case t.Times > 0:
			t.Times--
			what = t.What
		}
	}
	return what
}

// cut loses what a power cut may lose: what was written since the last sync, at any byte, and
// renames. n chooses.
func (d *faultyDisk) cut(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for path, size := range d.synced {
		if info, err := os.Stat(path); err == nil && info.Size() > size {
			_ = os.Truncate(path, size+(info.Size()-size)*int64(n%4)/4)
		}
	}
	for path, content := range d.renamed {
		switch {
		case n%2 == 0: // it was in time
		case content == nil:
			_ = os.Remove(path)
		default:
			_ = os.WriteFile(path, content, 0o600)
		}
	}
	clear(d.synced)
	clear(d.renamed)
}

// jump sets the times of all records by years, as a clock that was wrong when they were written.
func (m *machine) jump(years int) {
	at := time.Now().AddDate(years, 0, 0)
	_ = filepath.WalkDir(m.records, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			_ = os.Chtimes(path, at, at)
		}
		return nil
	})
}

// diskFaults adds the faults of a disk to those of calls.
func diskFaults(calls map[string][]string, places ...string) map[string][]string {
	all := maps.Clone(calls)
	for _, place := range places {
		all[place] = diskTroubles[place]
	}
	return all
}

// onDisk tells whether a fault is one of a disk.
func onDisk(t Trouble) bool { return diskTroubles[t.Call] != nil }

const tokenFile = "token-"
