package resume

import (
	"errors"
	"io/fs"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Windows has access control lists, which a folder inherits from its parent, in place of modes.
func checkOwn(fs.FileInfo) error    { return nil }
func checkParent(fs.FileInfo) error { return nil }

// tryLock locks a file until it is closed. It returns false while another process has the lock.
func tryLock(file *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(file.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

// basicInfo is FILE_BASIC_INFO. Its times are in units of 100 ns since 1601.
type basicInfo struct {
	Creation, LastAccess, LastWrite, Change int64
	Attributes                              uint32
	_                                       uint32
}

// changeTime returns when a file was changed in any way, the zero time if the file system does not
// tell.
func changeTime(path string) (time.Time, error) {
	file, err := os.Open(path) // #nosec G304 -- the user names it
	if err != nil {
		return time.Time{}, err
	}
	defer func() { _ = file.Close() }()
	var info basicInfo
	err = windows.GetFileInformationByHandleEx(windows.Handle(file.Fd()), windows.FileBasicInfo, (*byte)(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil || info.Change == 0 {
		return time.Time{}, err
	}
	const year1970 = 116_444_736_000_000_000
	return time.Unix(0, (info.Change-year1970)*100), nil
}
