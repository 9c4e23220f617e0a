package disk

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// maxBytes is the largest file that is read. A record of 10,000 parts takes about 1 MB, a list of
// 10,000 files about 6 MB.
const maxBytes = 256 << 20

const (
	// LockSuffix ends the name of the file of a lock.
	LockSuffix = ".lock"
	// tmpSuffix ends the names of files that are being written.
	tmpSuffix = ".tmp"
)

// ErrLockRemoved says that another process has removed the file of a lock.
var ErrLockRemoved = errors.New("the lock was removed")

// Private is a folder of files that only this user can write.
type Private struct {
	Parent string // made if it is missing
	Name   string // of the folder below it
	Hook   Hook   // called before each operation on a file; nil: none

	// Names matches the names of the files that are the provider's own, and no others, without
	// those that are being written. Only such files are removed, when they have not been written
	// for their Lifetime.
	Names    *regexp.Regexp
	Lifetime func(name string) time.Duration
}

// Path is that of a file of the folder.
func (p *Private) Path(name string) string { return filepath.Join(p.Parent, p.Name, name) }

// Open opens the folder and creates it and its parent where they are missing. It is checked once it
// is open, and files are looked up in it, so that nobody can put another one in its place.
func (p *Private) Open() (*Folder, error) {
	dir := p.Parent
	if err := p.Hook.Before(OpOpen, p.Path("")); err != nil {
		return nil, Cause(err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, Cause(err)
	}
	parent, err := os.OpenRoot(dir)
	if err != nil {
		return nil, Cause(err)
	}
	defer func() { _ = parent.Close() }()
	info, err := parent.Stat(".")
	if err == nil {
		err = cmp.Or(checkParent(info), checkPlace(dir))
	}
	if err != nil {
		return nil, Cause(err)
	}
	if err := parent.Mkdir(p.Name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, Cause(err)
	}
	root, err := openBelow(parent, p.Name)
	if err != nil {
		return nil, errors.New("its folder " + p.Name + ": " + Cause(err).Error())
	}
	return &Folder{private: p, root: root}, nil
}

func openBelow(parent *os.Root, name string) (*os.Root, error) {
	info, err := parent.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, errors.New("it is a link or a file, not a folder")
	}
	root, err := parent.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if info, err = root.Stat("."); err == nil {
		err = checkOwn(info)
	}
	if err != nil {
		_ = root.Close()
		return nil, err
	}
	return root, nil
}

// Folder is a Private, open, and checked to be writable by this user alone.
type Folder struct {
	private *Private
	root    *os.Root
}

// Close closes the folder.
func (f *Folder) Close() { _ = f.root.Close() }

// open opens a file of the folder.
func (f *Folder) open(name string, flag int) (*File, error) {
	op := OpOpen
	if flag&os.O_CREATE != 0 {
		op = OpCreate
	}
	if err := f.private.Hook.Before(op, f.private.Path(name)); err != nil {
		return nil, err
	}
	file, err := f.root.OpenFile(name, flag, 0o600)
	if err != nil {
		return nil, err
	}
	return f.private.Hook.File(file), nil
}

