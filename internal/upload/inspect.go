package upload

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// hash returns the SHA-256 of what a file contains, in lower-case hex, and whether it was read for
// that. The sums of the parts, which the upload needs, are computed in the same read if they can be
// remembered.
func (u *Uploader) hash(ctx context.Context, f File) (sum string, read bool, err error) {
	look := resume.LookAt(f.Path) // before the file is read: a change during it shows the next time
	if known := u.config.Resume.Content(ctx, look).SHA256; known != "" {
		return known, false, nil
	}
	if f.Size = 0; look.Stamp != "" && look.Size >= resume.LargeFile {
		f.Size = look.Size
	}
	digest, err := u.config.Engine.Hash(ctx, f.Path, f.sumSize())
	if err != nil {
		return "", true, err
	}
	u.config.Resume.Remember(ctx, look, digest)
	return hex.EncodeToString(digest.SHA256[:]), true, nil
}

// Prepare sets what a file lacks of size, hash, name and media type: an upload needs all of them. A
// file whose hash is given is not read.
func (u *Uploader) Prepare(ctx context.Context, f File) (File, error) {
	defer u.config.Resume.Flush(ctx)
	f, _, err := u.prepare(ctx, f)
	return f, err
}

func (u *Uploader) prepare(ctx context.Context, f File) (_ File, read bool, err error) {
	if f.Content != nil {
		sum := fmt.Sprintf("%x", sha256.Sum256(f.Content))
		if f.SHA256 != "" && f.SHA256 != sum {
			return f, false, fmt.Errorf("the SHA-256 of the content is %s, not %s", sum, f.SHA256)
		}
		f.Size, f.SHA256 = int64(len(f.Content)), sum
	} else {
		info, err := transfer.Stat(f.Path)
		if err != nil {
			return f, false, err
		}
		if f.Size = info.Size(); f.CheckSize() != nil {
			return f, false, f.CheckSize()
		}
		if f.SHA256 == "" {
			if f.SHA256, read, err = u.hash(ctx, f); err != nil {
				return f, read, err
			}
		}
	}
	if f.Name == "" && f.Content == nil {
		if f.Name, err = DefaultName(f.Path); err != nil {
			return f, read, err
		}
	}
	if f.ContentType == "" {
		f.ContentType, err = f.DefaultType()
	}
	return f, read, err
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
	var inspected, read, amount atomic.Int64
	defer u.progress.begin(ctx, &task{doing: "reading the files of a folder", show: show, text: func() string {
		return fmt.Sprintf("%s: looked at %d of %d files, %d read (%s)", name, inspected.Load(), len(files), read.Load(), bytes(amount.Load()))
	}})()
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
			one, wasRead, err := u.prepare(ctx, files[i].File)
			files[i] = Inspection{one, err}
			inspected.Add(1)
			if wasRead && err == nil {
				read.Add(1)
				amount.Add(one.Size)
			}
		})
	}
	running.Wait()
}
