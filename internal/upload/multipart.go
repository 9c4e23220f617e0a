package upload

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

func (o *operation) multipart(ctx context.Context, earlier *resume.Unfinished) error {
	o.keepPartSize(earlier)
	account, err := o.uploader.config.Account(ctx)
	if err != nil {
		o.result.Left = o.choose(earlier, nil, "") // nothing of it is lost
		return err
	}
	key := resume.Key{
		Account: account, Address: o.uploader.config.Address, SHA256: o.file.SHA256,
		Size: o.file.Size, PartSize: o.file.partSize(), FileName: o.file.Name,
	}
	var elsewhere string
	o.record, elsewhere = o.uploader.config.Resume.Record(ctx, key)
	defer func() { o.record.Close(o.over) }()

	found, err := o.recorded(ctx, earlier)
	if err != nil {
		o.result.Left = o.choose(earlier, nil, "")
		return err
	}
	if chosen := o.choose(earlier, found, elsewhere); chosen != nil {
		o.uploader.config.Resume.Disown(ctx, key, chosen.UploadID)
		return o.resume(ctx, *chosen)
	}
	d, err := o.begin(ctx)
	if err != nil {
		return err
	}
	return o.runOrBegin(ctx, d)
}

// recorded returns the upload that is recorded on this machine. If no state names it, it must
// belong to the customer of this run.
func (o *operation) recorded(ctx context.Context, earlier *resume.Unfinished) (*resume.Unfinished, error) {
	found := o.record.Found()
	if refused := found != nil && o.uploader.CheckCustomer(found.KeyPath) != nil; found == nil || refused {
		return found, nil // choose says that it is refused
	}
	for _, known := range o.candidates(earlier) {
		if known != nil && known.UploadID == found.UploadID {
			return found, nil
		}
	}
	if err := o.uploader.askCustomer(ctx, o.file); err != nil {
		return nil, err
	}
	if o.uploader.ours(found.KeyPath) {
		return found, nil
	}
	o.warn(Warning{Kind: NotContinued, Err: fmt.Errorf("its key path %s belongs to another customer than that of the identity token", found.KeyPath)})
	return nil, nil //nolint:nilnil // nothing is recorded
}

// keepPartSize leaves an unfinished upload its part size, if storage takes parts of that size: a
// state may have been edited.
func (o *operation) keepPartSize(earlier *resume.Unfinished) {
	if o.file.PartSize != 0 {
		return
	}
	for _, known := range o.candidates(earlier) {
		if known != nil && known.PartSize >= transfer.MinPartSize && known.PartSize <= transfer.MaxPartSize &&
			transfer.PartCount(o.file.Size, known.PartSize) <= transfer.MaxParts {
			o.file.PartSize = known.PartSize
			return
		}
	}
}

// candidates are the unfinished uploads that the caller knows, and those that were handed over.
func (o *operation) candidates(earlier *resume.Unfinished) []*resume.Unfinished {
	o.uploader.mu.Lock()
	defer o.uploader.mu.Unlock()
	return append([]*resume.Unfinished{earlier}, o.uploader.handedOver[o.file.key()]...)
}

// choose finds the unfinished upload to continue: a candidate, joined with this machine's record of
// the same upload, or else the record's. Which list of parts is newer does not matter: the engine
// proves them. An upload that another operation has, in this process or in another one (elsewhere),
// is not used: otherwise one object would end up in two resources.
func (o *operation) choose(earlier, recorded *resume.Unfinished, elsewhere string) *resume.Unfinished {
	for _, candidate := range append(o.candidates(earlier), recorded) {
		if candidate == nil || candidate.PartSize != o.file.partSize() || candidate.UploadID == "" || candidate.KeyPath == "" ||
			candidate.UploadID == elsewhere || !o.uploader.claim(candidate.UploadID) {
			continue
		}
		if err := o.uploader.CheckCustomer(candidate.KeyPath); err != nil {
			o.warn(Warning{Kind: NotContinued, Err: err})
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
// others may have edited. If both list a part, the engine takes the one that it can prove.
func union(recorded, own []transfer.Part) []transfer.Part {
	joined, known := slices.Clone(recorded), map[transfer.Part]bool{}
	plain := func(p transfer.Part) transfer.Part {
		p.Checksum, p.Trusted, p.Sent, p.Repeated = "", false, false, false
		return p
	}
	for i, p := range recorded {
		known[plain(p)] = true
		joined[i].Trusted = true
	}
	for _, p := range own {
		if !known[plain(p)] {
			joined = append(joined, plain(p))
		}
	}
	return joined
}

func (o *operation) begin(ctx context.Context) (*destination, error) {
	created, err := o.uploader.config.API.CreateMultipartUpload(ctx, o.file.Name)
	if err != nil {
		return nil, err
	}
	o.uploader.learnCustomer(created.KeyPath)
	if err := o.uploader.CheckCustomer(created.KeyPath); err != nil {
		return nil, err
	}
	o.uploader.claim(created.UploadID)
	return o.newDestination(resume.Unfinished{UploadID: created.UploadID, KeyPath: created.KeyPath, PartSize: o.file.partSize()}), nil
}

func (o *operation) run(ctx context.Context, d *destination) error {
	stored, err := d.send(ctx)
	o.result.StoredFile, o.result.Left, o.over = stored, d.unfinished(), d.done
	if err == nil {
		o.stored(ctx) // before the record is removed
	}
	return err
}

// resume continues an unfinished upload.
func (o *operation) resume(ctx context.Context, earlier resume.Unfinished) error {
	tflog.Info(ctx, "continuing an unfinished upload",
		map[string]any{"file_name": o.file.Name, "key_path": earlier.KeyPath, "stored_parts": len(earlier.Parts)})
	d := o.newDestination(earlier)
	d.continued = true
	return o.runOrBegin(ctx, d)
}

// runOrBegin runs an upload. If it is refused, the file is uploaded from its beginning, once, so
// that no two runs meet the same refusal. The stored parts are kept only if that gets no further
// either.
func (o *operation) runOrBegin(ctx context.Context, d *destination) error {
	refusal, earlier := o.run(ctx, d), d.id
	why := refusalOf(refusal)
	if _, unsure := errors.AsType[*MaybeCompleteError](refusal); unsure || why == notRefused {
		return refusal
	}
	if !d.continued && d.completing { // the object may exist
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
	if err != nil && o.result.Left == nil && !why.final() && !replacement.done {
		o.result.Left, o.over = left, false
		return err
	}
	o.over = o.result.Left == nil
	o.warn(Warning{Kind: NotContinued, KeyPath: replacement.id.KeyPath, Err: refusal})
	return err
}
