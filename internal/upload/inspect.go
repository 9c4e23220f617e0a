package upload

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// How a plan notices that the content of a file changed.
const (
	DetectStat    = "stat"    // a file that was not touched is not read
	DetectContent = "content" // every process reads the file
)

// quietReading is how long reading files may take before it is reported.
const quietReading = 3 * time.Second

// Fingerprint is content that was read from a file. The private state has it as JSON.
type Fingerprint struct {
	Stamp  string `json:"stamp"`  // of the file before it was read: see resume.Stamp
	SHA256 string `json:"sha256"` // lower-case hex
}

type stampKey struct{ path, sha256 string }

// Fingerprint returns what the file at path contains. It does not read the file if that has not been touched
// since the fingerprint before.
func (u *Uploader) Fingerprint(ctx context.Context, path string, before Fingerprint, detection string) (now Fingerprint, kept bool, err error) {
	stamp := resume.Stamp(path) // before the file is read: a change during it shows the next time
	if detection == DetectStat && before.SHA256 != "" && stamp != "" && stamp == before.Stamp {
		now, kept = before, true
	} else {
		sum, err := u.sha256(ctx, path, detection == DetectStat)
		if err != nil {
			return Fingerprint{}, false, err
		}
		now = Fingerprint{Stamp: stamp, SHA256: hex.EncodeToString(sum[:])}
	}
	u.stamps.Store(stampKey{path, now.SHA256}, stamp)
	return now, kept, nil
}

// Stamp returns the stamp with which this process saw a file with this content, "" if it did not. The
// file may have been touched since.
func (u *Uploader) Stamp(path, sha256 string) string {
	found, _ := u.stamps.Load(stampKey{path, sha256})
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
		var now Fingerprint
		now, _, err = u.Fingerprint(ctx, f.Path, Fingerprint{}, detection)
		f.SHA256 = ParseSHA256(now.SHA256)
	}
	if err == nil && f.Size == 0 {
		f.Size = info.Size()
	}
	return err
}

// Inspection is what a plan learns of one file of a folder.
type Inspection struct {
	File   File   // only Path, Name, and ContentType if the configuration says it, must be set
	SHA256 string // in: of the stored file, "" if none is stored; out: of the file, lower-case hex
	Stamp  string // see resume.Stamp; in: as it was when the stored file was planned; out: as it is
	Kept   bool   // out: the file was not touched since, so it was not read
	Err    error
}

// InspectFiles finds out what the files are now, several at once, and fills in the rest of each Inspection. When ctx ends, it
// leaves out the rest. show, which may be nil, gets a line of progress a second, after the first few.
func (u *Uploader) InspectFiles(ctx context.Context, name string, files []Inspection, detection string, show func(line string)) {
	r := u.newReporter(ctx, "reading the files of a folder", show)
	defer r.close()
	r.lastLine, r.lastLog = time.Now().Add(quietReading-lineInterval), time.Now().Add(quietReading-logInterval)
	var mu sync.Mutex
	inspected, read, bytes := 0, 0, int64(0)
	line := func() string {
		return fmt.Sprintf("%s: looked at %d of %d files, %d read (%s)", name, inspected, len(files), read, size(bytes))
	}
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
			defer mu.Unlock()
			inspected++
			if !one.Kept && one.Err == nil {
				read++
				bytes += one.File.Size
			}
			r.report(line, false)
		})
	}
	running.Wait()
}

func (u *Uploader) inspect(ctx context.Context, i *Inspection, detection string) {
	var now Fingerprint
	now, i.Kept, i.Err = u.Fingerprint(ctx, i.File.Path, Fingerprint{Stamp: i.Stamp, SHA256: i.SHA256}, detection)
	i.SHA256, i.Stamp = now.SHA256, now.Stamp
	if !i.Kept && i.Err == nil {
		i.File.SHA256 = ParseSHA256(now.SHA256)
		i.File, i.Err = u.Prepare(ctx, i.File, detection)
	}
}
