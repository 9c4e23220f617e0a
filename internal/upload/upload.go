// Package upload sends one file to the service (SERVICE.md, calls 1 to 6). It binds the engine,
// which knows no service, to the service's calls. It continues what an earlier upload left, verifies
// the object that storage makes, and reports progress. It does not know Terraform.
//
// What an upload that fails has stored is kept twice: in a record on this machine, and in the result
// for the caller's state. Either is enough to continue it.
package upload

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// DefaultLimit is how long an upload may take if its context has no deadline.
const DefaultLimit = 24 * time.Hour

// Config is what an Uploader is made of.
type Config struct {
	API    *api.Client // nil: files can be hashed, not uploaded
	Engine *transfer.Engine
	Resume *resume.Store // nil: nothing is recorded on this machine

	// Address and Account are part of what a record is looked up by. Address is vod_base_url,
	// normalized. Account identifies the account without showing its token. It may read the token's
	// file or run its command, so it is called only when an upload needs the token anyway.
	Address string
	Account func(context.Context) string

	ProgressFile string // a file or terminal for progress lines; "" = none
}

// Uploader uploads files. One serves the whole provider process. It is safe for concurrent use.
type Uploader struct {
	Config

	claims     sync.Map                // ids of the multipart uploads that an operation of this process has or had; true once complete
	unfinished Handover[resume.Upload] // by File.key
}

// New returns an Uploader.
func New(c Config) *Uploader { return &Uploader{Config: c} }

// StoredFile is a complete upload as the service and storage describe it. "" is what they did not say.
type StoredFile struct {
	KeyPath    string
	ETag       string // as the header or the answer had it
	Location   string
	Bucket     string
	Encryption string
	VersionID  string
	UploadedAt string // RFC 3339, this machine's clock
	Parts      int64  // 0 for a single PUT
}

// Result is what became of an upload.
type Result struct {
	StoredFile                // empty if the upload failed
	Left       *resume.Upload // what a later upload needs to continue a failed one; nil if nothing can be continued
	Warnings   []Warning
}

// Warning is what the user should know of an upload, even if it succeeded.
type Warning struct{ Summary, Detail string }

// Upload stores the file. earlier is what an earlier upload of it left, nil if that is not known. Two
// more places are searched: what HandOver was given, and this machine's record. show gets a line of
// progress a second; it may be nil.
func (u *Uploader) Upload(ctx context.Context, f File, earlier *resume.Upload, show func(line string)) (Result, error) {
	if _, limited := ctx.Deadline(); !limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, DefaultLimit, fmt.Errorf("the time limit of %s was reached", DefaultLimit))
		defer cancel()
	}
	r := newReporter(ctx, u.ProgressFile, show)
	defer r.close()
	o := &operation{Uploader: u, file: f, progress: r.report}
	var err error
	if f.multipart() {
		err = o.multipart(ctx, earlier)
	} else {
		err = o.single(ctx)
	}
	if err == nil {
		o.result.UploadedAt = time.Now().UTC().Format(time.RFC3339)
		return o.result, nil
	}
	if _, changed := errors.AsType[*transfer.ChangedError](err); changed {
		u.Resume.Forget(ctx, f.Path)
	}
	if _, unsure := errors.AsType[*MaybeCompleteError](err); !unsure && o.result.Left == nil && refusalOf(err).final() {
		err = fmt.Errorf("%w\n\nThis upload cannot be continued: the next one sends the file from its beginning", err)
	}
	o.result.StoredFile = StoredFile{}
	return o.result, err
}

// HandOver leaves an unfinished upload to the next Upload of the same content and name in this process.
func (u *Uploader) HandOver(f File, left resume.Upload) { u.unfinished.Offer(f.key(), left) }

// Completed reports whether this process completed the multipart upload with this id.
func (u *Uploader) Completed(id string) bool {
	complete, _ := u.claims.Load(id)
	return complete == true
}

// claim takes a multipart upload for one operation. It is false if another one has it or had it.
func (u *Uploader) claim(id string) bool {
	_, taken := u.claims.LoadOrStore(id, false)
	return !taken
}

// SHA256 returns the hash of a file's content in lower-case hex. With remembered, a file that this
// machine has hashed before, and that has not been touched since, is not read again. Without it, the
// file is read once per process. The error is that of the engine's Hash.
func (u *Uploader) SHA256(ctx context.Context, path string, remembered bool) (string, error) {
	memo := u.Resume.Memo(ctx, path)
	if sum := memo.SHA256(); sum != "" && remembered {
		return sum, nil
	}
	digest, err := u.Engine.Hash(ctx, path)
	if err != nil {
		return "", err
	}
	memo.Remember(ctx, digest)
	return hex.EncodeToString(digest.SHA256[:]), nil
}

// operation is one call of Upload.
type operation struct {
	*Uploader
	file     File
	progress func(transfer.Progress)

	record *resume.Record // of a multipart upload; nil if it is not recorded
	over   bool           // the record is not needed any more
	result Result
}

func (o *operation) warn(summary, detail string) {
	o.result.Warnings = append(o.result.Warnings, Warning{summary, detail})
}

// content is the file as the engine takes it.
func (o *operation) content() transfer.File {
	return transfer.File{Path: o.file.Path, Name: o.file.Name, Size: o.file.Size, SHA256: o.file.SHA256, Progress: o.progress}
}

