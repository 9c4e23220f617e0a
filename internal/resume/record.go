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
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/disk"
	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

const (
	recordVersion  = 2
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
	FileName string `json:"file_name"`
}

const (
	recordPrefix  = "upload-" // of the names of records and of their locks
	recordPattern = recordPrefix + `[0-9a-f]{32}-[0-9a-f]{16}\.json`
)

var recordName = regexp.MustCompile(`^` + recordPattern + `$`)

// stored is the key as a record has it.
func (k Key) stored() Key {
	k.Account = hashed(k.Account)
	return k
}

// prefix begins the names of the records of a stored key. There is one record for
// each upload that was begun.
func (k Key) prefix() string {
	return recordPrefix + hashed(fmt.Sprintf("%s\n%s\n%s\n%d\n%s", k.Account, k.Address, k.SHA256, k.Size, k.FileName))
}

// recordSuffix ends the names of the records of an upload, of which there is one.
func recordSuffix(uploadID string) string { return "-" + hashed(uploadID)[:16] + ".json" }

// lockOf is what is locked for a record: the upload, whatever its content.
func lockOf(record string) string {
	return recordPrefix + record[strings.LastIndexByte(record, '-')+1:]
}

// completed is a file that says that a run has continued a recorded upload until it was an object.
// Another state may still have the upload, which must not become its object, too.
func completed(record string) string {
	return "completed-" + record[strings.LastIndexByte(record, '-')+1:]
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
	PartSize int64        `json:"part_size"`
	Parts    []recordPart `json:"parts"`

	Completing bool      `json:"completing,omitempty"`
	Held       time.Time `json:"held"` // since when its process has it
	Updated    time.Time `json:"updated"`
}

type recordPart struct {
	Number   int    `json:"number"`
	MD5      string `json:"md5"`
	ETag     string `json:"etag"`
	Checksum string `json:"checksum,omitempty"` // as in transfer.Part
}

// Record is one unfinished upload, which is this operation's own until Close: no other one gets it,
// of this process or of another one. The methods of a nil *Record do nothing.
type Record struct {
	store  *Store
	folder *disk.Folder // nil: nothing is written
	name   string
	key    Key // as stored
	lock   *flock.Flock
	held   time.Time
	found  *Unfinished
	left   bool
	log    context.Context //nolint:containedctx // only its logger is used, by the timer's write

	mu       sync.Mutex
	snapshot func() *Unfinished // as it is now; nil until there is something to write
	written  time.Time
	timer    *time.Timer
}

// Begin returns the record of an upload that was just begun. If it cannot be written, the log says
// why: an upload must never fail because of its record.
func (s *Store) Begin(ctx context.Context, key Key, uploadID string) *Record {
	key = key.stored()
	s.mu.Lock()
	defer s.mu.Unlock()
	r, _ := s.hold(ctx, key, key.prefix()+recordSuffix(uploadID))
	return r
}

// Take returns the record of an unfinished upload for which fits is true, and which no operation of
// this process has or had: one that Leave was given, or else one that an earlier run has written.
// It is nil if there is none. A process that has had one since before this process began may be
// about to end with the CLI that started it: Take waits for that.
func (s *Store) Take(ctx context.Context, key Key, fits func(*Unfinished) bool) *Record {
	for {
		r, awaited := s.take(ctx, key, fits, s.allRecords)
		if r != nil || !awaited || time.Since(s.since) > endingWithin || !pause(ctx) {
			return r
		}
	}
}

// TakeLeft is Take for what Leave was given. It waits for no process.
func (s *Store) TakeLeft(ctx context.Context, key Key, fits func(*Unfinished) bool) *Record {
	r, _ := s.take(ctx, key, fits, func(context.Context) []string { return nil })
	return r
}

// take also reports whether another process has a record that fits.
func (s *Store) take(ctx context.Context, key Key, fits func(*Unfinished) bool, others func(context.Context) []string) (r *Record, awaited bool) {
	key = key.stored()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range append(slices.Sorted(maps.Keys(s.left)), others(ctx)...) {
		if !strings.HasPrefix(name, key.prefix()+"-") || s.taken[lockOf(name)] {
			continue
		}
		r, free := s.hold(ctx, key, name)
		if r.found, r.left = s.left[name]; r.found == nil && r.folder != nil {
			r.found = readRecord(ctx, r.folder, name, &key)
		}
		if free && r.found != nil && fits(r.found) {
			delete(s.left, name)
			if r.folder != nil {
				_ = r.writeFile(r.found) // since when this process has it
			}
			return r, false
		}
		r.release()
		delete(s.taken, lockOf(name))
		awaited = awaited || !free && s.heldBefore(ctx, key, name, fits)
	}
	return nil, awaited
}

