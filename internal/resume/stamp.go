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

// Look is a file as it was found.
type Look struct {
	// Stamp identifies the file at a path, its size, its modification time and, where the system
	// has one, the time of its last change of any kind, which ordinary programs cannot set. A file
	// with an equal stamp has not been touched. It is "" for what is not a regular file, and for a
	// file that was changed within the last two seconds, or in the future by this machine's clock:
	// another change might leave its times the same.
	Stamp string
	Size  int64 // bytes

	folder  string // absolute, of the file
	modTime time.Time
}

// LookAt looks at the file at a path, without its content.
func LookAt(path string) Look {
	now := time.Now()
	f, info, err := regularfile.Open(path)
	if err != nil {
		return Look{}
	}
	defer func() { _ = f.Close() }()
	absolute, _ := filepath.Abs(path) // "" if the working folder is gone: the stamp differs
	look := Look{Size: info.Size(), folder: filepath.Dir(absolute), modTime: info.ModTime()}
	id, changed := fileState(f.File)
	if now.Sub(info.ModTime()) > settled && now.Sub(changed) > settled {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d\n%d", absolute, id, info.Size(), info.ModTime().UnixNano()))
		look.Stamp = base64.RawURLEncoding.EncodeToString(sum[:12])
	}
	return look
}
