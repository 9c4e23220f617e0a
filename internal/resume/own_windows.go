package resume

import (
	"fmt"
	"io/fs"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

const noFollow = 0

// Windows has no permission bits: a folder inherits access from the one above it, and the default
// folder is in the user's profile.
func checkOwn(fs.FileInfo) error    { return nil }
func checkParent(fs.FileInfo) error { return nil }

// fileBasicInfo is FILE_BASIC_INFO. Times are in units of 100 ns.
type fileBasicInfo struct {
	CreationTime, LastAccessTime, LastWriteTime, ChangeTime int64
	FileAttributes                                          uint32
	_                                                       uint32 // to a multiple of eight bytes, also on 32 bits
}

// fileState identifies an open file and its last change of any kind. "" where the file system does
// not tell (FAT).
func fileState(f *os.File) string {
	handle := windows.Handle(f.Fd())
	var basic fileBasicInfo
	err := windows.GetFileInformationByHandleEx(handle, windows.FileBasicInfo, (*byte)(unsafe.Pointer(&basic)), uint32(unsafe.Sizeof(basic)))
	if err != nil || basic.ChangeTime == 0 {
		return ""
	}
	var file windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(handle, &file); err != nil {
		return ""
	}
	return fmt.Sprintf("%d:%d:%d:%d", file.VolumeSerialNumber, file.FileIndexHigh, file.FileIndexLow, basic.ChangeTime)
}