// Remove removes a file.
func (f *Folder) Remove(name string) error {
	if err := f.private.Hook.Before(OpRemove, f.private.Path(name)); err != nil {
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

// OpenFile opens a regular file that only this user can write to. The check before follows no link
// and waits for no pipe, the one after is of the file that is open.
func (f *Folder) OpenFile(name string, flag int) (*File, error) {
	info, err := f.root.Lstat(name)
	if err == nil {
		err = checkFile(info)
	}
	if err != nil && (flag&os.O_CREATE == 0 || !errors.Is(err, fs.ErrNotExist)) {
		return nil, err
	}
	file, err := f.open(name, flag|NonBlock)
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

// Read returns the content of a file. The error is fs.ErrNotExist if there is none.
func (f *Folder) Read(name string) ([]byte, error) {
	file, err := f.OpenFile(name, os.O_RDONLY)
	if err != nil {
		return nil, Cause(err)
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, maxBytes+1))
	if len(content) > maxBytes {
		return nil, fmt.Errorf("it is larger than %d MiB", maxBytes>>20)
	}
	return content, Cause(err)
}

// Write replaces a file in one step: a reader, or a machine that loses power, sees the old content
// or the new one. A link of that name is replaced, not followed.
func (f *Folder) Write(name string, content []byte) error {
	writing := fmt.Sprintf("%s.%016x"+tmpSuffix, name, rand.Uint64())
	file, err := f.open(writing, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return Cause(err)
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = f.Rename(writing, name)
	}
	if err != nil {
		_ = f.Remove(writing)
	}
	return Cause(err)
}

// Create writes a new file. One that is cut short by a crash or a full disk may stay.
func (f *Folder) Create(name string, content []byte) error {
	file, err := f.open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return Cause(err)
	}
	_, err = file.Write(content)
	return Cause(errors.Join(err, file.Close()))
}

// Rename gives a file a name, from which it takes away any other file.
func (f *Folder) Rename(from, to string) error {
	if err := f.private.Hook.Before(OpRename, f.private.Path(to)); err != nil {
		return err
	}
	return f.root.Rename(from, to)
}

// Sync makes what was written outlive a machine that loses power, where the system can sync a
// folder.
func (f *Folder) Sync() {
	if folder, err := f.open(".", os.O_RDONLY); err == nil {
		_ = folder.Sync()
		_ = folder.Close()
	}
}

// Lock takes the lock of a name. It is nil, without an error, while another process has it. Its
// file stays: otherwise two processes could have locks on two files of one name.
func (f *Folder) Lock(name string) (*flock.Flock, error) {
	name += LockSuffix
	file, err := f.OpenFile(name, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, Cause(err)
	}
	// Renew its modification time: old files are removed. Windows refuses the write if another
	// process has the lock.
	_, _ = file.WriteAt([]byte("\n"), 0)
	_ = file.Close()
	return f.LockFile(name)
}

// LockFile locks an existing file. The library opens it by path, so it is compared with the one in
// the open folder.
func (f *Folder) LockFile(name string) (*flock.Flock, error) {
	lock, held, err := f.tryLock(name, os.O_RDWR)
	if errors.Is(err, syscall.EROFS) { // it can be read who has it
		lock, held, err = f.tryLock(name, os.O_RDONLY)
	}
	if err != nil || !held {
		return nil, Cause(err)
	}
	locked, err := lock.Stat()
	named, nameErr := f.root.Lstat(name)
	if err = errors.Join(err, nameErr); err == nil && os.SameFile(locked, named) {
		return lock, nil
	}
	_ = lock.Unlock()
	return nil, cmp.Or(Cause(err), ErrLockRemoved)
}

func (f *Folder) tryLock(name string, flag int) (lock *flock.Flock, held bool, err error) {
	lock = flock.New(f.private.Path(name), flock.SetFlag(flag|NonBlock|noFollow))
	if flag == os.O_RDWR {
		err = f.private.Hook.Before(OpLock, f.private.Path(name))
	}
	if err == nil {
		held, err = lock.TryLock()
	}
	return lock, held, err
}

// RemoveOld removes the provider's own files that have not been written for their lifetime, and
// returns their names.
func (f *Folder) RemoveOld(now time.Time) (removed []string) {
	for _, name := range f.Names() {
		before := now.Add(-f.private.Lifetime(name))
		if f.private.Names.MatchString(temporary.ReplaceAllString(name, "")) && f.isOld(name, before) && f.removeUnlocked(name, before) {
			removed = append(removed, name)
		}
	}
	return removed
}

// temporary is the end of the name of a file that is being written.
var temporary = regexp.MustCompile(`\.[0-9a-f]{16}\` + tmpSuffix + `$`)

// Names are the names of all files, sorted. The files themselves are not looked at.
func (f *Folder) Names() []string {
	dir, err := f.root.Open(".")
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(-1)
	slices.Sort(names)
	return names
}

// Has reports whether there is a file. It is true if that cannot be found out.
func (f *Folder) Has(name string) bool {
	_, err := f.root.Lstat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

func (f *Folder) isOld(name string, before time.Time) bool {
	info, err := f.root.Lstat(name)
	return err == nil && info.Mode().IsRegular() && info.ModTime().Before(before)
}

// removeUnlocked removes a file, unless it is a lock that a process has. Windows itself removes
// none.
func (f *Folder) removeUnlocked(name string, before time.Time) bool {
	if strings.HasSuffix(name, LockSuffix) && runtime.GOOS != "windows" {
		lock, err := f.LockFile(name)
		if err != nil || lock == nil {
			return false
		}
		defer func() { _ = lock.Unlock() }()
		if !f.isOld(name, before) { // somebody was about to take it
			return false
		}
	}
	return f.Remove(name) == nil
}
