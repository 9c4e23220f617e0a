package resume

import (
	"fmt"
	"io/fs"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

const noFollow = 0

// Files and folders have no permission bits on Windows, but access control lists, which they
// inherit from the folder above. So only the provider's own folder is checked: one that another
// user puts in its place belongs to that user.
func checkOwn(fs.FileInfo) error    { return nil }
func checkParent(fs.FileInfo) error { return nil }

// checkFolder returns why the open folder may hold what another user wrote.
func checkFolder(root *os.Root) error {
	folder, err := root.Open(".")
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	descriptor, err := windows.GetSecurityInfo(windows.Handle(folder.Fd()), windows.SE_FILE_OBJECT,
		windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return err
	}
	owner, _, err := descriptor.Owner()
	if err != nil {
		return err
	}
	list, _, err := descriptor.DACL()
	if err != nil {
		return err
	}
	if list == nil {
		return errWritable // everybody may do everything
	}
	self, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return err
	}
	entries := make([]access, list.AceCount)
	for i := range entries {
		var entry *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(list, uint32(i), &entry); err != nil {
			return err
		}
		entries[i] = access{kind: entry.Header.AceType}
		if entry.Header.AceType == accessAllowed {
			entries[i].mask = uint32(entry.Mask)
			entries[i].sid = (*windows.SID)(unsafe.Pointer(&entry.SidStart)).String()
		}
	}
	return checkAccess(owner.String(), self.User.Sid.String(), entries)
}

// fileBasicInfo is FILE_BASIC_INFO. Times are in units of 100 ns.
type fileBasicInfo struct {
	CreationTime, LastAccessTime, LastWriteTime, ChangeTime int64
	FileAttributes                                          uint32
	_                                                       uint32 // to a multiple of eight bytes, also on 32 bits
}

// fileState identifies an open file and its last change of any kind, and says when that was. Both
// are zero where the file system does not tell (FAT).
func fileState(f *os.File) (id string, changed time.Time) {
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
