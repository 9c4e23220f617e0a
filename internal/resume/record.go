package resume

import (
	"context"
	"crypto/md5" //nolint:gosec // S3's ETags are MD5; the content is proved by SHA-256
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/etag"
	"github.com/vodlive/terraform-provider-vodlive/internal/quote"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

const (
	recordVersion  = 1
	idLimit        = 1 << 10     // bytes of an upload id or a key path, as in the service's responses
	recordInterval = time.Second // between two writes, so that records do not slow an upload down
)

// Unfinished is what any process needs to continue an unfinished multipart upload. It has no
// secret.
type Unfinished struct {
	UploadID string
	KeyPath  string
	PartSize int64 // bytes
	Parts    []transfer.Part

	Completing bool // the request that completes the upload may have been sent, and was not answered
}

// StoredParts returns the number of stored parts. A part that is listed twice counts once.
func (u *Unfinished) StoredParts() int { return u.count(func(transfer.Part) bool { return true }) }

// ReusableParts returns the number of parts that have an ETag or a checksum that proves their
// content.
func (u *Unfinished) ReusableParts() int {
	return u.count(func(p transfer.Part) bool { return p.ETagIsMD5() || p.Checksum != "" })
}

func (u *Unfinished) count(counts func(transfer.Part) bool) int {
	numbers := map[int]bool{}
	for _, p := range u.Parts {
		if counts(p) {
			numbers[p.Number] = true
		}
	}
	return len(numbers)
}

// Key is what an upload is looked up by. Uploads that differ in any field are different uploads.
type Key struct {
	Account  string `json:"account"` // stored as a hash: it may be a mail address or a command
	Address  string `json:"address"` // vod_base_url, normalized
	SHA256   string `json:"sha256"`  // lower-case hex
	Size     int64  `json:"size"`
	PartSize int64  `json:"part_size"`
	FileName string `json:"file_name"`
}

// name is the file of the record of a key, whose account is hashed.
func (k Key) name() string {
	return "upload-" + hashed(fmt.Sprintf("%s\n%s\n%s\n%d\n%d\n%s", k.Account, k.Address, k.SHA256, k.Size, k.PartSize, k.FileName)) + ".json"
}

func hashed(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}

// recordFile is the record as JSON. It holds no secret and no presigned address.
type recordFile struct {
	Version  int          `json:"version"`
	Key      Key          `json:"key"`
	UploadID string       `json:"upload_id"`
	KeyPath  string       `json:"key_path"`
	Parts    []recordPart `json:"parts"`

	Completing bool      `json:"completing,omitempty"`
	Updated    time.Time `json:"updated"`
}

type recordPart struct {
	Number   int    `json:"number"`
	MD5      string `json:"md5"`
	ETag     string `json:"etag"`
	Checksum string `json:"checksum,omitempty"` // as in transfer.Part
}

// Record is the unfinished upload of one key on this machine, locked for this process until Close.
// A nil *Record is turned off, or locked by another process: its methods do nothing.
type Record struct {
	store  *Store
	folder *folder
	name   string
	key    Key // as stored
	lock   *flock.Flock
	found  *Unfinished
	log    context.Context //nolint:containedctx // only its logger is used, by the timer's write

	mu       sync.Mutex
	snapshot func() *Unfinished // as it is now; nil until there is something to write
	written  time.Time
	timer    *time.Timer
}

// Record opens and locks the record of a key. If that fails, the log says why: an upload must never
// fail because of its record. elsewhere is the id of the upload that another process with this
// record works on. Operations of one process agree among themselves, because the one that has the
// record may work on another upload than the recorded one.
func (s *Store) Record(ctx context.Context, key Key) (r *Record, elsewhere string) {
	f := s.open(ctx)
	if f == nil {
		return nil, ""
	}
	key.Account = hashed(key.Account)
	name := key.name()
	lock, own, err := s.lock(f, name)
	if lock != nil {
		return &Record{store: s, folder: f, name: name, key: key, lock: lock, log: ctx, found: readRecord(ctx, f, name, key)}, ""
	}
	defer f.close()
	if err != nil {
		tflog.Warn(ctx, "the upload is not recorded: its lock cannot be used", map[string]any{"lock": name + lockSuffix, "error": err.Error()})
		return nil, ""
	}
	tflog.Info(ctx, "the same file is being uploaded already: this is an upload of its own", map[string]any{"file_name": key.FileName})
	if u := readRecord(ctx, f, name, key); u != nil && !own {
		elsewhere = u.UploadID
	}
	return nil, elsewhere
}

// Disown removes the records of other uploads that name an upload id, when the upload of key
// continues it: what that upload makes is not theirs. A record that another process has stays, and
// that process finds out from storage.
func (s *Store) Disown(ctx context.Context, key Key, uploadID string) {
	f := s.open(ctx)
	if f == nil {
		return
	}
	defer f.close()
	key.Account = hashed(key.Account)
	entries, _ := fs.ReadDir(f.root.FS(), ".")
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, "upload-") || !strings.HasSuffix(name, ".json") || !ownName.MatchString(name) || name == key.name() {
			continue
		}
		content, err := f.read(name)
		var other recordFile
		if err != nil || json.Unmarshal(content, &other) != nil || other.UploadID != uploadID {
			continue
		}
		if lock, _, err := s.lock(f, name); err == nil && lock != nil {
			_ = f.remove(name)
			s.unlock(name, lock)
		}
	}
}

