package resume

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// Folder is the name of the provider's own folder in resume_dir.
const Folder = "terraform-provider-vodlive"

// folder is the provider's own folder, to which only this user can write.
type folder struct{ root *os.Root }

// openFolder opens the provider's folder below dir, and creates both where they are missing. The
// folders are checked after they are opened, so that nobody can put others in their place.
func openFolder(dir string) (*folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, withoutPath(err))
	}
	parent, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, withoutPath(err))
	}
	defer func() { _ = parent.Close() }()
	if err := checkFolder(parent, checkParent); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if err := parent.Mkdir(Folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s: %w", dir, withoutPath(err))
	}
	root, err := parent.OpenRoot(Folder)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, Folder), withoutPath(err))
	}
	if err := checkFolder(root, checkOwn); err != nil {
		_ = root.Close()
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, Folder), err)
	}
	f := &folder{root}
	f.removeOld()
	return f, nil
}

func checkFolder(root *os.Root, check func(fs.FileInfo) error) error {
	info, err := root.Stat(".")
	if err != nil {
		return withoutPath(err)
	}
	return check(info)
}

// withoutPath returns the cause of a *fs.PathError or an *os.LinkError.
func withoutPath(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}

func (f *folder) read(name string) ([]byte, error) { return f.root.ReadFile(name) }

// write replaces a file in one step: a reader, and a machine that loses power, sees the old content
// or the new one.
func (f *folder) write(name string, content []byte) error {
	temporary := fmt.Sprintf("%s.%d.tmp", name, rand.Uint64())
	file, err := f.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = f.root.Rename(temporary, name)
	}
	if err != nil {
		_ = f.root.Remove(temporary)
	}
	return err
}

func (f *folder) remove(name string) error { return f.root.Remove(name) }

// lock locks a file of its own, because write replaces the file of the name. The file of the lock
// stays: otherwise two processes could have locks on two files of one name.
func (f *folder) lock(name string) (unlock func(), err error) {
	name += ".lock"
	file, err := f.root.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	locked, err := tryLock(file)
	if err != nil || !locked {
		_ = file.Close()
		return nil, err
	}
	now := time.Now()
	_ = f.root.Chtimes(name, now, now) // removeOld removes only locks that nobody has taken for long
	return func() { _ = file.Close() }, nil
}

// ownName matches the names that this package makes.
var ownName = regexp.MustCompile(`^(upload|hashes)-[0-9a-f]{32}\.json(\.lock|\.[0-9]+\.tmp)?$`)

// removeOld removes files of this package that have not been written for their lifetime.
func (f *folder) removeOld() {
	dir, err := f.root.Open(".")
	if err != nil {
		return
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		info, err := f.root.Lstat(name)
		if err == nil && ownName.MatchString(name) && time.Since(info.ModTime()) > lifetime {
			_ = f.root.Remove(name)
		}
	}
}
