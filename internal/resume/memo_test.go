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
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Until(info.ModTime().Add(time.Hour)))
}

func remember(t *testing.T, size int, age time.Duration) remembered {
	t.Helper()
	r := remembered{dir: t.TempDir(), path: filepath.Join(t.TempDir(), "media.mp4")}
	content := make([]byte, size)
	if err := os.WriteFile(r.path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	settle(t, r.path)
	changed := time.Now().Add(-age)
	if err := os.Chtimes(r.path, changed, changed); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(r.path)
	if err != nil {
		t.Fatal(err)
	}
	r.digest = transfer.Digest{Size: info.Size(), SHA256: sha256.Sum256(content), ModTime: info.ModTime(), Sums: transfer.Sums{PartSize: 3 << 20, Parts: []transfer.PartSum{
		{MD5: [16]byte{1, 2}, CRC: 3}, {MD5: [16]byte{4, 5}, CRC: 1 << 63},
	}}}
	r.sum = hex.EncodeToString(r.digest.SHA256[:])
	memo := resume.New(r.dir, nil).Memo(t.Context(), r.path)
	if memo.SHA256() != "" {
		t.Fatal("a hash was known before the file was read")
	}
	memo.Remember(t.Context(), r.digest)
	return r
}

func (r remembered) file(t *testing.T) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(r.dir, resume.Folder, "hash-*.json"))
	if err != nil || len(names) != 1 {
		t.Fatalf("hashes: %v, %v", names, err)
	}
	return names[0]
}

const large = 5 << 20

// TestHashIsRemembered runs on every platform of a release.
func TestHashIsRemembered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := remember(t, large, time.Hour)
		memo := resume.New(r.dir, nil).Memo(t.Context(), r.path)
		if memo.SHA256() != r.sum || memo.Size() != large || !reflect.DeepEqual(memo.Sums(), r.digest.Sums) {
			t.Errorf("got %q and %v, want %q and %v", memo.SHA256(), memo.Sums(), r.sum, r.digest.Sums)
		}
		r.file(t)
		resume.New(r.dir, nil).Forget(t.Context(), r.path)
		if memo := resume.New(r.dir, nil).Memo(t.Context(), r.path); memo.SHA256() != "" || len(memo.Sums().Parts) > 0 {
			t.Errorf("not forgotten: %q, %v", memo.SHA256(), memo.Sums())
		}
	})
}

// TestDamagedSumsAreNotUsed changes one character of an entry after the other.
func TestDamagedSumsAreNotUsed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := remember(t, large, time.Hour)
		whole, err := os.ReadFile(r.file(t))
		if err != nil {
			t.Fatal(err)
		}
		for i := range whole {
			damaged := bytes.Clone(whole)
			if damaged[i]++; whole[i] == '9' {
				damaged[i] = '0'
			}
			if err := os.WriteFile(r.file(t), damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			if memo := resume.New(r.dir, nil).Memo(t.Context(), r.path); memo.SHA256() != "" || len(memo.Sums().Parts) > 0 {
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
			if err := os.Chtimes(path, now, now.Add(-age)); err != nil {
				t.Fatal(err)
			}
			if stamp := resume.Stamp(path); (stamp != "") != kept {
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
			if err := os.Chtimes(r.path, r.digest.ModTime, r.digest.ModTime); err != nil {
				t.Fatal(err)
			}
		},
		"rewritten": func(t *testing.T, r remembered) { rewrite(t, r.path, large) },
		"longer":    func(t *testing.T, r remembered) { rewrite(t, r.path, large+1) },
		"another file under its name": func(t *testing.T, r remembered) {
			other := r.path + ".other"
			rewrite(t, other, large)
			if err := os.Chtimes(other, r.digest.ModTime, r.digest.ModTime); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(other, r.path); err != nil {
				t.Fatal(err)
			}
		},
		"gone": func(t *testing.T, r remembered) {
			if err := os.Remove(r.path); err != nil {
				t.Fatal(err)
			}
		},
		"folder": func(t *testing.T, r remembered) {
			if err := os.Remove(r.path); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(r.path, 0o700); err != nil {
				t.Fatal(err)
			}
		},
		"damaged memo": func(t *testing.T, r remembered) { rewrite(t, r.file(t), 10) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := remember(t, large, time.Hour)
				change(t, r)
				if got := resume.New(r.dir, nil).Memo(t.Context(), r.path).SHA256(); got != "" {
					t.Errorf("used: %q", got)
				}
			})
		})
	}
}

func rewrite(t *testing.T, path string, size int) {
	t.Helper()
	content := make([]byte, size)
	content[0] = 'x'
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestHashIsNotRemembered(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		size int
		age  time.Duration
	}{
		"small file":      {1000, time.Hour},
		"from the future": {large, -time.Hour}, "just written": {large, time.Second},
		"empty small file": {0, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := remember(t, tc.size, tc.age)
				if got := resume.New(r.dir, nil).Memo(t.Context(), r.path).SHA256(); got != "" {
					t.Errorf("remembered: %q", got)
				}
			})
		})
	}
	t.Run("file that changed while it was read", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			r := remember(t, large, time.Hour)
			resume.New(r.dir, nil).Forget(t.Context(), r.path)
			memo := resume.New(r.dir, nil).Memo(t.Context(), r.path)
			rewrite(t, r.path, large)
			memo.Remember(t.Context(), r.digest)
			if got := resume.New(r.dir, nil).Memo(t.Context(), r.path).SHA256(); got != "" {
				t.Errorf("remembered: %q", got)
			}
		})
	})
}
