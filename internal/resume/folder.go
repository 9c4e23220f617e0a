package resume

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/regularfile"
)

// maxBytes is the largest file that is read. A record of 10,000 parts takes about 1 MB, a list of
// 10,000 files about 6 MB.
const maxBytes = 256 << 20

// ownName matches the names that this package makes, temporary ones included, and no others: of
// records, their locks and their ends, of remembered hashes, of lines of the ledger, and of the
// locks of processes. Files of earlier builds are only removed: ledger-*, hash-*, records whose
// names have no hyphen behind the first, and lines with a digest of 32 digits.
var ownName = regexp.MustCompile(`^((upload-[0-9a-f]{32}\.json|ledger-[0-9a-f]{32}-[0-9a-f]{16}\.jsonl)(\.lock)?|hash-[0-9a-f]{32}\.json|hashes-[0-9a-f]{32}\.jsonl|` +
	recordPattern + `|completed-[0-9a-f]{16}\.json|upload-[0-9a-f]{16}\.json\.lock|` + linePattern + `|(session|job|file|actionjob|actionfile)(-[0-9a-f]{16}){2}-[0-9a-f]{32}-[0-9a-f]{16}\.json|process-[0-9a-f]{16}-[0-9a-f]{16}\.lock)(\.[0-9a-f]{16}\.tmp)?$`)

const lockSuffix = ".lock"

var errLockRemoved = errors.New("the lock was removed")

// folder is the provider's own folder, open, and checked to be writable by this user alone.
type folder struct {
	root *os.Root
	path string
	hook regularfile.Hook
}

func (f *folder) close() { _ = f.root.Close() }

// open opens a file of the folder.
func (f *folder) open(name string, flag int) (*regularfile.File, error) {
	op := regularfile.OpOpen
	if flag&os.O_CREATE != 0 {
		op = regularfile.OpCreate
	}
	if err := f.hook.Before(op, filepath.Join(f.path, name)); err != nil {
		return nil, err
	}
	file, err := f.root.OpenFile(name, flag, 0o600)
	if err != nil {
		return nil, err
	}
	return f.hook.File(file), nil
}

func (f *folder) remove(name string) error {
	if err := f.hook.Before(regularfile.OpRemove, filepath.Join(f.path, name)); err != nil {
		return err
	}
	return f.root.Remove(name)
}

// checkFile returns why a file of the folder must not be used.
func checkFile(info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return errors.New("it is a link")
	case !info.Mode().IsRegular():
		return errors.New("it is not a regular file")
	}
	return checkOwn(info)
}

// openFile opens a regular file that only this user can write to. The check before follows no link
// and waits for no pipe, the one after is of the file that is open.
func (f *folder) openFile(name string, flag int) (*regularfile.File, error) {
	info, err := f.root.Lstat(name)
	if err == nil {
		err = checkFile(info)
	}
	if err != nil && (flag&os.O_CREATE == 0 || !errors.Is(err, fs.ErrNotExist)) {
		return nil, err
	}
	file, err := f.open(name, flag|regularfile.NonBlock)
	if err != nil {
		return nil, err
	}
	if info, err = file.Stat(); err == nil {
		err = checkFile(info)
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// read returns the content of a file. The error is fs.ErrNotExist if there is none.
func (f *folder) read(name string) ([]byte, error) {
	file, err := f.openFile(name, os.O_RDONLY)
	if err != nil {
		return nil, regularfile.Cause(err)
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, maxBytes+1))
	if len(content) > maxBytes {
		return nil, fmt.Errorf("it is larger than %d MiB", maxBytes>>20)
	}
	return content, regularfile.Cause(err)
}

// write replaces a file in one step: a reader, or a machine that loses power, sees the old content
// or the new one. A link of that name is replaced, not followed.
func (f *folder) write(name string, content []byte) error {
	temporary := fmt.Sprintf("%s.%016x.tmp", name, rand.Uint64())
	file, err := f.open(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return regularfile.Cause(err)
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = f.rename(temporary, name)
	}
	if err != nil {
		_ = f.remove(temporary)
	}
	return regularfile.Cause(err)
}

// create writes a new file. One that is cut short by a crash or a full disk may stay.
func (f *folder) create(name string, content []byte) error {
	file, err := f.open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return regularfile.Cause(err)
	}
	_, err = file.Write(content)
	return regularfile.Cause(errors.Join(err, file.Close()))
}

func (f *folder) rename(from, to string) error {
	if err := f.hook.Before(regularfile.OpRename, filepath.Join(f.path, to)); err != nil {
		return err
	}
	return f.root.Rename(from, to)
}

// sync makes what was written outlive a machine that loses power, where the system can sync a
// folder.
func (f *folder) sync() {
	if folder, err := f.open(".", os.O_RDONLY); err == nil {
		_ = folder.Sync()
		_ = folder.Close()
	}
}

// lock takes the lock of a name. It is nil, without an error, while another process has it. Its
// file stays: otherwise two processes could have locks on two files of one name.
func (f *folder) lock(name string) (*flock.Flock, error) {
	name += lockSuffix
	file, err := f.openFile(name, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, regularfile.Cause(err)
	}
	// Renew its modification time: old files are removed. Windows refuses the write if another
	// process has the lock.
	_, _ = file.WriteAt([]byte("\n"), 0)
	_ = file.Close()
	return f.lockFile(name)
}

// lockFile locks an existing file. The library opens it by path, so it is compared with the one in
// the open folder.
func (f *folder) lockFile(name string) (*flock.Flock, error) {
	lock := flock.New(filepath.Join(f.path, name), flock.SetFlag(os.O_RDWR|regularfile.NonBlock|noFollow))
	held, err := lock.TryLock()
	if err != nil || !held {
		return nil, regularfile.Cause(err)
	}
	locked, err := lock.Stat()
	named, nameErr := f.root.Lstat(name)
	if err = errors.Join(err, nameErr); err == nil && os.SameFile(locked, named) {
		return lock, nil
	}
	_ = lock.Unlock()
	return nil, cmp.Or(regularfile.Cause(err), errLockRemoved)
}

// removeOld removes the provider's own files that have not been written for their lifetime.
func (f *folder) removeOld(ctx context.Context, now time.Time) {
	entries, err := fs.ReadDir(f.root.FS(), ".")
	if err != nil {
		return
	}
	for _, entry := range entries {
		name, before := entry.Name(), now.Add(-lifetime)
		if lineName.MatchString(name) {
			before = now.Add(-ledgerLifetime)
		}
		if ownName.MatchString(name) && f.isOld(name, before) && f.removeUnlocked(name, before) {
			tflog.Debug(ctx, "an old record was removed", map[string]any{"record": name})
		}
	}
}

func (f *folder) isOld(name string, before time.Time) bool {
	info, err := f.root.Lstat(name)
	return err == nil && info.Mode().IsRegular() && info.ModTime().Before(before)
}

// removeUnlocked removes a file, unless it is a lock that a process has. Windows itself removes
// none.
func (f *folder) removeUnlocked(name string, before time.Time) bool {
	if strings.HasSuffix(name, lockSuffix) && runtime.GOOS != "windows" {
		lock, err := f.lockFile(name)
		if err != nil || lock == nil {
			return false
		}
		defer func() { _ = lock.Unlock() }()
		if !f.isOld(name, before) { // somebody was about to take it
			return false
		}
	}
	return f.remove(name) == nil
}