// heldBefore reports whether another process has had a record that fits since before this one
// began.
func (s *Store) heldBefore(ctx context.Context, key Key, name string, fits func(*Unfinished) bool) bool {
	f := s.open(ctx)
	if f == nil {
		return false
	}
	defer f.Close()
	content, err := f.Read(name)
	if err != nil || f.Has(completed(name)) {
		return false
	}
	var r recordFile
	u, err := parseRecord(content, &key)
	return err == nil && json.Unmarshal(content, &r) == nil && r.Held.Before(s.since) && fits(u)
}

// allRecords are the names of the records in the folder.
func (s *Store) allRecords(ctx context.Context) []string {
	f := s.open(ctx)
	if f == nil {
		return nil
	}
	defer f.Close()
	return records(f)
}

// records are the names of the records in the folder, sorted.
func records(f *disk.Folder) []string {
	return slices.DeleteFunc(f.Names(), func(name string) bool { return !recordName.MatchString(name) })
}

// hold makes an upload this operation's own, with s.mu locked. free is false if another process has
// it or has completed it. Without a folder, or if its lock cannot be used, nothing is written.
func (s *Store) hold(ctx context.Context, key Key, name string) (r *Record, free bool) {
	r = &Record{store: s, name: name, key: key, held: time.Now().UTC(), log: ctx}
	s.taken[lockOf(name)] = true
	f := s.open(ctx)
	if f == nil {
		return r, true
	}
	lock, err := f.Lock(lockOf(name))
	if lock == nil {
		f.Close()
		if err != nil {
			tflog.Warn(ctx, "the upload is not recorded: its lock cannot be used", map[string]any{"record": name, "error": err.Error()})
		}
		return r, err != nil
	}
	r.folder, r.lock = f, lock
	return r, !f.Has(completed(name))
}

// release ends hold. The lock of an upload without a record is not needed any more.
func (r *Record) release() {
	if r.folder == nil {
		return
	}
	if !r.folder.Has(r.name) {
		_ = r.folder.Remove(lockOf(r.name) + disk.LockSuffix)
	}
	_ = r.lock.Unlock()
	r.folder.Close()
}

// Leave records an unfinished upload that a state has, for whoever takes the key. Its records under
// other keys go: what it makes is not of their content. It does nothing if another operation has
// the upload, or had it in this process.
func (s *Store) Leave(ctx context.Context, key Key, u Unfinished) {
	key = key.stored()
	name := key.prefix() + recordSuffix(u.UploadID)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken[lockOf(name)] {
		return
	}
	r, free := s.hold(ctx, key, name)
	defer r.release()
	delete(s.taken, lockOf(name))
	if !free {
		return
	}
	if r.folder != nil {
		for _, other := range records(r.folder) {
			if !strings.HasSuffix(other, recordSuffix(u.UploadID)) {
				continue
			}
			if known := readRecord(ctx, r.folder, other, nil); known != nil {
				u = known.joined(u)
			}
			if other != name {
				_ = r.folder.Remove(other)
			}
		}
	}
	s.left[name] = &u
	if r.folder != nil && r.writeFile(&u) == nil {
		s.left[name] = nil // its record has it
	}
}

// Taken reports whether an operation of this process has or had an upload.
func (s *Store) Taken(uploadID string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken[lockOf(recordSuffix(uploadID))]
}

// Completed reports whether a run on this machine has continued an upload until it was an object.
func (s *Store) Completed(ctx context.Context, uploadID string) bool {
	f := s.open(ctx)
	if f == nil {
		return false
	}
	defer f.Close()
	return f.Has(completed(recordSuffix(uploadID)))
}

// joined is a recorded upload as a state has it: which of them is newer is not known. The engine
// proves the parts, so one may be listed twice.
func (u *Unfinished) joined(other Unfinished) Unfinished {
	if u.UploadID != other.UploadID || u.KeyPath != other.KeyPath || u.PartSize != other.PartSize {
		return other
	}
	type same struct {
		number int
		md5    [md5.Size]byte
		etag   string
	}
	known := map[same]bool{}
	for _, p := range u.Parts {
		known[same{p.Number, p.MD5, p.ETag}] = true
	}
	other.Parts = append(slices.Clone(u.Parts), slices.DeleteFunc(slices.Clone(other.Parts), func(p transfer.Part) bool {
		return known[same{p.Number, p.MD5, p.ETag}]
	})...)
	other.Completing = other.Completing || u.Completing
	return other
}