// lock takes the lock of a record. own reports that another operation of this process has it.
func (s *Store) lock(f *folder, name string) (lock *flock.Flock, own bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own = s.held[name]
	if lock, err = f.lock(name); lock != nil {
		s.held[name] = true
	}
	return lock, own, err
}

func (s *Store) unlock(name string, lock *flock.Flock) {
	s.mu.Lock()
	delete(s.held, name)
	s.mu.Unlock()
	_ = lock.Unlock()
}

// readRecord returns the recorded upload, nil if there is none that can be used.
func readRecord(ctx context.Context, f *folder, name string, key Key) *Unfinished {
	content, err := f.read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var u *Unfinished
	if err == nil {
		u, err = parseRecord(content, key)
	}
	if err != nil {
		tflog.Warn(ctx, "the record of an unfinished upload is ignored", map[string]any{"record": name, "error": err.Error()})
		return nil
	}
	return u
}

// parseRecord reads a record, which a crash or another program may have left in any state.
func parseRecord(content []byte, key Key) (*Unfinished, error) {
	var f recordFile
	if err := json.Unmarshal(content, &f); err != nil {
		return nil, errors.New("it is not complete JSON")
	}
	switch {
	case f.Version != recordVersion:
		return nil, fmt.Errorf("it has version %d, this provider reads %d", f.Version, recordVersion)
	case f.Key != key:
		return nil, errors.New("it is of another upload")
	case f.UploadID == "" || f.KeyPath == "":
		return nil, errors.New("it names no upload")
	case !quote.Safe(f.UploadID+f.KeyPath) || len(f.UploadID) > idLimit || len(f.KeyPath) > idLimit:
		return nil, errors.New("it names an upload that the service has not made")
	}
	u := &Unfinished{UploadID: f.UploadID, KeyPath: f.KeyPath, PartSize: key.PartSize, Completing: f.Completing}
	count := transfer.PartCount(key.Size, key.PartSize)
	for _, p := range f.Parts {
		sum, err := hex.DecodeString(p.MD5)
		if err != nil || len(sum) != md5.Size || p.ETag == "" || !etag.Valid(p.ETag) || len(p.Checksum) > idLimit || p.Number < 1 || p.Number > count {
			return nil, errors.New("a part of it cannot be read")
		}
		u.Parts = append(u.Parts, transfer.Part{
			Number: p.Number, MD5: [md5.Size]byte(sum), ETag: p.ETag, Checksum: p.Checksum,
			Size: min(key.PartSize, key.Size-int64(p.Number-1)*key.PartSize),
		})
	}
	return u, nil
}

// Found is the upload that the record held when it was opened.
func (r *Record) Found() *Unfinished {
	if r == nil {
		return nil
	}
	return r.found
}

// Changed writes what snapshot returns, if it is not nil: at once for the first change, at most
// once a second for later ones.
func (r *Record) Changed(snapshot func() *Unfinished) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.snapshot = snapshot
	if wait := recordInterval - time.Since(r.written); wait > 0 {
		if r.timer == nil {
			r.timer = time.AfterFunc(wait, r.Flush)
		}
		return
	}
	r.write()
}

// Flush writes at once what is not written yet.
func (r *Record) Flush() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.timer = nil
	r.write()
}

// write must be called with r.mu locked. The interval starts after it, so that a slow disk is not
// busy all the time.
func (r *Record) write() {
	if r.snapshot == nil {
		return
	}
	upload := r.snapshot()
	r.snapshot = nil
	if upload == nil {
		return
	}
	f := recordFile{Version: recordVersion, Key: r.key, UploadID: upload.UploadID, KeyPath: upload.KeyPath, Completing: upload.Completing, Updated: time.Now().UTC()}
	for _, p := range upload.Parts {
		f.Parts = append(f.Parts, recordPart{Number: p.Number, MD5: hex.EncodeToString(p.MD5[:]), ETag: p.ETag, Checksum: p.Checksum})
	}
	content, err := json.Marshal(f)
	if err == nil {
		err = r.folder.write(r.name, content)
		r.folder.sync()
	}
	if err != nil {
		tflog.Warn(r.log, "the record of an unfinished upload cannot be written", map[string]any{"record": r.name, "error": err.Error()})
	}
	r.written = time.Now()
}

// Close writes what is not written yet, or removes the record if the upload is over.
func (r *Record) Close(over bool) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.timer != nil {
		r.timer.Stop()
	}
	if over {
		r.snapshot = nil // the timer may have fired
		_ = r.folder.remove(r.name)
	}
	r.write()
	r.store.unlock(r.name, r.lock)
	r.folder.close()
}
