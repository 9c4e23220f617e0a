package upload

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// How a plan notices that the content of a file changed.
const (
	DetectStat    = "stat"    // a file that was not touched is not read
	DetectContent = "content" // every process reads the file
)

// Seen is enough to know a file again without reading it. The private state has it as JSON.
type Seen struct {
	Source  string    `json:"source"` // as configured
	Size    int64     `json:"size"`   // bytes
	ModTime time.Time `json:"mod_time"`
	SHA256  string    `json:"sha256"` // lower-case hex
}

// Is reports whether a file is the one that was seen, with this content, and was not touched since.
func (s Seen) Is(source string, info os.FileInfo, sha256 string) bool {
	return s.Source == source && s.Size == info.Size() && s.ModTime.Equal(info.ModTime()) && strings.EqualFold(s.SHA256, sha256)
}

// Prepare sets what a file lacks of size, hash, name and media type: an upload needs all of them. Seen is
// the file as it was before. Content in memory has no Seen and no default name.
func (u *Uploader) Prepare(ctx context.Context, f File, detection string) (File, Seen, error) {
	seen, err := u.measure(ctx, &f, detection)
	if err == nil && f.Name == "" && f.Content == nil {
		f.Name, err = DefaultName(f.Path)
	}
	if err == nil && f.ContentType == "" {
		f.ContentType, err = f.DefaultType()
	}
	return f, seen, err
}

func (u *Uploader) measure(ctx context.Context, f *File, detection string) (Seen, error) {
	if f.Content != nil {
		sum := sha256.Sum256(f.Content)
		if f.SHA256 != noHash && f.SHA256 != sum {
			return Seen{}, fmt.Errorf("the SHA-256 of the content is %x, but `sha256` is %x", sum, f.SHA256)
		}
		f.Size, f.SHA256 = int64(len(f.Content)), sum
		return Seen{}, nil
	}
	info, err := transfer.Stat(f.Path)
	if err == nil && f.SHA256 == noHash {
		f.SHA256, err = u.SHA256(ctx, f.Path, detection == DetectStat)
	}
	if err != nil {
		return Seen{}, err
	}
	if f.Size == 0 {
		f.Size = info.Size()
	}
	return Seen{Source: f.Path, Size: info.Size(), ModTime: info.ModTime(), SHA256: f.HexSHA256()}, nil
}
