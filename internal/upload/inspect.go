package upload

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"
	"sync"

	"golang.org/x/text/unicode/norm"

	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// How a plan notices that the content of a file changed.
const (
	DetectStat    = "stat"    // a file that was not touched is not read
	DetectContent = "content" // every process reads the file
)

// SHA256 returns the hash of what a file contains, in lower-case hex. f must have the Path, and
// Method and PartSize as the file will be sent. With DetectStat, a file that was not touched since
// this machine last read it is not read.
func (u *Uploader) SHA256(ctx context.Context, f File, detection string) (string, error) {
	defer u.config.Resume.Flush(ctx)
	sum, _, err := u.sha256(ctx, f, detection)
	return sum, err
}

// sha256 also reports whether the file was read. The sums of the parts, which the upload needs, are
// computed in the same read if they can be remembered.
func (u *Uploader) sha256(ctx context.Context, f File, detection string) (sum string, read bool, err error) {
	look := resume.LookAt(f.Path) // before the file is read: a change during it shows the next time
	if known := u.config.Resume.Content(ctx, look).SHA256; known != "" && detection == DetectStat {
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

// Remembered returns the SHA-256 of a file that was not touched since this machine last read it, ""
// if that is not known.
func (u *Uploader) Remembered(ctx context.Context, path string) string {
	return u.config.Resume.Content(ctx, resume.LookAt(path)).SHA256
}

// sums returns what this machine remembers of the parts of a file with this content.
func (u *Uploader) sums(ctx context.Context, f File, look resume.Look) transfer.Sums {
	if known := u.config.Resume.Content(ctx, look); look.Size == f.Size && known.SHA256 == f.SHA256 {
		return known.Sums
	}
	return transfer.Sums{}
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
		sum := fmt.Sprintf("%x", sha256.Sum256(f.Content))
		if f.SHA256 != "" && f.SHA256 != sum {
			return fmt.Errorf("the SHA-256 of the content is %s, not %s%s", sum, f.SHA256, composedHint(f.Content))
		}
		f.Size, f.SHA256 = int64(len(f.Content)), sum
		return nil
	}
	info, err := transfer.Stat(f.Path)
	if err == nil && f.SHA256 == "" {
		f.SHA256, err = u.SHA256(ctx, *f, detection)
	}
	if err == nil && f.Size == 0 {
		f.Size = info.Size()
	}
	return err
}

// composedHint explains why the hash of a file can differ from the hash of its text, "" if the text
// has no letter that can be decomposed.
func composedHint(content []byte) string {
	if norm.NFD.IsNormal(content) {
		return ""
	}
	return ". Terraform composes the letters of all text, so text with accents from a Mac has another hash than its file. " +
		"To upload the bytes of the file, set `content_base64 = filebase64(PATH)` in place of `content`, or `source = PATH`"
}

// Inspection is what a plan learns of one file of a folder.
type Inspection struct {
	File     File   // only Path, Name, and ContentType if the configuration says it, must be set
	Expected string // SHA-256 that the configuration says, in lower-case hex: such a file is not read; "": none
	Other    string // out: the SHA-256 of a file whose content is not the expected one, if it is known without reading
	SHA256   string // in: of the stored file, "" if none is stored; out: of the file, lower-case hex
	Kept     bool   // out: it is the stored file, and was not read
	Err      error
}

// InspectFiles finds out what the files are now, several at once, and fills in the rest of each
// Inspection. When ctx ends, it skips the remaining files. show, which may be nil, gets a line of
// progress every five seconds.
func (u *Uploader) InspectFiles(ctx context.Context, name string, files []Inspection, detection string, show func(line string)) {
	defer u.config.Resume.Flush(ctx)
	r := u.newReporter(ctx, "reading the files of a folder", show)
	var mu sync.Mutex
	inspected, read, amount := 0, 0, int64(0)
	line := func() string {
		mu.Lock()
		defer mu.Unlock()
		return fmt.Sprintf("%s: looked at %d of %d files, %d read (%s)", name, inspected, len(files), read, bytes(amount))
	}
	defer u.display.begin(ctx, &task{line: line})()
	slots := make(chan struct{}, 4*runtime.GOMAXPROCS(0))
	var running sync.WaitGroup
	for i := range files {
		select {
		case <-ctx.Done():
			continue
		case slots <- struct{}{}:
		}
		running.Go(func() {
			one := &files[i]
			u.inspect(ctx, one, detection)
			<-slots
			mu.Lock()
			inspected++
			if !one.Kept && one.Err == nil {
				read++
				amount += one.File.Size
			}
			mu.Unlock()
			r.report(line, false)
		})
	}
	running.Wait()
}

func (u *Uploader) inspect(ctx context.Context, i *Inspection, detection string) {
	if i.Expected != "" {
		u.expect(ctx, i, detection)
		return
	}
	sum, read, err := u.sha256(ctx, i.File, detection)
	i.Kept, i.SHA256, i.Err = !read && sum == i.SHA256, sum, err
	if !i.Kept && err == nil {
		i.File.SHA256 = sum
		i.File, i.Err = u.Prepare(ctx, i.File, detection)
	}
}

// expect is inspect for a file whose hash is configured.
func (u *Uploader) expect(ctx context.Context, i *Inspection, detection string) {
	if i.Kept = i.SHA256 == i.Expected; i.Kept {
		return
	}
	remembered := u.Remembered(ctx, i.File.Path)
	if detection == DetectStat && remembered != "" && remembered != i.Expected {
		i.Other = remembered
		return
	}
	i.SHA256, i.File.SHA256 = i.Expected, i.Expected
	i.File, i.Err = u.Prepare(ctx, i.File, detection)
}
