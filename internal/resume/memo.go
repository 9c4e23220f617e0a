package resume

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

const (
	memoVersion = 1
	// memoMinSize is the size in bytes below which hashing again costs less than remembering.
	memoMinSize = 4 << 20
	// memoSettled is how long a file must not have changed: within the resolution of a file
	// system's clock, a change can keep the modification time.
	memoSettled = 2 * time.Second
)

// Memo is the content hash of one file as this machine remembers it. Terraform plans in one
// process, and again in another one when it applies: without a memo it would read a large file
// twice. A hash is used only while nothing of the file has changed. That includes the time of its
// last change of any kind, which ordinary programs cannot set, so a file that was rewritten under
// its old size and modification time is read again. A wrong hash does no harm: the content is
// hashed while it is sent, and must equal what was planned. A nil *Memo remembers nothing.
type Memo struct {
	store *Store
	name  string
	file  memoFile
	found string
}

// memoFile is a file as it was found.
type memoFile struct {
	Path    string    `json:"path"`  // absolute
	State   string    `json:"state"` // see fileState
	Size    int64     `json:"size"`
	ModTime time.Time `json:"mod_time"`
}

type memoEntry struct {
	Version int `json:"version"`
	memoFile
	SHA256 string `json:"sha256"`
}

// Memo returns what is remembered of a file, which must be a regular one. It is nil for small
// files, and where the operating system does not tell when a file was last changed.
func (s *Store) Memo(ctx context.Context, path string) *Memo {
	if s == nil {
		return nil
	}
	file, ok := lookAt(path, memoMinSize)
	if !ok {
		return nil
	}
	m := &Memo{store: s, name: memoName(file.Path), file: file}
	f := s.open(ctx)
	if f == nil {
		return nil
	}
	defer f.close()
	var e memoEntry
	content, err := f.read(m.name)
	if err != nil || json.Unmarshal(content, &e) != nil {
		return m
	}
	sum, err := hex.DecodeString(e.SHA256)
	if err == nil && len(sum) == sha256.Size && e.Version == memoVersion && e.memoFile.is(file) {
		m.found = e.SHA256
	}
	return m
}

func lookAt(path string, minSize int64) (file memoFile, ok bool) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return memoFile{}, false
	}
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return memoFile{}, false
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() < minSize {
		return memoFile{}, false
	}
	state := fileState(f, info)
	return memoFile{Path: absolute, State: state, Size: info.Size(), ModTime: info.ModTime()}, state != ""
}

func (f memoFile) is(other memoFile) bool {
	return f.Path == other.Path && f.State == other.State && f.Size == other.Size && f.ModTime.Equal(other.ModTime)
}

func memoName(absolute string) string {
	key := sha256.Sum256([]byte(absolute))
	return "hash-" + hex.EncodeToString(key[:16]) + ".json"
}

// SHA256 returns the remembered hash in lower-case hex, "" if there is none.
func (m *Memo) SHA256() string {
	if m == nil {
		return ""
	}
	return m.found
}

// Remember keeps the hash of the file, if the file that was read is still the one that Memo saw. A
// failure is no error: the next plan reads the file again.
func (m *Memo) Remember(ctx context.Context, digest transfer.Digest) {
	if m == nil || digest.Size != m.file.Size || !digest.ModTime.Equal(m.file.ModTime) || time.Since(m.file.ModTime) <= memoSettled {
		return
	}
	f := m.store.open(ctx)
	if f == nil {
		return
	}
	defer f.close()
	content, err := json.Marshal(memoEntry{Version: memoVersion, memoFile: m.file, SHA256: hex.EncodeToString(digest.SHA256[:])})
	if err == nil {
		err = f.write(m.name, content)
	}
	if err != nil {
		tflog.Debug(ctx, "the content hash is not remembered", map[string]any{"error": err.Error()})
	}
}

// Forget drops what is remembered of a file that turned out to have other content.
func (s *Store) Forget(ctx context.Context, path string) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return
	}
	if f := s.open(ctx); f != nil {
		f.remove(memoName(absolute))
		f.close()
	}
}
