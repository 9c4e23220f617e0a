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
	"context"
	"errors"
	"regexp"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/disk"
)

// Folder is the name of the provider's own folder in resume_dir.
const Folder = "terraform-provider-vodlive"

// lifetime is the age at which files are removed. Storage drops unfinished uploads, too.
const lifetime = 7 * 24 * time.Hour

// Store is the folder of what is kept. Where it cannot be used, only what one operation of this
// process leaves to another one is kept, in memory. It is safe for concurrent use.
type Store struct {
	private *disk.Private // in resume_dir; nil: there is none
	refused sync.Once
	cleaned sync.Once

	contents sync.Map // *contents by folder
	since    time.Time

	mu    sync.Mutex             // also during an attempt to lock a record
	taken map[string]bool        // locks of the uploads that operations of this process have or had
	left  map[string]*Unfinished // by record: what Leave was given; nil: the record has it
}

// New returns the store below dir, in memory if dir is "". The folder is opened and checked for
// each use, so that a process keeps none open between uploads. The hook is called before each
// operation on a file; nil: none.
func New(dir string, hook disk.Hook) *Store {
	s := &Store{since: time.Now(), taken: map[string]bool{}, left: map[string]*Unfinished{}}
	if dir != "" {
		s.private = &disk.Private{Parent: dir, Name: Folder, Hook: hook, Names: ownName, Lifetime: lifetimeOf}
	}
	return s
}

func lifetimeOf(name string) time.Duration {
	if lineName.MatchString(name) {
		return ledgerLifetime
	}
	return lifetime
}

// Usable reports whether records can be kept.
func (s *Store) Usable(ctx context.Context) bool {
	f := s.open(ctx)
	if f == nil {
		return false
	}
	f.Close()
	return true
}

// open returns the folder, nil if it cannot or must not be used. The log says why, once a process.
func (s *Store) open(ctx context.Context) *disk.Folder {
	dir, err := "", errors.New("it is empty, and if nobody has set it, the cache folder of this user is not known")
	var f *disk.Folder
	if s.private != nil {
		dir = s.private.Parent
		f, err = s.private.Open()
	}
	if err != nil {
		s.refused.Do(func() {
			tflog.Warn(ctx, "resume_dir is not used: unfinished uploads, and what no state shows yet, are not recorded on this machine",
				map[string]any{"resume_dir": dir, "error": err.Error()})
		})
		return nil
	}
	s.cleaned.Do(func() {
		for _, name := range f.RemoveOld(time.Now()) {
			tflog.Debug(ctx, "an old record was removed", map[string]any{"record": name})
		}
	})
	return f
}

// ownName matches the names that this package makes, and no others: of records, their locks and
// their ends, of remembered hashes, of lines of the ledger, and of the locks of processes. Files of
// earlier builds are only removed: ledger-*, hash-*, records whose names have no hyphen behind the
// first, and lines with a digest of 32 digits.
var ownName = regexp.MustCompile(`^((upload-[0-9a-f]{32}\.json|ledger-[0-9a-f]{32}-[0-9a-f]{16}\.jsonl)(\.lock)?|hash-[0-9a-f]{32}\.json|hashes-[0-9a-f]{32}\.jsonl|` +
	recordPattern + `|completed-[0-9a-f]{16}\.json|upload-[0-9a-f]{16}\.json\.lock|` + linePattern + `|(session|job|file|actionjob|actionfile)(-[0-9a-f]{16}){2}-[0-9a-f]{32}-[0-9a-f]{16}\.json|process-[0-9a-f]{16}-[0-9a-f]{16}\.lock)$`)
