// Package resume keeps on this machine what a run needs of earlier ones that Terraform has not
// saved: records of unfinished multipart uploads, the ledger of what was made and no state has
// shown, and content hashes of files, so that an apply does not read again what its plan has read.
// Locks give each record and each line of the ledger to one process. Records and hashes are hints,
// never proof: callers check them against the file and against storage.
//
// All files are in one folder, Folder, below the configured resume_dir. It and its files are used
// only while no other user can write to them. Links are not followed. Old files are removed, but
// only those with a name that this package makes.
package resume

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/regularfile"
)

// Folder is the name of the provider's own folder in resume_dir.
const Folder = "terraform-provider-vodlive"

// lifetime is the age at which files are removed. Storage drops unfinished uploads, too.
const lifetime = 7 * 24 * time.Hour

// Store is the folder of what is kept. Where it cannot be used, only what one operation of this
// process leaves to another one is kept, in memory. It is safe for concurrent use.
type Store struct {
	dir     string // resume_dir; "": there is none
	hook    regularfile.Hook
	refused sync.Once
	cleaned sync.Once

	contents sync.Map // *contents by folder

	mu    sync.Mutex             // also during an attempt to lock a record
	taken map[string]bool        // locks of the uploads that operations of this process have or had
	left  map[string]*Unfinished // by record: what Leave was given; nil: the record has it
}

// New returns the store below dir, in memory if dir is "". The folder is opened and checked for
// each use, so that a process keeps none open between uploads. The hook is called before each
// operation on a file; nil: none.
func New(dir string, hook regularfile.Hook) *Store {
	return &Store{dir: dir, hook: hook, taken: map[string]bool{}, left: map[string]*Unfinished{}}
}

// Usable reports whether records can be kept.
func (s *Store) Usable(ctx context.Context) bool {
	f := s.open(ctx)
	if f == nil {
		return false
	}
	f.close()
	return true
}

// open returns the folder, nil if it cannot or must not be used. The log says why, once a process.
func (s *Store) open(ctx context.Context) *folder {
	f, err := openFolder(s.dir, s.hook)
	if err != nil {
		s.refused.Do(func() {
			tflog.Warn(ctx, "resume_dir is not used: unfinished uploads, and what no state shows yet, are not recorded on this machine",
				map[string]any{"resume_dir": s.dir, "error": err.Error()})
		})
		return nil
	}
	s.cleaned.Do(func() { f.removeOld(ctx, time.Now()) })
	return f
}

// openFolder opens the provider's folder in dir and creates both where they are missing. It is
// checked once it is open, and files are looked up in it, so that nobody can put another one in its
// place.
func openFolder(dir string, hook regularfile.Hook) (*folder, error) {
	if dir == "" {
		return nil, errors.New("it is empty, and if nobody has set it, the cache folder of this user is not known")
	}
	if err := hook.Before(regularfile.OpOpen, filepath.Join(dir, Folder)); err != nil {
		return nil, regularfile.Cause(err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, regularfile.Cause(err)
	}
	parent, err := os.OpenRoot(dir)
	if err != nil {
		return nil, regularfile.Cause(err)
	}
	defer func() { _ = parent.Close() }()
	info, err := parent.Stat(".")
	if err == nil {
		err = cmp.Or(checkParent(info), checkPlace(dir))
	}
	if err != nil {
		return nil, regularfile.Cause(err)
	}
	if err := parent.Mkdir(Folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, regularfile.Cause(err)
	}
	root, err := openBelow(parent)
	if err != nil {
		return nil, errors.New("its folder " + Folder + ": " + regularfile.Cause(err).Error())
	}
	return &folder{root: root, path: filepath.Join(dir, Folder), hook: hook}, nil
}

func openBelow(parent *os.Root) (*os.Root, error) {
	info, err := parent.Lstat(Folder)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, errors.New("it is a link or a file, not a folder")
	}
	root, err := parent.OpenRoot(Folder)
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
