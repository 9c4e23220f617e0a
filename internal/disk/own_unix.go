//go:build unix

package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const noFollow = syscall.O_NOFOLLOW

var (
	errForeign  = errors.New("it belongs to another user")
	errWritable = errors.New("other users can write to it")
)

// checkPlace returns why nothing can be kept below a folder, whoever may write to it.
func checkPlace(string) error { return nil }

// checkOwn returns why a file or folder may hold what another user wrote.
func checkOwn(info fs.FileInfo) error {
	switch owner, known := ownerOf(info); {
	case !known || owner != int64(os.Geteuid()):
		return errForeign
	case info.Mode().Perm()&0o022 != 0:
		return errWritable
	}
	return nil
}

// checkParent returns why a folder must not contain the provider's own. Its owner, and without the
// sticky bit everybody who can write to it, can rename or remove what is in it. The group may
// write: many systems give each user a group of their own, and new folders to that group.
func checkParent(info fs.FileInfo) error {
	switch owner, known := ownerOf(info); {
	case !known || owner != int64(os.Geteuid()) && owner != 0:
		return errForeign
	case info.Mode().Perm()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0:
		return errWritable
	}
	return nil
}

func ownerOf(info fs.FileInfo) (uid int64, known bool) {
	s, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return 0, false
	}
	return int64(s.Uid), true
}

// State identifies an open file and its last change of any kind, and says when that was. Both
// are zero if it is not known.
func State(f *os.File) (id string, changed time.Time) {
	var s unix.Stat_t
	if unix.Fstat(int(f.Fd()), &s) != nil {
		return "", time.Time{}
	}
	return fmt.Sprintf("%d:%d:%d.%09d", s.Dev, s.Ino, s.Ctim.Sec, s.Ctim.Nsec), time.Unix(s.Ctim.Unix())
}
