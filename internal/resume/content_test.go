package resume_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// remembered is a folder of records that holds the hash of one large file.
type remembered struct {
	dir, path, sum string
	digest         transfer.Digest
}

// settle lets an hour pass in a bubble of testing/synctest since the file was changed.
func settle(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	must.Succeed(t, err)
	time.Sleep(time.Until(info.ModTime().Add(time.Hour)))
}

func remember(t *testing.T, size int) remembered {
	t.Helper()
	r := remembered{dir: t.TempDir(), path: filepath.Join(t.TempDir(), "media.mp4")}
	content := make([]byte, size)
	must.Succeed(t, os.WriteFile(r.path, content, 0o600))
	settle(t, r.path)
	info, err := os.Stat(r.path)
	must.Succeed(t, err)
	r.digest = transfer.Digest{Size: info.Size(), SHA256: sha256.Sum256(content), ModTime: info.ModTime(), Sums: transfer.Sums{PartSize: 3 << 20, Parts: []transfer.PartSum{
		{MD5: [16]byte{1, 2}, CRC: 3}, {MD5: [16]byte{4, 5}, CRC: 1 << 63},
	}}}
	r.sum = hex.EncodeToString(r.digest.SHA256[:])
	if r.known(t).SHA256 != "" {
		t.Fatal("a hash was known before the file was read")
	}
	r.remember(t, resume.LookAt(r.path))
	return r
}

// known is what a process of its own knows of the file.
func (r remembered) known(t *testing.T) resume.Content {
	t.Helper()
	return resume.New(r.dir, nil).Content(t.Context(), resume.LookAt(r.path))
}

// remember has a process of its own read the file.
func (r remembered) remember(t *testing.T, look resume.Look) {
	t.Helper()
	store := resume.New(r.dir, nil)
	store.Remember(t.Context(), look, r.digest)
	store.Flush(t.Context())
}

// forget has a process of its own see that the file has other content.
func (r remembered) forget(t *testing.T) {
	t.Helper()
	store := resume.New(r.dir, nil)
	store.Forget(t.Context(), resume.LookAt(r.path))
	store.Flush(t.Context())
}

func (r remembered) file(t *testing.T) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(r.dir, resume.Folder, "hashes-*.jsonl"))
	if err != nil || len(names) != 1 {
		t.Fatalf("hashes: %v, %v", names, err)
	}
	return names[0]
}

const large = 5 << 20

// TestHashIsRemembered runs on every platform of a release.
func TestHashIsRemembered(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1000, large} {
		synctest.Test(t, func(t *testing.T) {
			r := remember(t, size)
			if known := r.known(t); known.SHA256 != r.sum || !reflect.DeepEqual(known.Sums, r.digest.Sums) {
				t.Errorf("%d bytes: %+v, want %q and %v", size, known, r.sum, r.digest.Sums)
			}
			r.forget(t)
			if known := r.known(t); known.SHA256 != "" || len(known.Sums.Parts) > 0 {
				t.Errorf("%d bytes: not forgotten: %+v", size, known)
			}
			r.remember(t, resume.LookAt(r.path))
			if known := r.known(t); known.SHA256 != r.sum {
				t.Errorf("%d bytes: not remembered again: %+v", size, known)
			}
		})
	}
}

// TestSentFileIsRemembered: without the sums of its parts, unless they are known.
func TestSentFileIsRemembered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := remember(t, large)
		sent := func(sum string) {
			store := resume.New(r.dir, nil)
			store.Sent(t.Context(), resume.LookAt(r.path), sum)
			store.Flush(t.Context())
		}
		if sent(r.sum); len(r.known(t).Sums.Parts) != 2 {
			t.Errorf("the sums are gone: %+v", r.known(t))
		}
		if sent("other"); r.known(t).SHA256 != "other" || len(r.known(t).Sums.Parts) != 0 {
			t.Errorf("after another content was sent: %+v", r.known(t))
		}
	})
}

// TestHashesEnd when they were not used for seven days.
func TestHashesEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := remember(t, large)
		for range 5 {
			time.Sleep(6 * 24 * time.Hour)
			store := resume.New(r.dir, nil)
			if store.Content(t.Context(), resume.LookAt(r.path)).SHA256 != r.sum {
				t.Fatal("a hash that is used ended")
			}
			store.Flush(t.Context())
			if err := os.Chtimes(r.file(t), time.Now(), time.Now()); err != nil { // by the clock of the bubble
				t.Fatal(err)
			}
		}
		time.Sleep(8 * 24 * time.Hour)
		if known := r.known(t); known.SHA256 != "" {
			t.Errorf("after eight days: %+v", known)
		}
	})
}

