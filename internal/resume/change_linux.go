package resume

import (
	"fmt"
	"os"
	"syscall"
)

// fileState identifies an open file and its last change of any kind. "" where the system does not
// tell.
func fileState(_ *os.File, info os.FileInfo) string {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d:%d:%d.%09d", s.Dev, s.Ino, s.Ctim.Sec, s.Ctim.Nsec)
}
