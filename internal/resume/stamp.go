package resume

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
)

// Stamp identifies the file at a path and its last change of any kind, as far as the system tells:
// a file with an equal stamp has not been touched. It is "" for what is not a regular file, and
// where the system does not tell when a file was last changed.
func Stamp(path string) string {
	file, ok := lookAt(path, 0)
	if !ok {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d\n%d", file.Path, file.State, file.Size, file.ModTime.UnixNano()))
	return base64.RawURLEncoding.EncodeToString(sum[:6])
}
