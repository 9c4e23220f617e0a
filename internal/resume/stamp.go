package resume

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"path/filepath"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/regularfile"
)

// settled is longer than the resolution of the times of file systems, within which a second change
// keeps the time.
const settled = 2 * time.Second

// Stamp identifies the file at a path, its size, its modification time and, where the system has
// one, the time of its last change of any kind, which ordinary programs cannot set. A file with an
// equal stamp has not been touched. It is "" for what is not a regular file, and for a file that
// was changed within the last two seconds, or in the future by this machine's clock: another change
// might leave its times the same.
func Stamp(path string) string { return lookAt(path).stamp }

// look is a file as it was found.
type look struct {
	stamp   string
	size    int64 // bytes
	modTime time.Time
}

func lookAt(path string) look {
	now := time.Now()
	f, info, err := regularfile.Open(path)
	if err != nil {
		return look{}
	}
	defer func() { _ = f.Close() }()
	id, changed := fileState(f.File)
	if now.Sub(info.ModTime()) <= settled || now.Sub(changed) <= settled {
		return look{}
	}
	absolute, _ := filepath.Abs(path)
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d\n%d", absolute, id, info.Size(), info.ModTime().UnixNano()))
	return look{stamp: base64.RawURLEncoding.EncodeToString(sum[:6]), size: info.Size(), modTime: info.ModTime()}
}
