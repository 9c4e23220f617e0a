// Package upload sends files to the service (SERVICE.md, calls 1 to 6). It binds the engine, which
// knows no service, to the service's calls. It continues recorded uploads, verifies the object that
// storage makes, and reports progress. It does not know Terraform.
package upload

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

const (
	// DefaultLimit is how long an upload may take if its context has no deadline.
	DefaultLimit = 24 * time.Hour
	// recordedSize is the size in bytes from which uploads are recorded.
	recordedSize = 4 << 20
)

// Config is what an Uploader is made of.
type Config struct {
	API    *api.Client // nil: files can be hashed, not uploaded
	Engine *transfer.Engine
	Resume *resume.Store // nil: in memory

	Address          string           // vod_base_url, normalized
	AllowedCustomers []string         // the only ones whose key paths may be used; nil: any
	ProgressFile     string           // a file or terminal for progress lines; "" = none
	Redactor         *redact.Redactor // masks progress; nil: one that knows no secret
}

// Uploader uploads files. One serves the whole provider process. It is safe for concurrent use.
type Uploader struct {
	config   Config
	progress *progress

	asking   chan struct{}          // holds one value while an operation asks for the customer
	customer atomic.Pointer[string] // of the key paths that the service gave in this run; nil: it gave none

	mu     sync.Mutex
	claims map[string]*claimant // of the key paths and upload ids that the service gave in this run
}

// New returns an Uploader.
func New(c Config) *Uploader {
	c.Redactor, c.Resume = cmp.Or(c.Redactor, redact.New()), cmp.Or(c.Resume, resume.New(""))
	return &Uploader{config: c, progress: newProgress(c.ProgressFile, c.Redactor), claims: map[string]*claimant{}, asking: make(chan struct{}, 1)}
}

// StoredFile is a stored file as the service and storage describe it, "" for what they left out.
type StoredFile = resume.Stored

// Result is what became of an upload.
type Result struct {
	StoredFile                // empty if the upload failed
	Left       *resume.Upload // what can be continued of a failed upload; nil = nothing
	Warnings   []Warning
}

// Upload stores the file. It continues the recorded upload of this file, if there is one. show,
// which may be nil, gets a line of progress every five seconds.
func (u *Uploader) Upload(ctx context.Context, f File, show func(line string)) (Result, error) {
	outcome := u.UploadFolder(ctx, f.Name, []File{f}, show)[0]
	return outcome.Result, outcome.Err
}

func withDefaultLimit(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, limited := ctx.Deadline(); limited {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, DefaultLimit, fmt.Errorf("the time limit of %s was reached", DefaultLimit))
}

// CheckCustomer returns a *CustomerError for the key path of a customer that the configuration does
// not allow.
func (u *Uploader) CheckCustomer(keyPath string) error {
	if u.config.AllowedCustomers == nil {
		return nil
	}
	parsed, err := parse.SplitKeyPath(keyPath)
	if err == nil && slices.Contains(u.config.AllowedCustomers, parsed.CustomerID) {
		return nil
	}
	return &CustomerError{KeyPath: keyPath, Customer: parsed.CustomerID, Allowed: u.config.AllowedCustomers, Err: err}
}

// accept checks a key path that the service gave for an upload, and an upload id if there is one. No
// two files may share them.
func (u *Uploader) accept(by *claimant, keyPath, uploadID string) error {
	if err := u.CheckCustomer(keyPath); err != nil {
		return err
	}
	u.noteCustomer(keyPath)
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, given := range []string{keyPath, uploadID} {
		if given == "" {
			continue
		}
		if other := u.claims[given]; other != nil && other != by {
			return &SharedError{Given: given, Files: [2]string{other.fileName, by.fileName}}
		}
		u.claims[given] = by
	}
	return nil
}

// askIfOurs reports whether a recorded key path belongs to the customer of the identity token. The
// token is opaque, so only a key path that the service gives in this run tells that.
func (u *Uploader) askIfOurs(ctx context.Context, f File, keyPath string) (bool, error) {
	select {
	case u.asking <- struct{}{}:
		defer func() { <-u.asking }()
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	if u.customer.Load() == nil {
		target, err := u.config.API.PresignUpload(ctx, f.Upload)
		if err != nil {
			return false, err
		}
		u.noteCustomer(target.KeyPath)
	}
	customer := u.customer.Load()
	parsed, err := parse.SplitKeyPath(keyPath)
	return err == nil && customer != nil && parsed.CustomerID == *customer, nil
}

// noteCustomer notes whose key paths the service gives.
func (u *Uploader) noteCustomer(keyPath string) {
	if parsed, err := parse.SplitKeyPath(keyPath); err == nil {
		u.customer.Store(&parsed.CustomerID)
	}
}

func (u *Uploader) key(f File) resume.Key {
	return resume.Key{Address: u.config.Address, SHA256: f.SHA256, Size: f.Size, FileName: f.Name}
}

// Keep records the unfinished upload of a state, unless there is a record. The next upload of the
// file continues it. left may be nil.
func (u *Uploader) Keep(ctx context.Context, f File, left *resume.Upload) {
	if left != nil {
		u.config.Resume.Keep(ctx, u.key(f), *left)
	}
}

// Shown removes the record of a file that is stored under a key path: a state has shown it, or an
// action has done what the file was stored for.
func (u *Uploader) Shown(ctx context.Context, f File, keyPath string) {
	if f.isRecorded() {
		u.config.Resume.Shown(ctx, u.key(f), keyPath)
	}
}
