package upload

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// How a plan notices that the content of a file changed.
const (
	DetectStat    = "stat"    // a file that was not touched is not read
	DetectContent = "content" // every process reads the file
)

// Seen is content that was read from a file. The private state has it as JSON.
type Seen struct {
	Stamp  string `json:"stamp"`  // of the file before it was read: see resume.Stamp
	SHA256 string `json:"sha256"` // lower-case hex
}

type seenKey struct{ path, sha256 string }

// See returns what the file at path contains. It does not read the file if that has not been touched
// since it was seen before.
func (u *Uploader) See(ctx context.Context, path string, before Seen, detection string) (now Seen, kept bool, err error) {
	stamp := resume.Stamp(path) // before the file is read: a change during it shows the next time
	if detection == DetectStat && before.SHA256 != "" && stamp != "" && stamp == before.Stamp {
		now, kept = before, true
	} else {
		sum, err := u.sha256(ctx, path, detection == DetectStat)
		if err != nil {
			return Seen{}, false, err
		}
		now = Seen{Stamp: stamp, SHA256: hex.EncodeToString(sum[:])}
	}
	u.seen.Store(seenKey{path, now.SHA256}, stamp)
	return now, kept, nil
}

// Stamp returns the stamp with which this process saw a file with this content, "" if it did not. The
// file may have been touched since.
func (u *Uploader) Stamp(path, sha256 string) string {
	found, _ := u.seen.Load(seenKey{path, sha256})
	stamp, _ := found.(string)
	return stamp
}

// sha256 reads each file once per process; with remembered, not if this machine has hashed it before
// and it has not been touched since.
func (u *Uploader) sha256(ctx context.Context, path string, remembered bool) ([32]byte, error) {
	memo := u.config.Resume.Memo(ctx, path)
	if sum := ParseSHA256(memo.SHA256()); sum != noHash && remembered {
		return sum, nil
	}
	digest, err := u.config.Engine.Hash(ctx, path)
	if err == nil {
		memo.Remember(ctx, digest)
	}
	return digest.SHA256, err
}

// Prepare sets what a file lacks of size, hash, name and media type: an upload needs all of them.
// Content in memory has no default name.
func (u *Uploader) Prepare(ctx context.Context, f File, detection string) (File, error) {
	err := u.measure(ctx, &f, detection)
	if err == nil && f.Name == "" && f.Content == nil {
		f.Name, err = DefaultName(f.Path)
	}
	if err == nil && f.ContentType == "" {
		f.ContentType, err = f.DefaultType()
	}
	return f, err
}

func (u *Uploader) measure(ctx context.Context, f *File, detection string) error {
	if f.Content != nil {
		sum := sha256.Sum256(f.Content)
		if f.SHA256 != noHash && f.SHA256 != sum {
			return fmt.Errorf("the SHA-256 of the content is %x, but `sha256` is %x", sum, f.SHA256)
		}
		f.Size, f.SHA256 = int64(len(f.Content)), sum
		return nil
	}
	info, err := transfer.Stat(f.Path)
	if err == nil && f.SHA256 == noHash {
		var seen Seen
		seen, _, err = u.See(ctx, f.Path, Seen{}, detection)
		f.SHA256 = ParseSHA256(seen.SHA256)
	}
	if err == nil && f.Size == 0 {
		f.Size = info.Size()
	}
	return err
}
