// Package upload sends files to the service (SERVICE.md, calls 1 to 6). It binds the engine, which
// knows no service, to the service's calls. It continues what an earlier upload left, verifies the
// object that storage makes, and reports progress. It does not know Terraform.
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

	asking   sync.Mutex
	customer string // of the token, "" until it was asked for

	left sync.Map // stored files that Leave was given, by place: StoredFile
}

// New returns an Uploader.
func New(c Config) *Uploader {
	c.Redactor, c.Resume = cmp.Or(c.Redactor, redact.New()), cmp.Or(c.Resume, resume.New("", nil))
	return &Uploader{config: c, progress: newProgress(c.ProgressFile, c.Redactor)}
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

func limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, limited := ctx.Deadline(); limited {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, DefaultLimit, fmt.Errorf("the time limit of %s was reached", DefaultLimit))
}

// operation is the upload of one file.
type operation struct {
	uploader *Uploader
	file     File
	progress func(transfer.Progress)
	sums     transfer.Sums // as the plan has found them; empty: the file is hashed while it is sent

	result Result
}

func (u *Uploader) store(ctx context.Context, f File, progress func(transfer.Progress)) (Result, error) {
	o := &operation{uploader: u, file: f, progress: progress}
	if f.Content != nil {
		return o.result, o.single(ctx)
	}
	look := resume.LookAt(f.Path)
	known := u.config.Resume.Content(ctx, look)
	if known.SHA256 != "" && known.SHA256 != f.SHA256 { // it need not be sent to find that out
		return Result{}, &transfer.ChangedError{Path: f.Path, Detail: fmt.Sprintf("its SHA-256 is %s, not %s", known.SHA256, f.SHA256), SHA256: known.SHA256}
	}
	if look.Size == f.Size {
		o.sums = known.Sums
	}
	err := o.recorded(ctx)
	switch changed, ok := errors.AsType[*transfer.ChangedError](err); {
	case err == nil:
		u.config.Resume.Sent(ctx, look, f.SHA256)
	case ok && changed.SHA256 != "": // it was read whole
		u.config.Resume.Sent(ctx, look, changed.SHA256)
	case ok:
		u.config.Resume.Forget(ctx, look)
	}
	return o.result, err
}

// recorded takes the object that is recorded, or sends the file. A small file has no record: sending
// it again costs less.
func (o *operation) recorded(ctx context.Context) (err error) {
	var record *resume.Record
	if o.file.Size >= resume.LargeFile {
		if record, err = o.uploader.config.Resume.Open(ctx, o.uploader.key(o.file)); err != nil {
			return err
		}
		defer record.Close()
	}
	found, err := o.find(ctx, record)
	switch {
	case err != nil:
		o.result.Left = found
		return err
	case found != nil && found.Stored != nil:
		o.result.StoredFile = *found.Stored
		return nil
	case o.file.InParts():
		return o.multipart(ctx, record, found)
	}
	if err = o.single(ctx); err == nil {
		u := resume.Upload{KeyPath: o.result.KeyPath, ContentType: o.file.ContentType, Stored: &o.result.StoredFile}
		record.Changed(func() *resume.Upload { return &u })
	}
	return err
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
	keyPath := ""
	address := func(ctx context.Context) (string, error) {
		target, err := o.uploader.config.API.PresignUpload(ctx, o.file.Upload)
		if err != nil {
			return "", err
		}
		keyPath = target.KeyPath
		return target.URL, o.uploader.CheckCustomer(keyPath)
	}
	part, err := o.uploader.config.Engine.UploadSingle(ctx, o.content(), address, o.file.ContentType)
	if err != nil {
		return err
	}
	o.result.StoredFile = StoredFile{KeyPath: keyPath, ETag: part.ETag, UploadedAt: now()}
	if part.Unproved {
		o.warn(Warning{Kind: Unproved, KeyPath: keyPath})
	}
	return nil
}

func now() string { return time.Now().UTC().Format(time.RFC3339) }

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

// ours reports whether a recorded key path belongs to the customer of the token. Only an address
// tells that: the token is opaque. It is asked for once a process, and only if there is a record.
func (u *Uploader) ours(ctx context.Context, f File, keyPath string) (bool, error) {
	u.asking.Lock()
	defer u.asking.Unlock()
	if u.customer == "" {
		target, err := u.config.API.PresignUpload(ctx, f.Upload)
		if err != nil {
			return false, err
		}
		if parsed, err := parse.SplitKeyPath(target.KeyPath); err == nil {
			u.customer = parsed.CustomerID
		}
	}
	parsed, err := parse.SplitKeyPath(keyPath)
	return err == nil && parsed.CustomerID == u.customer, nil
}

// Keep records the unfinished upload of a state, so that the next upload of the file continues it.
func (u *Uploader) Keep(ctx context.Context, f File, left *resume.Upload) {
	if left != nil {
		u.config.Resume.Keep(ctx, u.key(f), *left)
	}
}

// Shown ends what is recorded of a file under a key path, because a state has it, or an action has
// done what it was stored for.
func (u *Uploader) Shown(ctx context.Context, f File, keyPath string) {
	if f.Size >= resume.LargeFile {
		u.config.Resume.Shown(ctx, u.key(f), keyPath)
	}
}

// Leave gives a stored file, which leaves the state with a folder whose creation failed, to the
// creation that follows in this process.
func (u *Uploader) Leave(f File, stored StoredFile) { u.left.Store(f.place(), stored) }

// place is what a file must have to be the one that was left.
func (f File) place() Place { return Place{f.Path, f.Object()} }

// Place is a file at a path.
type Place struct {
	Path string
	Object
}

func (u *Uploader) takeLeft(f File) (Result, bool) {
	left, ok := u.left.LoadAndDelete(f.place())
	stored, _ := left.(StoredFile)
	return Result{StoredFile: stored}, ok
}
