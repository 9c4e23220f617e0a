package resume

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

const (
	memoVersion = 2
	// memoMinSize is the size in bytes below which hashing again costs less than remembering.
	memoMinSize = 4 << 20
	// memoSettled is longer than the resolution of clocks, within which a change keeps the time.
	memoSettled = 2 * time.Second
)

// Memo is the content hash of one file as this machine remembers it: Terraform plans in one process,
// and again in another one when it applies. It is used only while the file has its Stamp. A wrong hash
// does no harm: what is sent must have what was planned. A nil *Memo remembers nothing.
type Memo struct {
	store *Store
	name  string
	file  look
	found string
}

type memoEntry struct {
	Version int    `json:"version"`
	Stamp   string `json:"stamp"`
	SHA256  string `json:"sha256"`
}

// Memo returns what is remembered of a file. It is nil for small files, and for what is not a regular file.
func (s *Store) Memo(ctx context.Context, path string) *Memo {
	if s == nil {
		return nil
	}
	file := lookAt(path)
	if file.stamp == "" || file.size < memoMinSize {
		return nil
	}
	f := s.open(ctx)
	if f == nil {
		return nil
	}
	defer f.close()
	m := &Memo{store: s, name: memoName(path), file: file}
	var e memoEntry
	content, err := f.read(m.name)
	if err == nil && json.Unmarshal(content, &e) == nil && e.Version == memoVersion && e.Stamp == file.stamp {
		m.found = e.SHA256
	}
	return m
}

func memoName(path string) string {
	absolute, _ := filepath.Abs(path) // "" if the working folder is gone: the stamp differs
	return "hash-" + digest(absolute) + ".json"
}

// SHA256 returns the remembered hash in lower-case hex, "" if there is none.
func (m *Memo) SHA256() string {
	if m == nil {
		return ""
	}
	return m.found
}

// Remember keeps the hash of the file, if the file that was read is still the one that Memo saw.
func (m *Memo) Remember(ctx context.Context, read transfer.Digest) {
	if m == nil || read.Size != m.file.size || !read.ModTime.Equal(m.file.modTime) || time.Since(m.file.modTime) <= memoSettled {
		return
	}
	f := m.store.open(ctx)
	if f == nil {
		return
	}
	defer f.close()
	content, err := json.Marshal(memoEntry{Version: memoVersion, Stamp: m.file.stamp, SHA256: hex.EncodeToString(read.SHA256[:])})
	if err == nil {
		err = f.write(m.name, content)
	}
	if err != nil {
		tflog.Debug(ctx, "the content hash is not remembered", map[string]any{"error": err.Error()})
	}
}

// Forget drops what is remembered of a file that turned out to have other content.
func (s *Store) Forget(ctx context.Context, path string) {
	if f := s.open(ctx); f != nil {
		_ = f.remove(memoName(path))
		f.close()
	}
}