// TestHashesDoNotPileUp: what does not count any more leaves the file.
func TestHashesDoNotPileUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := remember(t, large)
		for range 100 {
			r.forget(t)
			r.remember(t, resume.LookAt(r.path))
		}
		content, err := os.ReadFile(r.file(t))
		if lines := bytes.Count(content, []byte("\n")); err != nil || lines > 30 {
			t.Errorf("%d lines about one file, %v", lines, err)
		}
		if known := r.known(t); known.SHA256 != r.sum {
			t.Errorf("remembered: %+v", known)
		}
	})
}

// TestDamagedSumsAreNotUsed changes one character of an entry after the other.
func TestDamagedSumsAreNotUsed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := remember(t, large)
		whole, err := os.ReadFile(r.file(t))
		must.Succeed(t, err)
		for i := range whole {
			damaged := bytes.Clone(whole)
			if damaged[i]++; whole[i] == '9' {
				damaged[i] = '0'
			}
			must.Succeed(t, os.WriteFile(r.file(t), damaged, 0o600))
			if known := r.known(t); known.SHA256 != "" || len(known.Sums.Parts) > 0 {
				t.Fatalf("used: %s", damaged)
			}
		}
	})
}

// TestFreshFilesHaveNoStamp: on a file system with times of a second, the next change may leave
// them as they are.
func TestFreshFilesHaveNoStamp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "media.mp4")
		rewrite(t, path, 10)
		settle(t, path)
		now := time.Now()
		for age, kept := range map[time.Duration]bool{-time.Hour: false, 0: false, time.Second: false, 2 * time.Second: false, 3 * time.Second: true, time.Hour: true} {
			must.Succeed(t, os.Chtimes(path, now, now.Add(-age)))
			if stamp := resume.LookAt(path).Stamp; (stamp != "") != kept {
				t.Errorf("modified %s ago: stamp %q", age, stamp)
			}
		}
	})
}

func TestHashOfAChangedFileIsNotUsed(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*testing.T, remembered){
		"rewritten under its old size and time": func(t *testing.T, r remembered) {
			rewrite(t, r.path, large)
			must.Succeed(t, os.Chtimes(r.path, r.digest.ModTime, r.digest.ModTime))
		},
		"rewritten": func(t *testing.T, r remembered) { rewrite(t, r.path, large) },
		"longer":    func(t *testing.T, r remembered) { rewrite(t, r.path, large+1) },
		"another file under its name": func(t *testing.T, r remembered) {
			other := r.path + ".other"
			rewrite(t, other, large)
			must.Succeed(t, os.Chtimes(other, r.digest.ModTime, r.digest.ModTime))
			must.Succeed(t, os.Rename(other, r.path))
		},
		"gone": func(t *testing.T, r remembered) {
			must.Succeed(t, os.Remove(r.path))
		},
		"folder": func(t *testing.T, r remembered) {
			must.Succeed(t, os.Remove(r.path))
			must.Succeed(t, os.Mkdir(r.path, 0o700))
		},
		"damaged file": func(t *testing.T, r remembered) { rewrite(t, r.file(t), 10) },
	} {
		bubble.Run(t, name, func(t *testing.T) {
			r := remember(t, large)
			change(t, r)
			if got := r.known(t).SHA256; got != "" {
				t.Errorf("used: %q", got)
			}
		})
	}
}

func rewrite(t *testing.T, path string, size int) {
	t.Helper()
	content := make([]byte, size)
	content[0] = 'x'
	must.Succeed(t, os.WriteFile(path, content, 0o600))
}

// TestFileThatChangesWhileItIsRead is not remembered.
func TestFileThatChangesWhileItIsRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := remember(t, large)
		r.forget(t)
		size, modTime := r.digest, r.digest
		size.Size++
		modTime.ModTime = modTime.ModTime.Add(time.Second)
		for _, r.digest = range []transfer.Digest{size, modTime} {
			r.remember(t, resume.LookAt(r.path))
			if got := r.known(t).SHA256; got != "" {
				t.Errorf("remembered: %q", got)
			}
		}
	})
}

// TestHashesWithoutAFolder are remembered for as long as the process runs.
func TestHashesWithoutAFolder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := remember(t, large)
		store := resume.New("", nil)
		store.Remember(t.Context(), resume.LookAt(r.path), r.digest)
		store.Flush(t.Context())
		if got := store.Content(t.Context(), resume.LookAt(r.path)).SHA256; got != r.sum {
			t.Errorf("remembered: %q", got)
		}
	})
}
