//go:build unix

package resume

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

var (
	errForeign  = errors.New("the folder belongs to another user")
	errWritable = errors.New("other users can write to the folder")
)

// checkOwn returns why other users could have written what is in the provider's own folder.
func checkOwn(info fs.FileInfo) error {
	if owner := ownerOf(info); owner != os.Geteuid() {
		return errForeign
	}
	if info.Mode().Perm()&0o022 != 0 {
		return errWritable
	}
	return nil
}

// checkParent returns why other users could replace the provider's own folder in its parent. The
// group may write: many systems give each user a group of their own, and new folders to that group.
func checkParent(info fs.FileInfo) error {
	if owner := ownerOf(info); owner != os.Geteuid() && owner != 0 {
		return errForeign
	}
	if info.Mode().Perm()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0 {
		return errWritable
	}
	return nil
}

// ownerOf returns the id of the user who owns a file, -1 if it is not known.
func ownerOf(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return -1
}

// tryLock locks a file until it is closed. It returns false while another process has the lock.
func tryLock(file *os.File) (bool, error) {
	err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// changeTime returns when a file was changed in any way. Programs cannot set this time.
func changeTime(path string) (time.Time, error) {
	var stat unix.Stat_t
	err := unix.Stat(path, &stat)
	return time.Unix(stat.Ctim.Unix()), err
}
