package simulator

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"io"
)

// receipt describes the body of one PUT.
type receipt struct {
	size int64
	md5  [md5.Size]byte
	etag string
	// sha256 is lower-case hex, "" with Options.DiscardContent.
	sha256 string
	// checksum is the base64 checksum of Options.PartChecksum, "" for none.
	checksum string
	// content is that of a part, because the SHA-256 of an object needs its parts in order, and they
	// arrive in any order. It is empty with Options.DiscardContent.
	content []byte
}

// receive reads size bytes from a body. The error of a body that ends early is io.ErrUnexpectedEOF.
func (o Options) receive(body io.Reader, size int64, isPart bool) (*receipt, error) {
	sum, sha, checksum := md5.New(), sha256.New(), newChecksum(o.PartChecksum)
	writers := []io.Writer{sum}
	var content bytes.Buffer
	if !o.DiscardContent {
		writers = append(writers, sha)
	}
	if checksum != nil {
		writers = append(writers, checksum)
	}
	if isPart && !o.DiscardContent {
		content.Grow(int(min(size, 64<<20)))
		writers = append(writers, &content)
	}
	n, err := io.Copy(io.MultiWriter(writers...), io.LimitReader(body, size))
	if err == nil && n < size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	received := &receipt{size: n, content: content.Bytes()}
	copy(received.md5[:], sum.Sum(nil))
	received.etag = `"` + hex.EncodeToString(received.md5[:]) + `"`
	if o.Encryption == kms {
		received.etag = opaque(received.etag)
	}
	if !o.DiscardContent {
		received.sha256 = hex.EncodeToString(sha.Sum(nil))
	}
	if checksum != nil {
		received.checksum = base64.StdEncoding.EncodeToString(checksum.Sum(nil))
	}
	return received, nil
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
