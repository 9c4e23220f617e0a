package upload

import (
	"cmp"
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

// Seen is what is remembered of a file that was uploaded: enough to know it again without reading
// it. The private state of Terraform has it as JSON.
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

// Prepare sets what a file lacks of size, hash, name and media type: an upload needs all of them.
// The hash is "" or hexadecimal in any letter case, and is returned so. detection is as in SHA256.
// Seen describes the file as it was before the upload, which fails if the file changes. It is zero
// for content in memory, of which the name must be set.
func (u *Uploader) Prepare(ctx context.Context, f File, planned, detection string) (File, string, Seen, error) {
	if f.Content != nil {
		return f.prepared(planned)
	}
	info, err := transfer.Stat(f.Path)
	if err != nil {
		return f, "", Seen{}, err
	}
	if planned == "" {
		if planned, err = u.SHA256(ctx, f.Path, detection == DetectStat); err != nil {
			return f, "", Seen{}, err
		}
	}
	if f.Size == 0 {
		f.Size = info.Size()
	}
	if f.Name == "" {
		if f.Name, err = DefaultName(f.Path); err != nil {
			return f, "", Seen{}, err
		}
	}
	if f.ContentType == "" {
		if f.ContentType, err = MediaType(f.Name, f.Path); err != nil {
			return f, "", Seen{}, err
		}
	}
	return f, planned, Seen{Source: f.Path, Size: info.Size(), ModTime: info.ModTime(), SHA256: strings.ToLower(planned)}, nil
}

func (f File) prepared(planned string) (File, string, Seen, error) {
	sum := fmt.Sprintf("%x", sha256.Sum256(f.Content))
	if planned != "" && !strings.EqualFold(planned, sum) {
		return f, "", Seen{}, fmt.Errorf("the SHA-256 of the content is %s, but `sha256` is %s", sum, planned)
	}
	f.Size = int64(len(f.Content))
	f.ContentType = cmp.Or(f.ContentType, ContentType(f.Name, f.Content))
	return f, cmp.Or(planned, sum), Seen{}, nil
}
