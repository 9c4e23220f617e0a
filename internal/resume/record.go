package resume

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

const (
	recordInterval = time.Second // between two writes of a record, so that they do not slow an upload down
	lockInterval   = 200 * time.Millisecond
)

// Key is what an upload is looked up by. There is one record for a key.
type Key struct {
	Address  string `json:"address"` // vod_base_url, normalized
	SHA256   string `json:"sha256"`  // lower-case hex
	Size     int64  `json:"size"`    // bytes
	FileName string `json:"file_name"`
}

func (k Key) file() string {
	return "upload-" + digest(fmt.Sprintf("%s\n%s\n%d\n%s", k.Address, k.SHA256, k.Size, k.FileName)) + ".json"
}

// Upload is an upload in parts that can be continued or, with Stored, a complete upload.
type Upload struct {
	UploadID string
	KeyPath  string
	PartSize int64 // bytes
	Parts    []transfer.Part
	Stored   *Stored // nil: the upload is not complete

	ContentType string // of a complete single PUT
}

// Stored is a stored file as the service and storage describe it, "" for what they left out.
type Stored struct {
	KeyPath    string `json:"key_path"`
	ETag       string `json:"etag,omitempty"` // as the header or the response had it
	Location   string `json:"location,omitempty"`
	Bucket     string `json:"bucket,omitempty"`
	Encryption string `json:"encryption,omitempty"`
	VersionID  string `json:"version_id,omitempty"`
	UploadedAt string `json:"uploaded_at"`     // RFC 3339, this machine's clock
	Parts      int64  `json:"parts,omitempty"` // 0 for a single PUT
}

// Record is the record of a key, which one operation has until Close. The methods of a nil *Record
// do nothing.
type Record struct {
	store  *Store
	key    Key
	unlock func()
	log    context.Context //nolint:containedctx // only its logger is used, by the timer's write

	mu       sync.Mutex
	snapshot func() *Upload // of the upload as it is now; nil: all is written
	written  time.Time
	timer    *time.Timer
}

