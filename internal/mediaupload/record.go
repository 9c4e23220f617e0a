package mediaupload

import (
	"context"
	"crypto/md5" //nolint:gosec // S3's ETags are MD5; the content is proved by SHA-256
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

const (
	recordVersion  = 1
	recordInterval = time.Second        // at most one write in this time, so that records never slow an upload down
	recordLifetime = 7 * 24 * time.Hour // older ones are removed: storage drops unfinished uploads, too
	recordMaxBytes = 4 << 20            // 10,000 parts take about 1 MB
)

// recordKey is what an upload is found by. Another content, size, part size, name or service is another upload.
type recordKey struct {
	Address  string `json:"address"` // vod_base_url
	SHA256   string `json:"sha256"`  // lower-case hex
	Size     int64  `json:"size"`
	PartSize int64  `json:"part_size"`
	FileName string `json:"file_name"`
}

func (k recordKey) fileName() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d\n%d\n%s", k.Address, k.SHA256, k.Size, k.PartSize, k.FileName))
	return "upload-" + hex.EncodeToString(sum[:16]) + ".json"
}

// recordFile is the record as JSON. It holds no secret and no presigned address.
type recordFile struct {
	Version  int          `json:"version"`
	Key      recordKey    `json:"key"`
	UploadID string       `json:"upload_id"`
	KeyPath  string       `json:"key_path"`
	Parts    []recordPart `json:"parts"`
	// Completing is set once the call that completes the upload may have gone out.
	Completing bool      `json:"completing,omitempty"`
	Updated    time.Time `json:"updated"`
}

type recordPart struct {
	Number int    `json:"number"`
	MD5    string `json:"md5"`
	ETag   string `json:"etag"`
	// Checksum is storage's own, as in transfer.Part; "" when storage returned none.
	Checksum string `json:"checksum,omitempty"`
}

// record is the unfinished upload of one key on this machine, held by this process alone until close. A nil *record is
// one that is turned off, or that another process holds: everything on it does nothing.
type record struct {
	path string
	key  recordKey
	lock *flock.Flock
	log  context.Context //nolint:containedctx // only its logger is used, by the timer's write

	mu       sync.Mutex
	upload   *providerdata.Unfinished        // as found
	snapshot func() *providerdata.Unfinished // as it is now; nil until there is something to write
	written  time.Time
	timer    *time.Timer
	closed   bool
}

// openRecord takes the record of a key, and removes records that are too old to be of use. Whatever stands in the way is
// logged and means an upload without a record: that must never be the reason for which an upload fails. elsewhere is the
// id of the upload that another holder of the record is at work on, "" if there is none.
func openRecord(ctx context.Context, dir string, key recordKey) (r *record, elsewhere string) {
	if dir == "" {
		return nil, ""
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		tflog.Warn(ctx, "unfinished uploads are not recorded: the folder cannot be made", map[string]any{"resume_dir": dir, "error": cause(err).Error()})
		return nil, ""
	}
	removeOldRecords(ctx, dir, time.Now().Add(-recordLifetime))
	path := filepath.Join(dir, key.fileName())
	lock := flock.New(path + ".lock")
	held, err := lock.TryLock()
	if err != nil || !held {
		tflog.Info(ctx, "the same file is being uploaded already: this is an upload of its own", map[string]any{"file_name": key.FileName})
		if u := readRecord(ctx, path, key); u != nil {
			elsewhere = u.UploadID
		}
		return nil, elsewhere
	}
	// The age of a lock is that of its last use.
	now := time.Now()
	_ = os.Chtimes(path+".lock", now, now)
	return &record{path: path, key: key, lock: lock, log: ctx, upload: readRecord(ctx, path, key)}, ""
}

