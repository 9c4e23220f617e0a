package main

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"

	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

const mebibyte = int64(1) << 20

// content is what is known of files before they are sent. Sums are in hex.
type content struct {
	dir    string
	paths  []string
	size   int64             // of each file
	sha256 []string          // of each file
	md5    map[string]string // by base name
	parts  []string          // MD5 of the engine's parts of a single file
}

// write writes files of random content into a folder, and leaves them in the page cache.
func (b *bench) write(count int, size int64) (c content, err error) {
	c = content{size: size, md5: map[string]string{}}
	if c.dir, err = os.MkdirTemp(b.work, "content-"); err != nil {
		return c, err
	}
	random := rand.NewChaCha8([32]byte{1})
	buffer := make([]byte, min(transfer.PartSize(size), size))
	for i := range count {
		name := fmt.Sprintf("clip-%05d.mp4", i)
		f, err := os.Create(filepath.Join(c.dir, name))
		if err != nil {
			return c, err
		}
		sha, whole := sha256.New(), md5.New()
		c.parts = nil
		for left := size; left > 0; left -= int64(len(buffer)) {
			part := buffer[:min(left, int64(len(buffer)))]
			_, _ = random.Read(part)
			if _, err := f.Write(part); err != nil {
				return c, err
			}
			sha.Write(part)
			whole.Write(part)
			sum := md5.Sum(part)
			c.parts = append(c.parts, hex.EncodeToString(sum[:]))
		}
		if err := f.Close(); err != nil {
			return c, err
		}
		c.paths = append(c.paths, f.Name())
		c.sha256 = append(c.sha256, hex.EncodeToString(sha.Sum(nil)))
		c.md5[name] = hex.EncodeToString(whole.Sum(nil))
	}
	syscall.Sync() // on disk before anything is timed
	return c, nil
}
