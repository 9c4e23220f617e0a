package upload

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// LeaveUnfinished gives an unfinished upload of a state to the next Upload of f, in this process or
// in a later one on this machine. The error is that of reading the token.
func (u *Uploader) LeaveUnfinished(ctx context.Context, f File, left *resume.Unfinished) error {
	key, err := u.key(ctx, f)
	if err == nil && f.continues(left) {
		u.config.Resume.Leave(ctx, key, *left)
		u.mu.Lock()
		defer u.mu.Unlock()
		u.expected[f.place()] = append(u.expected[f.place()], f)
	}
	return err
}

// Expects reports whether LeaveUnfinished was given an upload of a file of this path and name.
func (u *Uploader) Expects(f File) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.expected[f.place()]) > 0
}

// TakeBack returns what LeaveUnfinished was given for a file of the same path and name that cannot
// be read now, and that file. No other operation of this process gets it any more.
func (u *Uploader) TakeBack(ctx context.Context, f File) (of File, left *resume.Unfinished) {
	u.mu.Lock()
	defer u.mu.Unlock()
	files := u.expected[f.place()] // several resources may have the same path
	for len(files) > 0 && left == nil {
		of, files = files[0], files[1:]
		left = u.left(ctx, of)
	}
	u.expected[f.place()] = files
	return of, left
}

// place is what tells a file whose content is not known.
func (f File) place() string { return f.Path + "\n" + f.Begins() }

// left returns what LeaveUnfinished was given for a file that is not sent now. No other operation
// of this process gets it any more.
func (u *Uploader) left(ctx context.Context, f File) *resume.Unfinished {
	if !f.InParts() {
		return nil
	}
	key, err := u.key(context.WithoutCancel(ctx), f)
	if err != nil {
		return nil
	}
	r := u.config.Resume.TakeLeft(ctx, key, f.continues)
	defer r.Close(false)
	return r.Found()
}

// key is what the unfinished uploads of a file are looked up by.
func (u *Uploader) key(ctx context.Context, f File) (resume.Key, error) {
	account, err := u.config.Account(ctx)
	return resume.Key{Account: account, Address: u.config.Address, SHA256: f.SHA256, Size: f.Size, FileName: f.Begins()}, err
}

// continues reports whether the parts of an unfinished upload have the size asked for, or any that
// storage takes: a state may have been edited.
func (f File) continues(u *resume.Unfinished) bool {
	if f.PartSize != 0 {
		return u.PartSize == f.PartSize
	}
	return u.PartSize >= transfer.MinPartSize && u.PartSize <= transfer.MaxPartSize && transfer.PartCount(f.Size, u.PartSize) <= transfer.MaxParts
}

func (o *operation) multipart(ctx context.Context) (err error) {
	if o.key, err = o.uploader.key(ctx, o.file); err != nil {
		return err
	}
	d, err := o.find(ctx)
	if err == nil && d == nil {
		d, err = o.begin(ctx)
	}
	if err != nil {
		return err
	}
	return o.runOrBegin(ctx, d)
}

// find returns the unfinished upload to continue, nil if there is none. If no state has it, it must
// belong to the customer of this run.
func (o *operation) find(ctx context.Context) (*destination, error) {
	for {
		record := o.uploader.config.Resume.Take(ctx, o.key, o.file.continues)
		found := record.Found()
		if found == nil {
			return nil, nil //nolint:nilnil // nothing to continue
		}
		refusal := o.uploader.CheckCustomer(found.KeyPath)
		if refusal == nil && !record.Left() {
			if err := o.uploader.askCustomer(ctx, o.file); err != nil {
				o.result.Left = found
				record.Close(false)
				return nil, err
			}
			if !o.uploader.ours(found.KeyPath) {
				refusal = fmt.Errorf("its key path %s belongs to another customer than that of the identity token", found.KeyPath)
			}
		}
		if refusal == nil {
			tflog.Info(ctx, "continuing an unfinished upload",
				map[string]any{"file_name": o.file.Name, "key_path": found.KeyPath, "stored_parts": len(found.Parts)})
			d := o.newDestination(*found, record)
			d.continued = true
			return d, nil
		}
		o.warn(Warning{Kind: NotContinued, Err: refusal})
		record.Close(true)
	}
}

func (o *operation) begin(ctx context.Context) (*destination, error) {
	created, err := o.uploader.config.API.CreateMultipartUpload(ctx, o.file.Upload)
	if err != nil {
		return nil, err
	}
	o.uploader.learnCustomer(created.KeyPath)
	err = cmp.Or(o.uploader.CheckCustomer(created.KeyPath), o.uploader.claim(o.file, created.KeyPath), o.uploader.claim(o.file, created.UploadID))
	if err != nil {
		return nil, err
	}
	begun := resume.Unfinished{UploadID: created.UploadID, KeyPath: created.KeyPath, PartSize: o.file.partSize()}
	return o.newDestination(begun, o.uploader.config.Resume.Begin(ctx, o.key, begun.UploadID)), nil
}

func (o *operation) run(ctx context.Context, d *destination) error {
	stored, err := d.send(ctx)
	o.result.StoredFile, o.result.Left = stored, d.unfinished()
	if err == nil {
		o.stored(ctx) // before the record is removed
		d.record.Complete()
	}
	return err
}

// runOrBegin runs an upload. If it is refused, the file is uploaded from its beginning, once, so
// that no two runs meet the same refusal. The stored parts are kept only if that gets no further
// either.
func (o *operation) runOrBegin(ctx context.Context, d *destination) error {
	defer d.close()
	refusal := o.run(ctx, d)
	why := refusalOf(refusal)
	if _, unsure := errors.AsType[*MaybeCompleteError](refusal); unsure || why == notRefused {
		return refusal
	}
	if !d.continued && d.completing { // the object may exist
		return refusal
	}
	if d.id.Completing && why.unknown() {
		o.result.Left, d.done = nil, true
		return &MaybeCompleteError{KeyPath: d.id.KeyPath, Err: refusal}
	}
	left := o.result.Left
	replacement, err := o.begin(ctx)
	if err != nil {
		return fmt.Errorf("%w; and no new upload could be begun: %w", refusal, err)
	}
	defer replacement.close()
	err = o.run(ctx, replacement)
	if err != nil && o.result.Left == nil && !why.final() && !replacement.done {
		o.result.Left, replacement.done = left, true
		return err
	}
	d.done = true
	o.warn(Warning{Kind: NotContinued, KeyPath: replacement.id.KeyPath, Err: refusal})
	return err
}