// readRecord returns the recorded upload, nil if there is none that can be used.
func readRecord(ctx context.Context, path string, key recordKey) *providerdata.Unfinished {
	content, err := readSmall(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var u *providerdata.Unfinished
	if err == nil {
		u, err = parseRecord(content, key)
	}
	if err != nil {
		tflog.Warn(ctx, "the record of an unfinished upload is ignored", map[string]any{"record": filepath.Base(path), "error": err.Error()})
		return nil
	}
	return u
}

// parseRecord reads a record, which a crash or another program may have left in any state.
func parseRecord(content []byte, key recordKey) (*providerdata.Unfinished, error) {
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
	}
	u := &providerdata.Unfinished{UploadID: f.UploadID, KeyPath: f.KeyPath, PartSize: key.PartSize, Completing: f.Completing}
	count := transfer.PartCount(key.Size, key.PartSize)
	for _, p := range f.Parts {
		sum, err := hex.DecodeString(p.MD5)
		if err != nil || len(sum) != md5.Size || p.ETag == "" || p.Number < 1 || p.Number > count {
			return nil, errors.New("a part of it cannot be read")
		}
		u.Parts = append(u.Parts, transfer.Part{
			Number: p.Number, MD5: [md5.Size]byte(sum), ETag: p.ETag, Checksum: p.Checksum,
			Size: min(key.PartSize, key.Size-int64(p.Number-1)*key.PartSize),
		})
	}
	return u, nil
}

// found is the upload that the record held when it was opened.
func (r *record) found() *providerdata.Unfinished {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.upload
}

// changed says that there is something new to record. snapshot tells what when it is written: the first change at once,
// later ones at most once a second.
func (r *record) changed(snapshot func() *providerdata.Unfinished) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	r.snapshot = snapshot
	if wait := recordInterval - time.Since(r.written); wait > 0 {
		if r.timer == nil {
			r.timer = time.AfterFunc(wait, r.flush)
		}
		return
	}
	r.write()
}

// flush writes what there is to record now.
func (r *record) flush() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.timer = nil
	if !r.closed {
		r.write()
	}
}

// write stores what is recorded; r.mu is held. The time is taken afterwards, so that a slow disk is not kept busy.
func (r *record) write() {
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
		err = writeAtomically(r.path, content)
	}
	if err != nil {
		tflog.Warn(r.log, "the record of an unfinished upload cannot be written", map[string]any{"record": filepath.Base(r.path), "error": err.Error()})
	}
	r.written = time.Now()
}

// close writes what is not written yet, or removes the record when the upload is over, and lets go of it.
func (r *record) close(over bool) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.timer != nil {
		r.timer.Stop()
	}
	if over {
		_ = os.Remove(r.path)
	} else {
		r.write()
	}
	// The lock's file stays: removing it would let two processes hold locks on two files of one name. Old ones go with
	// the old records.
	_ = r.lock.Unlock()
}

// removeOldRecords removes records, memos and lock files last written before the time given.
func removeOldRecords(ctx context.Context, dir string, before time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasPrefix(name, "upload-") && !strings.HasPrefix(name, "hash-") {
			continue
		}
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() || info.ModTime().After(before) {
			continue
		}
		if remove(filepath.Join(dir, name)) == nil {
			tflog.Debug(ctx, "an old record was removed", map[string]any{"record": name})
		}
	}
}

// remove removes a file, unless it is a lock that somebody holds.
func remove(path string) error {
	if strings.HasSuffix(path, ".lock") {
		lock := flock.New(path)
		if held, err := lock.TryLock(); err != nil || !held {
			return errors.New("it is in use")
		}
		defer func() { _ = lock.Unlock() }()
	}
	return os.Remove(path)
}

// readSmall reads a file of at most recordMaxBytes.
func readSmall(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, recordMaxBytes+1))
	if err != nil {
		return nil, cause(err)
	}
	if len(content) > recordMaxBytes {
		return nil, errors.New("it is too large for a record")
	}
	return content, nil
}

// writeAtomically puts content under path in one step: a reader, or a machine that loses power, sees the old content or
// the new one. Only the user can read it.
func writeAtomically(path string, content []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return cause(err)
	}
	f, err := os.CreateTemp(dir, "upload-*.tmp") // mode 0600
	if err != nil {
		return cause(err)
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return cause(err)
	}
	return nil
}
