package resume

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // S3's ETags are MD5; the content is proved by SHA-256
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

const (
	// LargeFile is the size in bytes from which the hash of a file is on the disk as soon as it is
	// known, with the sums of its parts. Reading a smaller one again costs less than that.
	LargeFile = 4 << 20
	// renewed is the age at which an entry that is used is written again.
	renewed = 24 * time.Hour
	// sumBytes is the size in bytes of the sums of one part in an entry.
	sumBytes = md5.Size + 8
)

// Content is what this machine remembers of what a file contains. It is zero if nothing is
// remembered.
type Content struct {
	SHA256 string // lower-case hex
	Sums   transfer.Sums
}

// contents is what is remembered of the files of one folder: a file of entries, a line of JSON
// each, of which the last one with a stamp counts. Other processes may append, too.
type contents struct {
	mu      sync.Mutex
	name    string
	entries map[string]contentEntry // by stamp
	pending []contentEntry          // those that are not on the disk
}

// contentLine is an entry as it is on the disk. Check is a hash of it: a damaged one must not look
// like one of other content.
type contentLine struct {
	Check string          `json:"check"`
	Entry json.RawMessage `json:"entry"`
}

type contentEntry struct {
	Stamp    string `json:"stamp"`
	SHA256   string `json:"sha256"` // "": the file turned out to have other content
	PartSize int64  `json:"part_size,omitempty"`
	Parts    []byte `json:"parts,omitempty"` // of each the MD5 and the CRC-64/NVME, in order
	Seen     int64  `json:"seen"`            // Unix time in seconds
}

func (e contentEntry) age() time.Duration { return time.Since(time.Unix(e.Seen, 0)) }

func (e contentEntry) content() Content {
	sums := transfer.Sums{PartSize: e.PartSize}
	for b := e.Parts; len(b) >= sumBytes; b = b[sumBytes:] {
		sums.Parts = append(sums.Parts, transfer.PartSum{MD5: [md5.Size]byte(b), CRC: binary.BigEndian.Uint64(b[md5.Size:])})
	}
	return Content{SHA256: e.SHA256, Sums: sums}
}

// Content returns what is remembered of a file that has not been touched since.
func (s *Store) Content(ctx context.Context, look Look) Content {
	if look.Stamp == "" {
		return Content{}
	}
	c := s.contentsOf(ctx, look)
	c.mu.Lock()
	defer c.mu.Unlock()
	e, found := c.entries[look.Stamp]
	if found && e.SHA256 != "" && e.age() > renewed {
		c.add(e)
	}
	return e.content()
}

// Remember keeps what was read, if the file that was read is still the one of the look. It is on
// the disk after the next Flush.
func (s *Store) Remember(ctx context.Context, look Look, read transfer.Digest) {
	if look.Stamp == "" || read.Size != look.Size || !read.ModTime.Equal(look.modTime) {
		return
	}
	e := contentEntry{Stamp: look.Stamp, SHA256: hex.EncodeToString(read.SHA256[:]), PartSize: read.Sums.PartSize}
	for _, p := range read.Sums.Parts {
		e.Parts = binary.BigEndian.AppendUint64(append(e.Parts, p.MD5[:]...), p.CRC)
	}
	s.remember(ctx, look, e)
}

// Sent keeps the hash of a file that was read while it was sent, or since the look. What is
// remembered of it already stays.
func (s *Store) Sent(ctx context.Context, look Look, sha256 string) {
	if look.Stamp != "" && s.Content(ctx, look).SHA256 != sha256 {
		s.remember(ctx, look, contentEntry{Stamp: look.Stamp, SHA256: sha256})
	}
}

// Forget drops what is remembered of a file that turned out to have other content.
func (s *Store) Forget(ctx context.Context, look Look) {
	if s.Content(ctx, look).SHA256 != "" {
		s.remember(ctx, look, contentEntry{Stamp: look.Stamp})
	}
}

func (s *Store) remember(ctx context.Context, look Look, e contentEntry) {
	c := s.contentsOf(ctx, look)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(e)
	if look.Size >= LargeFile {
		s.append(ctx, c)
	}
}

func (c *contents) add(e contentEntry) {
	e.Seen = time.Now().Unix()
	c.entries[e.Stamp] = e
	c.pending = append(c.pending, e)
}

// Flush writes what is remembered to the disk.
func (s *Store) Flush(ctx context.Context) {
	s.contents.Range(func(_, value any) bool {
		c, _ := value.(*contents)
		c.mu.Lock()
		defer c.mu.Unlock()
		s.append(ctx, c)
		return true
	})
}

// append writes the pending entries. If that fails, files are read again.
func (s *Store) append(ctx context.Context, c *contents) {
	if len(c.pending) == 0 {
		return
	}
	lines := encodeEntries(c.pending)
	c.pending = nil
	f := s.open(ctx)
	if f == nil {
		return
	}
	defer f.close()
	file, err := f.openFile(c.name, os.O_WRONLY|os.O_APPEND|os.O_CREATE)
	if err == nil {
		_, err = file.Write(append([]byte("\n"), lines...)) // the last line may have been cut short
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		tflog.Debug(ctx, "content hashes are not remembered", map[string]any{"error": err.Error()})
	}
}

func encodeEntries(entries []contentEntry) (lines []byte) {
	for _, e := range entries {
		entry, _ := json.Marshal(e) // numbers and text, as the line
		line, _ := json.Marshal(contentLine{hashed(string(entry)), entry})
		lines = append(append(lines, line...), '\n')
	}
	return lines
}

// contentsOf returns what is remembered of the folder of a file.
func (s *Store) contentsOf(ctx context.Context, look Look) *contents {
	value, _ := s.contents.LoadOrStore(look.folder, &contents{name: "hashes-" + hashed(look.folder) + ".jsonl"})
	c, _ := value.(*contents)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil {
		c.entries = map[string]contentEntry{}
		s.load(ctx, c)
	}
	return c
}

// load reads the entries of a folder. It writes the file anew if most of its lines do not count any
// more.
func (s *Store) load(ctx context.Context, c *contents) {
	f := s.open(ctx)
	if f == nil {
		return
	}
	defer f.close()
	content, err := f.read(c.name)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			tflog.Debug(ctx, "content hashes cannot be read", map[string]any{"error": err.Error()})
		}
		return
	}
	lines := 0
	for line := range bytes.Lines(content) {
		var l contentLine
		var e contentEntry
		if json.Unmarshal(line, &l) == nil && l.Check == hashed(string(l.Entry)) && json.Unmarshal(l.Entry, &e) == nil && e.age() < lifetime {
			c.entries[e.Stamp] = e
		}
		lines++
	}
	var counts []contentEntry
	for stamp, e := range c.entries {
		if e.SHA256 == "" {
			delete(c.entries, stamp)
			continue
		}
		counts = append(counts, e)
	}
	if lines > 4*len(counts)+16 {
		if err := f.write(c.name, encodeEntries(counts)); err != nil {
			tflog.Debug(ctx, "content hashes are not remembered", map[string]any{"error": err.Error()})
		}
	}
}
