package simulator

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"io"
	"os"
	"sync"
	"sync/atomic"
)

const bufferSize = 256 << 10

// content hashes the bodies of PUTs, and keeps on disk the bytes that the hash of a whole object
// needs later.
type content struct {
	dir      string
	keep     int64
	minPart  int64 // as Options.MinPartSize
	discard  bool
	checksum string    // as Options.PartChecksum
	buffers  sync.Pool // of *[]byte
	received atomic.Int64
	inUse    atomic.Int64
	onDisk   atomic.Int64

	mu     sync.Mutex
	made   string
	closed bool
}

func newContent(o Options) *content {
	return &content{dir: o.Dir, keep: o.KeepContent, minPart: o.MinPartSize, discard: o.DiscardContent, checksum: o.PartChecksum}
}

func (c *content) buffer() *[]byte {
	if buffer, ok := c.buffers.Get().(*[]byte); ok {
		return buffer
	}
	buffer := make([]byte, bufferSize)
	return &buffer
}

// receipt describes the body of one PUT.
type receipt struct {
	size int64
	md5  [md5.Size]byte
	sha  [sha256.Size]byte
	// checksum is the base64 checksum of Options.PartChecksum, "" for none.
	checksum string
	// file contains the bytes; "" if they are not kept.
	file string
}

func (p *receipt) shaHex(discard bool) string {
	if discard {
		return ""
	}
	return hex.EncodeToString(p.sha[:])
}

// receive reads size bytes from body. It also writes them to whole unless nil, and to a file if
// kept.
func (c *content) receive(body io.Reader, size int64, whole hash.Hash, kept bool) (_ *receipt, err error) {
	sum := md5.New()
	writers := []io.Writer{sum}
	sha := sha256.New()
	if !c.discard {
		writers = append(writers, sha)
	}
	if whole != nil {
		writers = append(writers, whole)
	}
	checksum := newChecksum(c.checksum)
	if checksum != nil {
		writers = append(writers, checksum)
	}
	part := &receipt{}
	if kept {
		file, createErr := c.create()
		if createErr != nil {
			return nil, createErr
		}
		part.file = file.Name()
		defer func() {
			err = errors.Join(err, file.Close())
			if err != nil {
				c.remove(part)
			}
		}()
		writers = append(writers, countingWriter{file, &c.onDisk})
	}
	part.size, err = c.copy(body, size, writers)
	copy(part.md5[:], sum.Sum(nil))
	copy(part.sha[:], sha.Sum(nil))
	if checksum != nil {
		part.checksum = base64.StdEncoding.EncodeToString(checksum.Sum(nil))
	}
	return part, err
}

// newChecksum returns the hash for a value of Options.PartChecksum, nil for "none".
func newChecksum(algorithm string) hash.Hash {
	switch algorithm {
	case "crc64nvme":
		return crc64.New(crc64.MakeTable(0x9a6c9329ac4bc9b5))
	case "crc32c":
		return crc32.New(crc32.MakeTable(crc32.Castagnoli))
	case "crc32":
		return crc32.NewIEEE()
	case "sha1":
		return sha1.New()
	case "sha256":
		return sha256.New()
	}
	return nil
}

func (c *content) copy(body io.Reader, size int64, writers []io.Writer) (int64, error) {
	buffer := c.buffer()
	c.inUse.Add(bufferSize)
	defer func() {
		c.inUse.Add(-bufferSize)
		c.buffers.Put(buffer)
	}()
	var done int64
	for done < size {
		n, err := body.Read((*buffer)[:min(bufferSize, size-done)])
		c.received.Add(int64(n))
		for _, w := range writers {
			if _, err := w.Write((*buffer)[:n]); err != nil {
				return done, err
			}
		}
		done += int64(n)
		if done == size {
			return done, nil
		}
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// read writes the bytes of a kept part to h. name is the part's file, which may have been deleted.
func (c *content) read(name string, size int64, h hash.Hash) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	buffer := c.buffer()
	defer c.buffers.Put(buffer)
	n, err := io.CopyBuffer(struct{ io.Writer }{h}, struct{ io.Reader }{file}, *buffer)
	if err == nil && n != size {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// room reports whether size more bytes may stay on disk.
func (c *content) room(size int64) bool { return c.onDisk.Load()+size <= c.keep }

func (c *content) remove(part *receipt) {
	if part.file == "" {
		return
	}
	if info, err := os.Stat(part.file); err == nil {
		c.onDisk.Add(-info.Size())
	}
	os.Remove(part.file)
	part.file = ""
}

func (c *content) create() (*os.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, os.ErrClosed
	}
	if c.made == "" {
		made, err := os.MkdirTemp(c.dir, "vodlive-simulator-")
		if err != nil {
			return nil, err
		}
		c.made = made
	}
	return os.CreateTemp(c.made, "part-")
}

func (c *content) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.made == "" {
		return nil
	}
	return os.RemoveAll(c.made)
}

type countingWriter struct {
	w io.Writer
	n *atomic.Int64
}

func (w countingWriter) Write(p []byte) (int, error) {
	n, err := w.w.Write(p)
	w.n.Add(int64(n))
	return n, err
}
