package mediaupload

import (
	"fmt"
	"os"
	"syscall"
)

// inode tells a file, and the state of its inode, from any other. "" where the system does not say.
func inode(info os.FileInfo) string {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d:%d:%d.%09d", s.Dev, s.Ino, s.Ctimespec.Sec, s.Ctimespec.Nsec)
}
