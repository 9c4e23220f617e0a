package main

import (
	"crypto/md5" //nolint:gosec // the ETag of S3
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// sums are what is known of the content before it is sent.
type sums struct {
	sha256 string
	etags  etags
	files  []string // SHA-256 of each file of a folder, by name
}

// makeFile writes random content, and leaves it in the page cache.
func makeFile(path string, size int64) (sums, error) {
	f, err := os.Create(path)
	if err != nil {
		return sums{}, err
	}
	defer f.Close()
	random := rand.NewChaCha8([32]byte{1})
	all, whole := sha256.New(), md5.New() //nolint:gosec // see above
	s := sums{etags: etags{size: size}}
	part := make([]byte, min(transfer.PartSize(size), size))
	for left := size; left > 0; {
		part = part[:min(left, int64(len(part)))]
		_, _ = random.Read(part)
		if _, err := f.Write(part); err != nil {
			return sums{}, err
		}
		all.Write(part)
		whole.Write(part)
		sum := md5.Sum(part) //nolint:gosec // see above
		s.etags.parts = append(s.etags.parts, hex.EncodeToString(sum[:]))
		left -= int64(len(part))
	}
	s.sha256 = hex.EncodeToString(all.Sum(nil))
	s.etags.whole = hex.EncodeToString(whole.Sum(nil))
	// On disk before anything is timed.
	if err := f.Sync(); err != nil {
		return sums{}, err
	}
	return s, f.Close()
}

// makeFiles writes a folder of files of one size.
func makeFiles(dir string, count int, size int64) (sums, []string, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return sums{}, nil, err
	}
	random := rand.NewChaCha8([32]byte{2})
	s := sums{etags: etags{files: make(map[string]string)}}
	var paths []string
	content := make([]byte, size)
	for i := range count {
		name := fmt.Sprintf("clip-%03d.mp4", i)
		_, _ = random.Read(content)
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return sums{}, nil, err
		}
		sha, sum := sha256.Sum256(content), md5.Sum(content) //nolint:gosec // see above
		s.files = append(s.files, hex.EncodeToString(sha[:]))
		s.etags.files[name] = hex.EncodeToString(sum[:])
		paths = append(paths, path)
	}
	return s, paths, nil
}
