package resume

import (
	"context"
	"crypto/md5" //nolint:gosec // S3's ETags are MD5; the content is proved by SHA-256
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"sync"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

const (
	// hashInterval is the least time between two writes of the hashes of a folder, so that they do
	// not slow a plan down. A plan that is killed loses what it has read since.
	hashInterval = 10 * time.Second
	// renewal is the age at which a hash that is used is written again.
	renewal = 24 * time.Hour
	// sumBytes is the size in bytes of the sums of one part.
	sumBytes = md5.Size + 8
)

// Content is what is remembered of a file. It is zero if nothing is.
type Content struct {
	SHA256 string // lower-case hex
	Sums   transfer.Sums
}

// fileHash is what is remembered of a file, as JSON.
type fileHash struct {
	Stamp    string    `json:"stamp"`
	SHA256   string    `json:"sha256"`
	PartSize int64     `json:"part_size,omitempty"`
	Parts    []byte    `json:"parts,omitempty"`     // the MD5 and the CRC-64/NVME of each part, in order
	CRC      uint64    `json:"crc64nvme,omitempty"` // of the whole
	Used     time.Time `json:"used"`
}

func (h fileHash) content() Content {
	sums := transfer.Sums{PartSize: h.PartSize, CRC: h.CRC}
	for b := h.Parts; len(b) >= sumBytes; b = b[sumBytes:] {
		sums.Parts = append(sums.Parts, transfer.PartSum{MD5: [md5.Size]byte(b), CRC: binary.BigEndian.Uint64(b[md5.Size:])})
	}
	return Content{SHA256: h.SHA256, Sums: sums}
}

// folderHashes are the hashes of the files of one folder of media, by file name.
type folderHashes struct {
	mu      sync.Mutex
	file    string // in the store
	known   map[string]fileHash
	changed map[string]bool // names that this process has changed since the last write
	written time.Time
}

// hashesFile is a folderHashes as JSON.
type hashesFile struct {
	Folder string              `json:"folder"`
	Files  map[string]fileHash `json:"files"`
}

// Content returns what is remembered of a file that has not been touched since.
func (s *Store) Content(ctx context.Context, look Look) Content {
	if look.Stamp == "" {
		return Content{}
	}
	h := s.hashesOf(ctx, look.folder)
	h.mu.Lock()
	defer h.mu.Unlock()
	known := h.known[look.name]
	if known.Stamp != look.Stamp {
		return Content{}
	}
	if time.Since(known.Used) > renewal {
		known.Used = time.Now().UTC()
		h.known[look.name], h.changed[look.name] = known, true
	}
	return known.content()
}

// Remember keeps the hashes of a file that was read after the look, unless it was touched between.
func (s *Store) Remember(ctx context.Context, look Look, read transfer.Digest) {
	if look.Stamp == "" || read.Size != look.Size || !read.ModTime.Equal(look.modTime) {
		return
	}
	hash := fileHash{Stamp: look.Stamp, SHA256: hex.EncodeToString(read.SHA256[:]), PartSize: read.Sums.PartSize, CRC: read.Sums.CRC, Used: time.Now().UTC()}
	for _, p := range read.Sums.Parts {
		hash.Parts = binary.BigEndian.AppendUint64(append(hash.Parts, p.MD5[:]...), p.CRC)
	}
	h := s.hashesOf(ctx, look.folder)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.known[look.name], h.changed[look.name] = hash, true
	if time.Since(h.written) > hashInterval {
		s.writeHashes(ctx, look.folder, h)
	}
}

// Flush writes the hashes that are not written yet.
func (s *Store) Flush(ctx context.Context) {
	s.hashes.Range(func(dir, value any) bool {
		h, _ := value.(*folderHashes)
		h.mu.Lock()
		defer h.mu.Unlock()
		s.writeHashes(ctx, dir.(string), h) //nolint:forcetypeassert // as hashesOf stores it
		return true
	})
}

// hashesOf returns the hashes of a folder of media, which it reads once.
func (s *Store) hashesOf(ctx context.Context, dir string) *folderHashes {
	value, _ := s.hashes.LoadOrStore(dir, &folderHashes{file: "hashes-" + digest(dir) + ".json", changed: map[string]bool{}})
	h, _ := value.(*folderHashes)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.known == nil {
		h.known, h.written = s.readHashes(ctx, h.file), time.Now()
	}
	return h
}

func (s *Store) readHashes(ctx context.Context, name string) map[string]fileHash {
	var file hashesFile
	content, err := s.files(ctx).read(name)
	if err == nil {
		err = json.Unmarshal(content, &file)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		redact.Debug(ctx, "hashes cannot be read", map[string]any{"file": name, "error": err.Error()})
	}
	known := map[string]fileHash{}
	for name, hash := range file.Files {
		if time.Since(hash.Used) < lifetime {
			known[name] = hash
		}
	}
	return known
}

// writeHashes needs h.mu. Other processes may have written since, so it changes only what this
// process has changed. If it fails, files are read again.
func (s *Store) writeHashes(ctx context.Context, dir string, h *folderHashes) {
	if len(h.changed) == 0 {
		return
	}
	merged := s.readHashes(ctx, h.file)
	for name := range h.changed {
		merged[name] = h.known[name]
	}
	content, err := json.Marshal(hashesFile{dir, merged})
	if err == nil {
		err = s.files(ctx).write(h.file, content)
	}
	if err != nil {
		redact.Debug(ctx, "hashes cannot be written", map[string]any{"file": h.file, "error": err.Error()})
	}
	h.known, h.changed, h.written = merged, map[string]bool{}, time.Now()
}
