// Package upload sends one file to the service (SERVICE.md, calls 1 to 6). It binds the engine,
// which knows no service, to the service's calls. It continues what an earlier upload left,
// verifies the object that storage makes, and reports progress. It does not know Terraform.
//
// What an upload that fails has stored is kept in a record on this machine, and in the result for
// the caller's state. Either is enough to continue it.
package upload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// DefaultLimit is how long an upload may take if its context has no deadline.
const DefaultLimit = 24 * time.Hour

// Config is what an Uploader is made of.
type Config struct {
	API    *api.Client // nil: files can be hashed, not uploaded
	Engine *transfer.Engine
	Resume *resume.Store // of unfinished uploads; nil: in memory
	Ledger *resume.Ledger

	Address string // vod_base_url, normalized
	// Account identifies the account without showing its token. It may read the token's file or run
	// its command, so it is called only when an upload needs the token anyway.
	Account func(context.Context) (string, error)

	AllowedCustomers []string         // the only ones whose key paths may be used; nil: any
	ProgressFile     string           // a file or terminal for progress lines; "" = none
	Redactor         *redact.Redactor // masks progress; nil: one that knows no secret
}

// Uploader uploads files. One serves the whole provider process. It is safe for concurrent use.
type Uploader struct {
	config  Config
	display *display

	unfinished sync.Map      // uploads that Leave was given, by group and name: map[string]*resume.Unfinished
	customers  sync.Map      // ids of the customers for whom this process got an address
	given      sync.Map      // key paths and upload ids that the service gave, with the file of each: map[string]string
	asking     chan struct{} // holds a value while a caller asks for the first address

	mu       sync.Mutex
	expected map[string][]File // whose unfinished uploads LeaveUnfinished was given, by place
}

// New returns an Uploader.
func New(c Config) *Uploader {
	c.Redactor, c.Resume = cmp.Or(c.Redactor, redact.New()), cmp.Or(c.Resume, resume.New("", nil))
	shown := &display{path: c.ProgressFile, mask: c.Redactor, tasks: map[*task]struct{}{}}
	return &Uploader{config: c, display: shown, asking: make(chan struct{}, 1), expected: map[string][]File{}}
}

// StoredFile is a complete upload as the service and storage describe it, "" for what they left
// out.
type StoredFile struct {
	KeyPath    string
	ETag       string // as the header or the response had it
	Location   string
	Bucket     string
	Encryption string
	VersionID  string
	UploadedAt string // RFC 3339, this machine's clock
	Parts      int64  // 0 for a single PUT
}

// Result is what became of an upload.
type Result struct {
	StoredFile                    // empty if the upload failed
	Left       *resume.Unfinished // what can be continued of a failed upload; nil = nothing
	Warnings   []Warning

	line *resume.Line // of the file that is stored; nil: it is not in the ledger
}

// InLedger reports whether an Upload of the same file by a later process finds the stored file.
func (r Result) InLedger() bool { return r.line.Written() }

// Forget removes the files of an action from the ledger.
func Forget(ctx context.Context, outcomes []Outcome) {
	lines := make([]*resume.Line, len(outcomes))
	for i, o := range outcomes {
		lines[i] = o.line
	}
	resume.Drop(ctx, lines...)
}

// Upload stores the file. It continues an unfinished upload that LeaveUnfinished was given, or that
// this machine has recorded. show, which may be nil, gets a line of progress every five seconds.
func (u *Uploader) Upload(ctx context.Context, f File, show func(line string)) (Result, error) {
	outcomes, _ := u.UploadFolder(ctx, Folder{Name: f.Name, Files: []File{f}}, show)
	return outcomes[0].Result, outcomes[0].Err
}

func limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, limited := ctx.Deadline(); limited {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, DefaultLimit, fmt.Errorf("the time limit of %s was reached", DefaultLimit))
}

