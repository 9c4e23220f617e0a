package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

const noFollow = 0

// Files and folders have no permission bits on Windows, but access control lists, which they
// inherit from the folder above. So only what is below the LocalAppData folder of the user is used,
// to which no other user but administrators can write.
func checkOwn(fs.FileInfo) error    { return nil }
func checkParent(fs.FileInfo) error { return nil }

// checkPlace returns why nothing can be kept below a folder.
func checkPlace(dir string) error {
	private, err := windows.KnownFolderPath(windows.FOLDERID_LocalAppData, windows.KF_FLAG_DEFAULT)
	if err == nil {
		private, err = filepath.EvalSymlinks(private)
	}
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return err
	}
	if below, err := filepath.Rel(private, dir); err != nil || !filepath.IsLocal(below) {
		return errors.New("it is not below the LocalAppData folder of this user, " + private)
	}
	return nil
}

// fileBasicInfo is FILE_BASIC_INFO. Times are in units of 100 ns.
type fileBasicInfo struct {
	CreationTime, LastAccessTime, LastWriteTime, ChangeTime int64
	FileAttributes                                          uint32
	_                                                       uint32 // to a multiple of eight bytes, also on 32 bits
}

// State identifies an open file and its last change of any kind, and says when that was. Both
// are zero where the file system does not tell (FAT).
func State(f *os.File) (id string, changed time.Time) {
	handle := windows.Handle(f.Fd())
	var basic fileBasicInfo
	err := windows.GetFileInformationByHandleEx(handle, windows.FileBasicInfo, (*byte)(unsafe.Pointer(&basic)), uint32(unsafe.Sizeof(basic)))
	if err != nil || basic.ChangeTime == 0 {
		return "", time.Time{}
	}
	var file windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(handle, &file); err != nil {
		return "", time.Time{}
	}
	const epoch = 116_444_736_000_000_000 // 1970 in the units of ChangeTime, which begins in 1601
	return fmt.Sprintf("%d:%d:%d:%d", file.VolumeSerialNumber, file.FileIndexHigh, file.FileIndexLow, basic.ChangeTime), time.Unix(0, (basic.ChangeTime-epoch)*100)
}
