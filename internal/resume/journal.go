package resume

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/keypath"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/regularfile"
)

const (
	journalVersion = 1
	maxLine        = 64 << 10 // bytes of a line that is read
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
// write the journal. A line that cannot be read costs no other one. A nil *Journal is turned off, or
// locked by another process.
type Journal struct {
	folder *folder
	name   string
	head   journalHead
	lock   *flock.Flock
	log    context.Context //nolint:containedctx // only its logger is used

	mu    sync.Mutex
	lines map[string]Stored   // in the file, by key path
	found map[Stored][]string // by id: key paths of the lines of earlier runs
	file  *regularfile.File
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
	j := &Journal{folder: f, name: name, head: journalHead{journalVersion, key}, log: ctx, lines: map[string]Stored{}, found: map[Stored][]string{}}
	if err := j.open(); err != nil {
		tflog.Warn(ctx, "the files of the folder that are stored are not recorded", map[string]any{"journal": j.name, "reason": regularfile.Cause(err).Error()})
		j.release()
		return nil
	}
	return j
}

// open locks the journal and reads what it holds. A journal of another version or folder is emptied.
func (j *Journal) open() (err error) {
	if j.lock, err = j.folder.lock(j.name); err != nil {
		return err
	}
	if j.lock == nil {
		return errors.New("another process uploads the same folder")
	}
	j.file, err = j.folder.openFile(j.name, os.O_RDWR|os.O_APPEND)
	if err == nil {
		var usable bool
		if usable, err = j.read(); err != nil || usable {
			return err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return j.rewrite()
}

// read reads the lines, and reports whether the journal is of this version and folder. An error says
// that the disk could not be read, which tells nothing of the journal.
func (j *Journal) read() (usable bool, err error) {
	lines := bufio.NewReaderSize(j.file, maxLine)
	skip := false // the rest of a line that is too long
	for {
		line, partial, err := lines.ReadLine()
		switch {
		case errors.Is(err, io.EOF):
			return usable, nil
		case err != nil:
			return false, err
		case !usable:
			var head journalHead
			_ = json.Unmarshal(line, &head) // else it is another head
			if usable = head == j.head; !usable {
				return false, nil
			}
		case !skip && !partial:
			j.parse(line)
		}
		skip = partial
	}
}

// parse takes in a line, which a crash or a full disk may have left in any state.
func (j *Journal) parse(line []byte) {
	var s Stored
	if json.Unmarshal(line, &s) != nil {
		return
	}
	if _, err := keypath.Parse(s.KeyPath); err != nil {
		return
	}
	if !redact.ValidETag(s.ETag) {
		s.ETag = ""
	}
	if _, err := time.Parse(time.RFC3339, s.UploadedAt); err != nil {
		s.UploadedAt = ""
	}
	if _, twice := j.lines[s.KeyPath]; !twice {
		j.lines[s.KeyPath] = s
		j.found[s.id()] = append(j.found[s.id()], s.KeyPath)
	}
}

// append writes a line. The one before it may have been cut short, so that it has no end.
func (j *Journal) append(line any) error {
	if j.file == nil {
		return errors.New("the journal could not be written before")
	}
	content, err := json.Marshal(line)
	if err == nil {
		_, err = fmt.Fprintf(j.file, "\n%s\n", content)
	}
	return err
}

// rewrite replaces the file by one that holds the lines and nothing else, in one step: a process that is
// killed meanwhile loses none of them. Where that fails, it writes them in place.
func (j *Journal) rewrite() (err error) {
	var content bytes.Buffer
	encoder := json.NewEncoder(&content)
	_ = encoder.Encode(j.head) // a buffer takes everything
	for _, s := range j.lines {
		_ = encoder.Encode(s)
	}
	if j.file != nil {
		_ = j.file.Close() // Windows replaces no open file
		j.file = nil
	}
	failed := j.folder.write(j.name, content.Bytes())
	j.folder.sync()
	if j.file, err = j.folder.openFile(j.name, os.O_RDWR|os.O_APPEND); err != nil || failed == nil {
		return err
	}
	// There is no room for a second file, or another program has this one open.
	if err = j.file.Truncate(0); err == nil {
		_, err = j.file.Write(content.Bytes())
	}
	return err
}

// Found returns the line of a file that an earlier run has stored. It returns a line once, so that two
// files never share one object.
func (j *Journal) Found(file Stored) (Stored, bool) {
	if j == nil {
		return Stored{}, false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	keyPaths := j.found[file.id()]
	if len(keyPaths) == 0 {
		return Stored{}, false
	}
	j.found[file.id()] = keyPaths[1:]
	return j.lines[keyPaths[0]], true
}

// Add records a file that is stored. The line is written at once, so that it outlives this process,
// and synced within a second, for a machine that loses power.
func (j *Journal) Add(s Stored) {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines[s.KeyPath] = s
	if err := j.append(s); err != nil {
		j.lacks = true
		tflog.Warn(j.log, "a stored file of a folder is not recorded", map[string]any{"journal": j.name, "error": regularfile.Cause(err).Error()})
	}
	if j.timer == nil {
		j.timer = time.AfterFunc(recordInterval, j.sync)
	}
}

func (j *Journal) sync() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.timer = nil
	if j.file != nil {
		_ = j.file.Sync() // the journal is a hint: without it, files are sent again
	}
}

// Remove removes the lines of these files, because a state gets them: no other one may find them here.
func (j *Journal) Remove(keyPaths []string) {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, keyPath := range keyPaths {
		delete(j.lines, keyPath)
	}
	if err := j.rewrite(); err != nil {
		tflog.Warn(j.log, "the files of a folder are recorded no more", map[string]any{"journal": j.name, "error": regularfile.Cause(err).Error()})
		_ = j.folder.remove(j.name)
	}
}

// Whole reports whether the journal has every file that was added.
func (j *Journal) Whole() bool {
	if j == nil {
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return !j.lacks
}

// Close removes the journal if it has no lines, or if the upload of the folder is over.
func (j *Journal) Close(over bool) {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.timer != nil {
		j.timer.Stop()
	}
	if over = over || len(j.lines) == 0; j.file != nil {
		if !over {
			_ = j.file.Sync()
		}
		_ = j.file.Close() // Windows removes no open file
		j.file = nil
	}
	if over {
		_ = j.folder.remove(j.name)
	}
	j.release()
}

func (j *Journal) release() {
	if j.file != nil {
		_ = j.file.Close()
	}
	if j.lock != nil {
		_ = j.lock.Unlock()
	}
	j.folder.close()
}
