package resume

import (
	"context"
	"crypto/md5" //nolint:gosec // S3's ETags are MD5; the content is proved by SHA-256
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/disk"
	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

const (
	recordVersion  = 3
	idLimit        = 1 << 10     // bytes of an upload id or a key path, as in the service's responses
	recordInterval = time.Second // between two writes, so that records do not slow an upload down
	lockInterval   = 200 * time.Millisecond
)

// Key is what an upload in parts is looked up by. There is one record for a key.
type Key struct {
	Address  string `json:"address"` // vod_base_url, normalized
	SHA256   string `json:"sha256"`  // lower-case hex
	Size     int64  `json:"size"`
	FileName string `json:"file_name"`
}

func (k Key) file() string {
	return "upload-" + hashed(fmt.Sprintf("%s\n%s\n%d\n%s", k.Address, k.SHA256, k.Size, k.FileName)) + ".json"
}

func hashed(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}

// Upload is an upload in parts that can be continued or, with Stored, any that is an object.
type Upload struct {
	UploadID string
	KeyPath  string
	PartSize int64 // bytes
	Parts    []transfer.Part
	Stored   *Stored // nil: it is not complete

	ContentType string // of a single PUT
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

// recordFile is a record as JSON. It holds no secret and no presigned address.
type recordFile struct {
	Version  int          `json:"version"`
	Key      Key          `json:"key"`
	UploadID string       `json:"upload_id"`
	KeyPath  string       `json:"key_path"`
	PartSize int64        `json:"part_size"`
	Parts    []recordPart `json:"parts,omitempty"`
	Stored   *Stored      `json:"stored,omitempty"`

	ContentType string `json:"content_type,omitempty"`
}

type recordPart struct {
	Number   int    `json:"number"`
	MD5      string `json:"md5"`
	ETag     string `json:"etag"`
	Checksum string `json:"checksum,omitempty"` // as in transfer.Part
}

// Record is the record of a key, which is this operation's own until Close. The methods of a nil
// *Record do nothing.
type Record struct {
	store  *Store
	key    Key
	folder *disk.Folder // nil: it is in memory
	lock   *flock.Flock
	log    context.Context //nolint:containedctx // only its logger is used, by the timer's write

	mu       sync.Mutex
	snapshot func() *Upload // as it is now; nil: all is written
	written  time.Time
	timer    *time.Timer
}

// Open takes the record of a key, and waits while another process has it: it sends the same file,
// or is about to end with the CLI that started it. The record is nil if an operation of this
// process has or had it, so that two resources never get one object.
func (s *Store) Open(ctx context.Context, key Key) (*Record, error) {
	s.mu.Lock()
	had := s.taken[key.file()]
	s.taken[key.file()] = true
	s.mu.Unlock()
	if had {
		return nil, nil //nolint:nilnil // nothing is recorded
	}
	r := &Record{store: s, key: key, folder: s.open(ctx), log: context.WithoutCancel(ctx)}
	for waits := false; r.folder != nil; waits = true {
		lock, err := r.folder.Lock(key.file())
		if err != nil && !errors.Is(err, disk.ErrLockRemoved) {
			tflog.Warn(ctx, "the upload is not recorded: its lock cannot be used", map[string]any{"record": key.file(), "error": err.Error()})
			r.folder.Close()
			return nil, nil //nolint:nilnil // nothing is recorded
		}
		if lock != nil {
			r.lock = lock
			return r, nil
		}
		if !waits {
			tflog.Info(ctx, "another process uploads the same file: waiting for it", map[string]any{"file_name": key.FileName})
		}
		select {
		case <-time.After(lockInterval):
		case <-ctx.Done():
			r.folder.Close()
			return nil, context.Cause(ctx)
		}
	}
	return r, nil
}

// Lasts reports whether the record outlives this process, unreadable for others.
func (r *Record) Lasts() bool { return r != nil && r.folder != nil }

// Upload is what the record has, nil if it has nothing that can be used.
func (r *Record) Upload() *Upload {
	if r == nil {
		return nil
	}
	return r.store.read(r.log, r.folder, r.key)
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

// Flush writes at once what is not written yet.
func (r *Record) Flush() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.write()
}

// write must be called with r.mu locked. The interval starts after it, so that a slow disk is not
// busy all the time.
func (r *Record) write() {
	r.timer = nil
	if r.snapshot == nil {
		return
	}
	u := r.snapshot()
	r.snapshot = nil
	r.store.write(r.log, r.folder, r.key, u)
	r.written = time.Now()
}

// Close writes what is not written yet, and lets others have the record.
func (r *Record) Close() {
	if r == nil {
		return
	}
	r.Flush()
	if r.folder != nil {
		_ = r.lock.Unlock()
		r.folder.Close()
	}
}

// Keep records an unfinished upload that a state has, unless there is a record: that is newer, or
// of an upload that goes on.
func (s *Store) Keep(ctx context.Context, key Key, u Upload) {
	f := s.open(ctx)
	if f != nil {
		defer f.Close()
	}
	if !s.takenHere(key) && s.read(ctx, f, key) == nil {
		s.write(ctx, f, key, &u)
	}
}

func (s *Store) takenHere(key Key) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken[key.file()]
}

// Shown removes the record of a key path that a state has shown.
func (s *Store) Shown(ctx context.Context, key Key, keyPath string) {
	f := s.open(ctx)
	if f != nil {
		defer f.Close()
	}
	if u := s.read(ctx, f, key); u != nil && u.KeyPath == keyPath {
		s.write(ctx, f, key, nil)
	}
}

// read returns what the record of a key has, nil if it has nothing that can be used.
func (s *Store) read(ctx context.Context, f *disk.Folder, key Key) *Upload {
	var content []byte
	var err error
	if f == nil {
		s.mu.Lock()
		content = s.memory[key.file()]
		s.mu.Unlock()
	} else if f.Has(key.file()) {
		content, err = f.Read(key.file())
	}
	if content == nil && err == nil {
		return nil
	}
	u, problem := decodeRecord(content, key)
	if err = errors.Join(err, problem); err != nil {
		tflog.Warn(ctx, "the record of an upload is ignored", map[string]any{"record": key.file(), "error": err.Error()})
		return nil
	}
	return u
}

// write replaces the record of a key, or removes it: nil. An upload never fails because of it.
func (s *Store) write(ctx context.Context, f *disk.Folder, key Key, u *Upload) {
	var content []byte
	if u != nil {
		file := recordFile{Version: recordVersion, Key: key, UploadID: u.UploadID, KeyPath: u.KeyPath, PartSize: u.PartSize, Stored: u.Stored, ContentType: u.ContentType}
		for _, p := range u.Parts {
			file.Parts = append(file.Parts, recordPart{p.Number, hex.EncodeToString(p.MD5[:]), p.ETag, p.Checksum})
		}
		content, _ = json.Marshal(file) // numbers and text
	}
	var err error
	switch {
	case f == nil:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.memory[key.file()] = content
	case u == nil:
		err = f.Remove(key.file())
	default:
		err = f.Write(key.file(), content)
		f.Sync()
	}
	if err != nil {
		tflog.Warn(ctx, "the record of an upload cannot be written", map[string]any{"record": key.file(), "error": err.Error()})
	}
}

// decodeRecord reads a record, which a crash or another program may have left in any state.
func decodeRecord(content []byte, key Key) (*Upload, error) {
	var f recordFile
	if err := json.Unmarshal(content, &f); err != nil {
		return nil, errors.New("it is not complete JSON")
	}
	switch {
	case f.Version != recordVersion:
		return nil, fmt.Errorf("it has version %d, this provider reads %d", f.Version, recordVersion)
	case f.Key != key:
		return nil, errors.New("it is of another upload")
	case f.KeyPath == "" || f.Stored == nil && (f.UploadID == "" || f.PartSize < 1) || f.Stored != nil && f.Stored.KeyPath != f.KeyPath:
		return nil, errors.New("it names no upload")
	case !parse.Safe(f.UploadID+f.KeyPath) || len(f.UploadID) > idLimit || len(f.KeyPath) > idLimit:
		return nil, errors.New("it names an upload that the service has not made")
	}
	u := &Upload{UploadID: f.UploadID, KeyPath: f.KeyPath, PartSize: f.PartSize, Stored: f.Stored, ContentType: f.ContentType}
	count := transfer.PartCount(key.Size, max(f.PartSize, 1))
	for _, p := range f.Parts {
		sum, err := hex.DecodeString(p.MD5)
		if err != nil || len(sum) != md5.Size || p.ETag == "" || !parse.ValidETag(p.ETag) || len(p.Checksum) > idLimit || p.Number < 1 || p.Number > count {
			return nil, errors.New("a part of it cannot be read")
		}
		u.Parts = append(u.Parts, transfer.Part{
			Number: p.Number, MD5: [md5.Size]byte(sum), ETag: p.ETag, Checksum: p.Checksum, Trusted: true,
			Size: min(f.PartSize, key.Size-int64(p.Number-1)*f.PartSize),
		})
	}
	slices.SortFunc(u.Parts, func(a, b transfer.Part) int { return a.Number - b.Number })
	return u, nil
}
