package resume

import (
	"context"
	"crypto/md5" //nolint:gosec // S3's ETags are MD5; the content is proved by SHA-256
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"path/filepath"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

const (
	memoVersion = 3
	// memoMinSize is the size in bytes below which hashing again costs less than remembering.
	memoMinSize = 4 << 20
	// memoSum is the size in bytes of the sums of one part in an entry.
	memoSum = md5.Size + 8
)

// Memo is what this machine remembers of the content of one file: Terraform plans in one process,
// and again in another one when it applies. It is used only while the file has its Stamp. A nil
// *Memo remembers nothing.
type Memo struct {
	store *Store
	name  string
	file  look
	found memoEntry
}

type memoEntry struct {
	Version  int    `json:"version"`
	Stamp    string `json:"stamp"`
	SHA256   string `json:"sha256"`
	PartSize int64  `json:"part_size"`
	Parts    []byte `json:"parts"` // of each the MD5 and the CRC-64/NVME, in order
	Check    string `json:"check"` // of the entry without it
}

// Memo returns what is remembered of a file. It is nil for small files, for what is not a regular
// file, and for a file that was changed so recently that it has no Stamp.
func (s *Store) Memo(ctx context.Context, path string) *Memo {
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
	if err == nil && json.Unmarshal(content, &e) == nil && e.Version == memoVersion && e.Stamp == file.stamp && e.Check == e.check() {
		m.found = e
	}
	return m
}

func memoName(path string) string {
	absolute, _ := filepath.Abs(path) // "" if the working folder is gone: the stamp differs
	return "hash-" + hashed(absolute) + ".json"
}

// check is a hash of the entry: a damaged one must not look like one of other content.
func (e memoEntry) check() string {
	e.Check = ""
	content, _ := json.Marshal(e) // numbers and text
	return hashed(string(content))
}

// Size returns the size of the file in bytes, 0 for a nil *Memo.
func (m *Memo) Size() int64 {
	if m == nil {
		return 0
	}
	return m.file.size
}

// SHA256 returns the remembered hash in lower-case hex, "" if there is none.
func (m *Memo) SHA256() string {
	if m == nil {
		return ""
	}
	return m.found.SHA256
}

// Sums returns the remembered sums of the parts.
func (m *Memo) Sums() transfer.Sums {
	if m == nil {
		return transfer.Sums{}
	}
	sums := transfer.Sums{PartSize: m.found.PartSize}
	for b := m.found.Parts; len(b) >= memoSum; b = b[memoSum:] {
		sums.Parts = append(sums.Parts, transfer.PartSum{MD5: [md5.Size]byte(b), CRC: binary.BigEndian.Uint64(b[md5.Size:])})
	}
	return sums
}

// Remember keeps what was read, if the file that was read is still the one that Memo saw.
func (m *Memo) Remember(ctx context.Context, read transfer.Digest) {
	if m == nil || read.Size != m.file.size || !read.ModTime.Equal(m.file.modTime) {
		return
	}
	f := m.store.open(ctx)
	if f == nil {
		return
	}
	defer f.close()
	e := memoEntry{Version: memoVersion, Stamp: m.file.stamp, SHA256: hex.EncodeToString(read.SHA256[:]), PartSize: read.Sums.PartSize}
	for _, p := range read.Sums.Parts {
		e.Parts = binary.BigEndian.AppendUint64(append(e.Parts, p.MD5[:]...), p.CRC)
	}
	e.Check = e.check()
	content, err := json.Marshal(e)
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