// readRecord returns the recorded upload, nil if there is none that can be used. A record of
// another key than want, if that is not nil, cannot.
func readRecord(ctx context.Context, f *disk.Folder, name string, want *Key) *Unfinished {
	content, err := f.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var u *Unfinished
	if err == nil {
		u, err = parseRecord(content, want)
	}
	if err == nil && !strings.HasSuffix(name, recordSuffix(u.UploadID)) {
		u, err = nil, errors.New("it is of another upload")
	}
	if err != nil {
		tflog.Warn(ctx, "the record of an unfinished upload is ignored", map[string]any{"record": name, "error": err.Error()})
		return nil
	}
	return u
}

// parseRecord reads a record, which a crash or another program may have left in any state.
func parseRecord(content []byte, want *Key) (*Unfinished, error) {
	var f recordFile
	if err := json.Unmarshal(content, &f); err != nil {
		return nil, errors.New("it is not complete JSON")
	}
	switch {
	case f.Version != recordVersion:
		return nil, fmt.Errorf("it has version %d, this provider reads %d", f.Version, recordVersion)
	case want != nil && f.Key != *want:
		return nil, errors.New("it is of another upload")
	case f.UploadID == "" || f.KeyPath == "" || f.PartSize < 1:
		return nil, errors.New("it names no upload")
	case !parse.Safe(f.UploadID+f.KeyPath) || len(f.UploadID) > idLimit || len(f.KeyPath) > idLimit:
		return nil, errors.New("it names an upload that the service has not made")
	}
	u := &Unfinished{UploadID: f.UploadID, KeyPath: f.KeyPath, PartSize: f.PartSize, Completing: f.Completing}
	count := transfer.PartCount(f.Key.Size, f.PartSize)
	for _, p := range f.Parts {
		sum, err := hex.DecodeString(p.MD5)
		if err != nil || len(sum) != md5.Size || p.ETag == "" || !parse.ValidETag(p.ETag) || len(p.Checksum) > idLimit || p.Number < 1 || p.Number > count {
			return nil, errors.New("a part of it cannot be read")
		}
		u.Parts = append(u.Parts, transfer.Part{
			Number: p.Number, MD5: [md5.Size]byte(sum), ETag: p.ETag, Checksum: p.Checksum, Trusted: true,
			Size: min(f.PartSize, f.Key.Size-int64(p.Number-1)*f.PartSize),
		})
	}
	return u, nil
}

// Found is the upload that Take has found.
func (r *Record) Found() *Unfinished {
	if r == nil {
		return nil
	}
	return r.found
}

// Left reports whether Leave was given the upload.
func (r *Record) Left() bool { return r != nil && r.left }

// Lasts reports whether the record outlives this process.
func (r *Record) Lasts() bool { return r != nil && r.folder != nil }

// Changed writes what snapshot returns, if it is not nil: at once for the first change, at most
// once a second for later ones.
func (r *Record) Changed(snapshot func() *Unfinished) {
	if !r.Lasts() {
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
	if !r.Lasts() {
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
	_ = r.writeFile(upload)
	r.written = time.Now()
}

// writeFile writes the record. If it fails, the log says so.
func (r *Record) writeFile(u *Unfinished) error {
	f := recordFile{Version: recordVersion, Key: r.key, UploadID: u.UploadID, KeyPath: u.KeyPath, PartSize: u.PartSize, Completing: u.Completing, Held: r.held, Updated: time.Now().UTC()}
	for _, p := range u.Parts {
		f.Parts = append(f.Parts, recordPart{Number: p.Number, MD5: hex.EncodeToString(p.MD5[:]), ETag: p.ETag, Checksum: p.Checksum})
	}
	content, err := json.Marshal(f)
	if err == nil {
		err = r.folder.Write(r.name, content)
		r.folder.Sync()
	}
	if err != nil {
		tflog.Warn(r.log, "the record of an unfinished upload cannot be written", map[string]any{"record": r.name, "error": err.Error()})
	}
	return err
}

// Complete notes that the upload has become an object. If this operation has begun the upload, no
// state can have it, and nothing is noted.
func (r *Record) Complete() {
	if r.Lasts() && r.found != nil {
		_ = r.folder.Create(completed(r.name), nil)
	}
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
	if over && r.folder != nil {
		r.snapshot = nil // the timer may have fired
		_ = r.folder.Remove(r.name)
	}
	r.write()
	r.release()
}
