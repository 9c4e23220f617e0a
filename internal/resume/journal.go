package resume

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/hashicorp/terraform-plugin-log/tflog"
)

const (
	journalVersion = 1
	// maxJournal is the largest journal in bytes that is read: about 200,000 files.
	maxJournal = 64 << 20
)

// JournalKey is what a journal is looked up by.
type JournalKey struct {
	Account string `json:"account"` // as in Key
	Address string `json:"address"` // as in Key
	Folder  string `json:"folder"`  // absolute path, or what an action uploads of it
}

// Stored is a file that is stored, as a journal has it: what it is found by, and what is known of it.
type Stored struct {
	SHA256      string `json:"sha256"` // lower-case hex
	Size        int64  `json:"size"`   // bytes
	FileName    string `json:"file_name"`
	ContentType string `json:"content_type"`

	KeyPath    string `json:"key_path,omitempty"`
	ETag       string `json:"etag,omitempty"`
	UploadedAt string `json:"uploaded_at,omitempty"`
}

// id is the part of a line that the file is found by.
func (s Stored) id() Stored {
	return Stored{SHA256: s.SHA256, Size: s.Size, FileName: s.FileName, ContentType: s.ContentType}
}

// journalHead is the first line of a journal.
type journalHead struct {
	Version int        `json:"version"`
	Key     JournalKey `json:"key"`
}

// Journal lists the files of a folder that a run has stored, for the case that it is killed before
// Terraform has them in the state, or keeps none. It is locked for this process until Close. Nothing
// proves a line, because the service shows no stored file: it counts because nobody but this user can
// write the journal. A nil *Journal is turned off, or locked by another process.
type Journal struct {
	folder *folder
	name   string
	lock   *flock.Flock
	log    context.Context //nolint:containedctx // only its logger is used

	mu    sync.Mutex
	found map[Stored]Stored // by id
	file  *os.File
	timer *time.Timer // to the next sync; nil: every line is synced
	lacks bool        // a line that could not be written
}

// Journal opens and locks the journal of a folder. If that fails the log says why.
func (s *Store) Journal(ctx context.Context, key JournalKey) *Journal {
	f := s.open(ctx)
	if f == nil {
		return nil
	}
	key.Account = digest(key.Account)
	name := "folder-" + digest(fmt.Sprintf("%s\n%s\n%s", key.Account, key.Address, key.Folder)) + ".jsonl"
	j := &Journal{folder: f, name: name, log: ctx, found: map[Stored]Stored{}}
	if err := j.open(key); err != nil {
		tflog.Warn(ctx, "the files of the folder that are stored are not recorded", map[string]any{"journal": j.name, "reason": Cause(err).Error()})
		j.Close(false)
		return nil
	}
	return j
}

// open locks the journal, reads what it holds, and prepares it for more. A journal of another version
// or folder is emptied.
func (j *Journal) open(key JournalKey) (err error) {
	if j.lock, err = j.folder.lock(j.name); err != nil {
		return err
	}
	if j.lock == nil {
		return errors.New("another process uploads the same folder")
	}
	if j.file, err = j.folder.openFile(j.name, os.O_RDWR|os.O_CREATE|os.O_APPEND); err != nil {
		return err
	}
	valid, err := j.read(key)
	if err != nil {
		return err
	}
	if err := j.file.Truncate(valid); err != nil {
		return err
	}
	if valid == 0 {
		return j.append(journalHead{journalVersion, key})
	}
	_, err = j.file.WriteString("\n")
	return err
}

// read returns the size of what can be used of the journal. An error says that the disk could not be
// read, which tells nothing of the journal.
func (j *Journal) read(key JournalKey) (valid int64, err error) {
	content, err := io.ReadAll(io.LimitReader(j.file, maxJournal))
	if err == nil {
		valid = j.parse(content, key)
	}
	return valid, err
}

// parse returns the size of what can be used of a content, 0 if nothing can. A crash may have left its
// last line incomplete.
func (j *Journal) parse(content []byte, key JournalKey) (valid int64) {
	lines := json.NewDecoder(bytes.NewReader(content))
	var head journalHead
	if lines.Decode(&head) != nil || head != (journalHead{journalVersion, key}) {
		return 0
	}
	for {
		valid = lines.InputOffset()
		var s Stored
		if lines.Decode(&s) != nil || !strings.HasPrefix(s.KeyPath, "vod/input/") || strings.Count(s.KeyPath, "/") != 4 {
			return valid
		}
		j.found[s.id()] = s
	}
}

func (j *Journal) append(line any) error { return json.NewEncoder(j.file).Encode(line) }

// Found returns and removes the line of a file that an earlier run has stored. So two files never
// share one object.
func (j *Journal) Found(file Stored) (Stored, bool) {
	if j == nil {
		return Stored{}, false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	s, ok := j.found[file.id()]
	delete(j.found, file.id())
	return s, ok
}

// Add records a file that is stored. The line is written at once, so that it outlives this process,
// and synced within a second, for a machine that loses power.
func (j *Journal) Add(s Stored) {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.append(s); err != nil {
		j.lacks = true
		tflog.Warn(j.log, "a stored file of a folder is not recorded", map[string]any{"journal": j.name, "error": Cause(err).Error()})
	}
	if j.timer == nil {
		j.timer = time.AfterFunc(recordInterval, j.sync)
	}
}

func (j *Journal) sync() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.timer = nil
	_ = j.file.Sync() // the journal is a hint: without it, files are sent again
}

// Close removes the journal if the upload of the folder is over. complete: it had every file added.
func (j *Journal) Close(over bool) (complete bool) {
	if j == nil {
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.timer != nil {
		j.timer.Stop()
	}
	if j.file != nil {
		if !over {
			_ = j.file.Sync()
		}
		_ = j.file.Close()
	}
	if over {
		_ = j.folder.root.Remove(j.name)
	}
	if j.lock != nil {
		_ = j.lock.Unlock()
	}
	j.folder.close()
	return !j.lacks
}