// Open locks the record of a key. It waits while another process has the lock, which uploads the
// same file or is about to end. The record is nil if an operation of this process uses it or has
// used it, so that two resources never get one object, and if it cannot be locked.
func (s *Store) Open(ctx context.Context, key Key) (*Record, error) {
	s.mu.Lock()
	used := s.used[key]
	s.used[key] = true
	s.mu.Unlock()
	if used {
		return nil, nil //nolint:nilnil // nothing is recorded
	}
	ticker := time.NewTicker(lockInterval)
	defer ticker.Stop()
	for waiting := false; ; waiting = true {
		unlock, err := s.files(ctx).lock(key.file())
		if err != nil {
			redact.Warn(ctx, "the upload is not recorded: its record cannot be locked", map[string]any{"record": key.file(), "error": err.Error()})
			return nil, nil //nolint:nilnil // nothing is recorded
		}
		if unlock != nil {
			return &Record{store: s, key: key, unlock: unlock, log: context.WithoutCancel(ctx)}, nil
		}
		if !waiting {
			redact.Info(ctx, "another process uploads the same file: waiting for it", map[string]any{"file_name": key.FileName})
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Upload returns what is recorded, nil if nothing is.
func (r *Record) Upload() *Upload {
	if r == nil {
		return nil
	}
	return r.store.read(r.log, r.key)
}

// Changed writes what snapshot returns, at most once a second.
func (r *Record) Changed(snapshot func() *Upload) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.snapshot = snapshot
	if wait := recordInterval - time.Since(r.written); wait <= 0 {
		r.write()
	} else if r.timer == nil {
		r.timer = time.AfterFunc(wait, r.Flush)
	}
}

// Flush writes what is not written yet.
func (r *Record) Flush() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.write()
}

// write needs r.mu. The interval begins after the write, so that a slow disk is not always busy.
func (r *Record) write() {
	r.timer = nil
	if r.snapshot == nil {
		return
	}
	r.store.write(r.log, r.key, r.snapshot())
	r.snapshot, r.written = nil, time.Now()
}

// Close writes what is not written yet, and lets other processes have the record.
func (r *Record) Close() {
	if r == nil {
		return
	}
	r.Flush()
	r.unlock()
}

// Recorded returns what is recorded under a key that no operation of this process uses, nil if
// nothing is.
func (s *Store) Recorded(ctx context.Context, key Key) *Upload {
	s.mu.Lock()
	used := s.used[key]
	s.mu.Unlock()
	if used {
		return nil
	}
	return s.read(ctx, key)
}

// Keep records an unfinished upload that a state has, unless there is a record: that one is newer,
// or an operation of this process uses it.
func (s *Store) Keep(ctx context.Context, key Key, u Upload) {
	s.mu.Lock()
	used := s.used[key]
	s.mu.Unlock()
	if !used && s.read(ctx, key) == nil {
		s.write(ctx, key, &u)
	}
}

// Shown removes the record of a key if it has the key path, which a state has shown.
func (s *Store) Shown(ctx context.Context, key Key, keyPath string) {
	if u := s.read(ctx, key); u != nil && u.KeyPath == keyPath {
		s.write(ctx, key, nil)
	}
}

// read returns what is recorded under a key, nil if nothing can be used.
func (s *Store) read(ctx context.Context, key Key) *Upload {
	content, err := s.files(ctx).read(key.file())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var u *Upload
	if err == nil {
		u, err = decodeRecord(content, key)
	}
	if err != nil {
		redact.Warn(ctx, "the record of an upload is ignored", map[string]any{"record": key.file(), "error": err.Error()})
	}
	return u
}

// write replaces the record of a key, or removes it if u is nil. An upload never fails because of
// its record.
func (s *Store) write(ctx context.Context, key Key, u *Upload) {
	var err error
	if u == nil {
		err = s.files(ctx).remove(key.file())
	} else {
		err = s.files(ctx).write(key.file(), encodeRecord(key, u))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		redact.Warn(ctx, "the record of an upload cannot be written", map[string]any{"record": key.file(), "error": err.Error()})
	}
}

// recordFile is a record as JSON. It has no secret and no upload address.
type recordFile struct {
	Key      Key          `json:"key"`
	UploadID string       `json:"upload_id,omitempty"`
	KeyPath  string       `json:"key_path"`
	PartSize int64        `json:"part_size,omitempty"`
	Parts    []recordPart `json:"parts,omitempty"`
	Stored   *Stored      `json:"stored,omitempty"`

	ContentType string `json:"content_type,omitempty"`
}

func encodeRecord(key Key, u *Upload) []byte {
	file := recordFile{Key: key, UploadID: u.UploadID, KeyPath: u.KeyPath, PartSize: u.PartSize, Stored: u.Stored, ContentType: u.ContentType}
	for _, p := range u.Parts {
		file.Parts = append(file.Parts, newRecordPart(p))
	}
	content, _ := json.Marshal(file) // numbers and texts
	return content
}

func decodeRecord(content []byte, key Key) (*Upload, error) {
	var file recordFile
	if err := json.Unmarshal(content, &file); err != nil {
		return nil, err
	}
	switch {
	case file.Key != key:
		return nil, errors.New("it is of another upload")
	case file.KeyPath == "" || !isPlain(file.KeyPath) || !isPlain(file.UploadID),
		file.Stored == nil && (file.UploadID == "" || file.PartSize < 1),
		file.Stored != nil && file.Stored.KeyPath != file.KeyPath:
		return nil, errors.New("it names no upload of the service")
	}
	u := &Upload{UploadID: file.UploadID, KeyPath: file.KeyPath, PartSize: file.PartSize, Stored: file.Stored, ContentType: file.ContentType}
	for _, recorded := range file.Parts {
		part, err := recorded.part(file.PartSize, key.Size)
		if err != nil {
			return nil, err
		}
		u.Parts = append(u.Parts, part)
	}
	return u, nil
}