func (o *operation) single(ctx context.Context) error {
	address := func(ctx context.Context) (string, error) {
		target, err := o.API.PresignUpload(ctx, o.file.Name, o.file.ContentType)
		if err != nil {
			return "", err
		}
		o.result.KeyPath = target.KeyPath
		return target.URL, nil
	}
	var err error
	o.result.ETag, err = o.Engine.UploadSingle(ctx, o.content(), address, o.file.ContentType)
	return err
}

// multipart continues an unfinished upload, or begins a new one.
func (o *operation) multipart(ctx context.Context, earlier *resume.Upload) error {
	record, elsewhere := o.Resume.Record(ctx, resume.Key{
		Account: o.Account(ctx), Address: o.Address, SHA256: hex.EncodeToString(o.file.SHA256[:]),
		Size: o.file.Size, PartSize: o.file.partSize(), FileName: o.file.Name,
	})
	o.record = record
	defer func() { record.Close(o.over) }()

	if earlier == nil {
		if left, ok := o.unfinished.Take(o.file.key(), func(resume.Upload) bool { return true }); ok {
			earlier = &left
		}
	}
	chosen := o.choose(earlier, record.Found(), elsewhere)
	if chosen != nil {
		return o.resume(ctx, *chosen)
	}
	m, err := o.begin(ctx)
	if err != nil {
		return err
	}
	return o.run(ctx, m)
}

// choose finds the unfinished upload to continue: what the caller knows, joined with this machine's
// record of the same upload, or else the record's. Which list of parts is newer does not matter: the
// engine reuses only parts that are proved to hold the file's bytes. An upload is left to whoever has
// it, in this process or in another one (elsewhere): otherwise one object would end up in two resources.
func (o *operation) choose(earlier, recorded *resume.Upload, elsewhere string) *resume.Upload {
	for _, candidate := range []*resume.Upload{earlier, recorded} {
		if candidate == nil || candidate.PartSize != o.file.partSize() || candidate.UploadID == "" || candidate.KeyPath == "" ||
			candidate.UploadID == elsewhere || !o.claim(candidate.UploadID) {
			continue
		}
		chosen := *candidate
		if recorded != nil && recorded.UploadID == chosen.UploadID && recorded.KeyPath == chosen.KeyPath {
			chosen.Parts = union(recorded.Parts, chosen.Parts)
			chosen.Completing = chosen.Completing || recorded.Completing
		}
		return &chosen
	}
	return nil
}

// union joins the parts of a record, which only this user can write, with those of a state, which
// others may have edited. Where the two describe a part differently both are kept: the engine takes
// the one that it can prove.
func union(recorded, own []transfer.Part) []transfer.Part {
	var joined []transfer.Part
	known := make(map[transfer.Part]bool, len(recorded))
	plain := func(p transfer.Part) transfer.Part {
		p.Checksum, p.Trusted = "", false
		return p
	}
	for _, p := range recorded {
		known[plain(p)] = true
		p.Trusted = true
		joined = append(joined, p)
	}
	for _, p := range own {
		if !known[plain(p)] {
			joined = append(joined, plain(p))
		}
	}
	return joined
}

// begin creates a multipart upload.
func (o *operation) begin(ctx context.Context) (*multipart, error) {
	created, err := o.API.CreateMultipartUpload(ctx, o.file.Name)
	if err != nil {
		return nil, err
	}
	o.claim(created.UploadID)
	return o.newMultipart(resume.Upload{UploadID: created.UploadID, KeyPath: created.KeyPath, PartSize: o.file.partSize()}), nil
}

// run sends what is missing of an upload and completes it.
func (o *operation) run(ctx context.Context, m *multipart) error {
	stored, err := m.send(ctx)
	o.result.StoredFile, o.result.Left, o.over = stored, m.unfinished(), m.done
	return err
}

// resume continues an unfinished upload. If it is refused, the file is uploaded from its beginning,
// so that no two runs in a row meet the same refusal. Only if the new upload gets no further either,
// the cause lies elsewhere: then the stored parts are kept.
func (o *operation) resume(ctx context.Context, earlier resume.Upload) error {
	tflog.Info(ctx, "continuing an unfinished upload",
		map[string]any{"file_name": o.file.Name, "key_path": earlier.KeyPath, "stored_parts": len(earlier.Parts)})
	m := o.newMultipart(earlier)
	m.continued = true
	refusal := o.run(ctx, m)
	why := refusalOf(refusal)
	if why == notRefused {
		return refusal
	}
	unsure := &MaybeCompleteError{KeyPath: earlier.KeyPath, Err: refusal}
	if earlier.Completing && why == uploadUnknown {
		o.result.Left, o.over = nil, true
		return unsure
	}
	left := o.result.Left
	replacement, err := o.begin(ctx)
	if err != nil {
		return fmt.Errorf("%w; and no new upload could be begun: %w", refusal, err)
	}
	if earlier.Completing && why == refusedNotFound {
		o.result.Left, o.over = nil, true
		return unsure
	}
	err = o.run(ctx, replacement)
	if o.result.Left == nil && refusalOf(err) != notRefused && !why.final() {
		o.result.Left, o.over = left, false
		return err
	}
	o.over = o.result.Left == nil
	o.warn("An unfinished upload could not be continued",
		fmt.Sprintf("The unfinished upload of %q was refused, so the file was uploaded from its beginning, as %s. Parts stored before are not used.\n\nThe refusal: %s",
			o.file.Name, replacement.id.KeyPath, refusal))
	return err
}
