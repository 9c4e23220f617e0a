package mediafile

import (
	"os"
	"path/filepath"

	"golang.org/x/text/unicode/norm"
)

// OnDisk returns a path with its names as the disk has them. Terraform composes the letters of all
// text (NFC), and a name from a Mac may have decomposed ones. A path that is there, or that is not
// there in any form, stays as it is.
func OnDisk(path string) string {
	if _, err := os.Lstat(path); err == nil || isASCII(path) {
		return path
	}
	parent, name := filepath.Split(path)
	if name == "" || parent == path {
		return path
	}
	folder := "."
	if parent != "" {
		folder = OnDisk(filepath.Clean(parent))
	}
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		if norm.NFC.String(entry.Name()) == norm.NFC.String(name) {
			return filepath.Join(folder, entry.Name())
		}
	}
	return path
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] > '~' {
			return false
		}
	}
	return true
}
