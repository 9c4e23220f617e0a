package resume

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
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

func (k JournalKey) stored() JournalKey {
	k.Account = Key{Account: k.Account}.stored().Account
	return k
}

func (k JournalKey) name() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s", k.Account, k.Address, k.Folder))
	return "folder-" + hex.EncodeToString(sum[:16]) + ".jsonl"
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
// Terraform has them in the state, or keeps none. It is locked for this process until Close.
//
// A line says that a content is stored under a key path. Nothing can prove it, because the service
// shows no stored file. So a line counts only because nobody but this user can write the journal,
// as nobody else can write the state. A nil *Journal is turned off, or locked by another process.
type Journal struct {
	folder *folder
	name   string
	lock   *flock.Flock
	log    context.Context //nolint:containedctx // only its logger is used, by the timer's sync

	mu    sync.Mutex
	found map[Stored]Stored // by id
	file  *os.File
	timer *time.Timer // syncs
	lacks bool        // a line that could not be written
}

// Journal opens and locks the journal of a folder. If that fails the log says why: an upload must
// never fail because of it.
func (s *Store) Journal(ctx context.Context, key JournalKey) *Journal {
	f := s.open(ctx)
	if f == nil {
		return nil
	}
	key = key.stored()
	j := &Journal{folder: f, name: key.name(), log: ctx, found: map[Stored]Stored{}}
	var err error
	if j.lock, err = f.lock(j.name); j.lock == nil {
		f.close()
		reason := "another process uploads the same folder"
		if err != nil {
			reason = err.Error()
		}
		tflog.Warn(ctx, "the files of the folder that are stored are not recorded", map[string]any{"journal": j.name, "reason": reason})
		return nil
	}
	if err := j.open(key); err != nil {
		tflog.Warn(ctx, "the files of the folder that are stored are not recorded", map[string]any{"journal": j.name, "reason": Cause(err).Error()})
		j.Close(false)
		return nil
	}
	return j
}

// open reads what the journal holds and prepares it for more. A journal of another version or folder
// is emptied. A crash may have left its last line incomplete.
func (j *Journal) open(key JournalKey) error {
	var err error
	if j.file, err = j.folder.openFile(j.name, os.O_RDWR|os.O_CREATE|os.O_APPEND); err != nil {
		return err
	}
	valid, err := j.read(key)
	if err != nil {
		return err
	}
	if valid > 0 {
		return j.file.Truncate(valid)
	}
	clear(j.found)
	if err := j.file.Truncate(0); err != nil {
		return err
	}
	return j.append(journalHead{journalVersion, key})
}

// read returns up to where the journal can be used, 0 if it cannot at all.
func (j *Journal) read(key JournalKey) (valid int64, err error) {
	lines := bufio.NewReader(io.LimitReader(j.file, maxJournal))
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return valid, nil
		}
		if err != nil {
			return 0, err
		}
		if valid == 0 && !isHead(line, key) {
			return 0, nil
		}
		if valid > 0 {
			stored, ok := parseStored(line)
			if !ok {
				return valid, nil
			}
			j.found[stored.id()] = stored
		}
		valid += int64(len(line))
	}
}

func isHead(line []byte, key JournalKey) bool {
	var head journalHead
	return json.Unmarshal(line, &head) == nil && head == (journalHead{journalVersion, key})
}

func parseStored(line []byte) (s Stored, ok bool) {
	err := json.Unmarshal(line, &s)
	return s, err == nil && strings.HasPrefix(s.KeyPath, "vod/input/") && strings.Count(s.KeyPath, "/") == 4
}

func (j *Journal) append(line any) error {
	content, err := json.Marshal(line)
	if err != nil {
		return err
	}
	_, err = j.file.Write(append(content, '\n'))
	return err
}

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
// and synced at most once a second, for a machine that loses power.
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

// Close removes the journal if the upload of the folder is over, and unlocks it. It reports whether the
// journal has every file that was added.
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
		_ = j.file.Close()
	}
	if over {
		j.folder.remove(j.name)
	}
	_ = j.lock.Unlock()
	j.folder.close()
	return !j.lacks
}