func (u *Uploader) store(ctx context.Context, f File, list *resume.List, progress func(transfer.Progress)) (Result, error) {
	o := &operation{uploader: u, file: f, kind: ledgerOf(f), list: list, progress: progress}
	taken, err := o.take(ctx)
	if err != nil {
		o.result.Left = u.left(ctx, f)
	}
	if taken || err != nil {
		return o.result, err
	}
	var look resume.Look
	if f.Content == nil {
		look = resume.LookAt(f.Path)
		o.sums = u.sums(ctx, f, look)
	}
	if f.InParts() {
		err = o.multipart(ctx)
	} else {
		err = o.single(ctx)
	}
	if err == nil {
		u.config.Resume.Sent(ctx, look, f.SHA256)
		return o.result, nil
	}
	if _, changed := errors.AsType[*transfer.ChangedError](err); changed {
		u.config.Resume.Forget(ctx, look)
	}
	if _, unsure := errors.AsType[*MaybeCompleteError](err); !unsure && o.result.Left == nil && refusalOf(err).final() {
		err = fmt.Errorf("%w\n\nThis upload cannot be continued: the next one sends the file from its beginning", err)
	}
	o.result.StoredFile = StoredFile{}
	return o.result, err
}

// Records reports whether unfinished uploads are recorded on this machine.
func (u *Uploader) Records(ctx context.Context) bool { return u.config.Resume.Usable(ctx) }

// Taken reports whether an Upload of this process has continued an unfinished upload.
func (u *Uploader) Taken(uploadID string) bool { return u.config.Resume.Taken(uploadID) }

// Completed reports whether a run on this machine has made an unfinished upload an object. The
// deposed object of a create_before_destroy has the upload until it is destroyed.
func (u *Uploader) Completed(ctx context.Context, uploadID string) bool {
	return u.config.Resume.Completed(ctx, uploadID)
}

// operation is one call of Upload.
type operation struct {
	uploader *Uploader
	file     File
	kind     resume.Kind // "": it is not in the ledger
	list     *resume.List
	progress func(transfer.Progress)
	sums     transfer.Sums // as the plan has found them; empty: the file is hashed while it is sent

	key    resume.Key // of a multipart upload
	result Result
}

func (o *operation) warn(w Warning) {
	w.FileName = o.file.Name
	o.result.Warnings = append(o.result.Warnings, w)
}

func (o *operation) content() transfer.File {
	return transfer.File{
		Path: o.file.Path, Content: o.file.Content, Name: o.file.Name, Size: o.file.Size,
		SHA256: o.file.sum(), Sums: o.sums, Progress: o.progress,
	}
}

func (o *operation) single(ctx context.Context) error {
	address := func(ctx context.Context) (string, error) {
		target, err := o.uploader.config.API.PresignUpload(ctx, o.file.Upload)
		if err != nil {
			return "", err
		}
		o.result.KeyPath = target.KeyPath
		o.uploader.learnCustomer(target.KeyPath)
		return target.URL, cmp.Or(o.uploader.CheckCustomer(target.KeyPath), o.uploader.claim(o.file, target.KeyPath))
	}
	part, err := o.uploader.config.Engine.UploadSingle(ctx, o.content(), address, o.file.ContentType)
	if err != nil {
		return err
	}
	o.result.ETag = part.ETag
	if part.Unproved {
		o.warn(Warning{Kind: Unproved, KeyPath: o.result.KeyPath})
	}
	o.stored(ctx)
	return nil
}

// claim returns an error if the service has given a key path or upload id for another file before:
// one of the two would take the other's place in storage.
func (u *Uploader) claim(f File, id string) error {
	which := cmp.Or(f.Path, f.SHA256)
	if had, _ := u.given.LoadOrStore(id, which); had != which {
		return fmt.Errorf("the service returned %s, which it has returned for another file of this run: nothing was sent. "+
			"A proxy or cache may have answered for the service", id)
	}
	return nil
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
