//go:build unix

package digest

import (
	"os"
	"syscall"
)

// fileID tells a file from another that took its name.
func fileID(info os.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Ino) //nolint:unconvert // its type differs between systems
	}
	return 0
}
