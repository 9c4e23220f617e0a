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
)

const bufferSize = 256 << 10

// content hashes the bodies of PUTs, and keeps those of parts in files until the upload ends.
type content struct {
	dir      string
	minPart  int64 // as Options.MinPartSize
	discard  bool
	checksum string    // as Options.PartChecksum
	buffers  sync.Pool // of *[]byte

	mu     sync.Mutex
	made   string
	closed bool
}

func newContent(o Options) *content {
	return &content{dir: o.Dir, minPart: o.MinPartSize, discard: o.DiscardContent, checksum: o.PartChecksum}
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
	// sha256 is lower-case hex, "" with Options.DiscardContent.
	sha256 string
	// checksum is the base64 checksum of Options.PartChecksum, "" for none.
	checksum string
	// file contains the bytes; "" if they are not kept.
	file string
}

// receive reads size bytes from body. It also writes them to a file if kept.
func (c *content) receive(body io.Reader, size int64, kept bool) (_ *receipt, err error) {
	sum, sha := md5.New(), sha256.New()
	writers := []io.Writer{sum}
	if !c.discard {
		writers = append(writers, sha)
	}
	checksum := newChecksum(c.checksum)
	if checksum != nil {
		writers = append(writers, checksum)
	}
	part := &receipt{}
	if kept && !c.discard {
		file, createErr := c.create()
		if createErr != nil {
			return nil, createErr
		}
		part.file = file.Name()
		defer func() {
			err = errors.Join(err, file.Close())
			if err != nil {
				part.remove()
			}
		}()
		writers = append(writers, file)
	}
	part.size, err = c.copy(body, size, io.MultiWriter(writers...))
	copy(part.md5[:], sum.Sum(nil))
	if !c.discard {
		part.sha256 = hex.EncodeToString(sha.Sum(nil))
	}
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

// copy copies size bytes, fewer only with an error. The error of a body that ends early is
// io.ErrUnexpectedEOF.
func (c *content) copy(from io.Reader, size int64, to io.Writer) (int64, error) {
	buffer := c.buffer()
	defer c.buffers.Put(buffer)
	n, err := io.CopyBuffer(to, struct{ io.Reader }{io.LimitReader(from, size)}, *buffer)
	if err == nil && n < size {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// whole is the SHA-256 over parts, in lower-case hex.
func (c *content) whole(parts []*receipt) (string, error) {
	whole := sha256.New()
	for _, part := range parts {
		file, err := os.Open(part.file)
		if err != nil {
			return "", err
		}
		_, err = c.copy(file, part.size, whole)
		if err := errors.Join(err, file.Close()); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(whole.Sum(nil)), nil
}

func (p *receipt) remove() {
	if p.file != "" {
		_ = os.Remove(p.file) // Close removes the folder
	}
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
