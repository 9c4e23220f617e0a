package upload

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"
	"sync"

	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
)

// Prepare sets what a file lacks of size, hash, name and media type: an upload needs all of them. A
// file whose hash is given is not read.
func (u *Uploader) Prepare(ctx context.Context, f File) (File, error) {
	defer u.config.Resume.Flush(ctx)
	return u.prepare(ctx, f)
}

func (u *Uploader) prepare(ctx context.Context, f File) (_ File, err error) {
	if f.Content != nil {
		sum := fmt.Sprintf("%x", sha256.Sum256(f.Content))
		if f.SHA256 != "" && f.SHA256 != sum {
			return f, fmt.Errorf("the SHA-256 of the content is %s, not %s", sum, f.SHA256)
		}
		f.Size, f.SHA256 = int64(len(f.Content)), sum
	} else {
		if f.Size, err = f.Check(); err != nil {
			return f, err
		}
		if f.SHA256 == "" {
			if f.SHA256, err = u.hash(ctx, f); err != nil {
				return f, err
			}
		}
	}
	if f.Name == "" && f.Content == nil {
		if f.Name, err = DefaultName(f.Path); err != nil {
			return f, err
		}
	}
	f.ContentType = cmp.Or(f.ContentType, f.DefaultType())
	return f, nil
}

// hash returns the SHA-256 of what a file contains, in lower-case hex. The sums of the parts, which
// the upload needs, are computed in the same read if they can be remembered.
func (u *Uploader) hash(ctx context.Context, f File) (string, error) {
	look := resume.LookAt(f.Path) // before the read: a change during it shows the next time
	if known := u.config.Resume.Content(ctx, look).SHA256; known != "" {
		return known, nil
	}
	partSize := int64(0)
	if look.Stamp != "" && look.Size >= recordedSize {
		f.Size = look.Size
		partSize = f.sumSize()
	}
	read, err := u.config.Engine.Hash(ctx, f.Path, partSize)
	if err != nil {
		return "", err
	}
	u.config.Resume.Remember(ctx, look, read)
	return hex.EncodeToString(read.SHA256[:]), nil
}

// Inspection is one file of a folder: in, as far as the configuration says it; out, with what
// Prepare adds.
type Inspection struct {
	File
	Err error
}

// InspectFiles is Prepare for the files of a folder, several at once. When ctx ends, it skips the
// remaining files. show, which may be nil, gets a line of progress every five seconds.
func (u *Uploader) InspectFiles(ctx context.Context, name string, files []Inspection, show func(line string)) {
	defer u.config.Resume.Flush(ctx)
	t := &task{counts: counts{files: len(files)}, doing: "reading the files of a folder", name: name, reading: true, show: show}
	defer u.progress.begin(ctx, t)()
	slots := make(chan struct{}, 4*runtime.GOMAXPROCS(0))
	var running sync.WaitGroup
	for i := range files {
		select {
		case <-ctx.Done():
			continue
		case slots <- struct{}{}:
		}
		running.Go(func() {
			defer func() { <-slots }()
			one, err := u.prepare(ctx, files[i].File)
			files[i] = Inspection{one, err}
			u.progress.looked(t)
		})
	}
	running.Wait()
}
