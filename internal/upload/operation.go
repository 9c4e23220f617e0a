package upload

import (
	"context"
	"fmt"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// operation is the upload of one file.
type operation struct {
	uploader *Uploader
	file     File
	claimant *claimant
	progress func(transfer.Progress)
	sums     transfer.Sums  // as the plan has found them; empty: the file is hashed while it is sent
	record   *resume.Record // nil: nothing is recorded

	result Result
}

// claimant is an operation for which the service gave key paths and upload ids. It outlives the operation.
type claimant struct{ fileName string }

// store sends a file, unless a record has it.
func (u *Uploader) store(ctx context.Context, f File, progress func(transfer.Progress)) (Result, error) {
	o := &operation{uploader: u, file: f, claimant: &claimant{f.Name}, progress: progress}
	if f.Content != nil {
		err := o.single(ctx)
		return o.result, err
	}
	o.result.Left = u.unfinished(ctx, f) // stays in the state if the upload fails before it goes on
	look := resume.LookAt(f.Path)
	known := u.config.Resume.Content(ctx, look)
	if known.SHA256 != "" && known.SHA256 != f.SHA256 { // sending the file would tell the same
		return o.result, &transfer.ChangedError{Path: f.Path, Detail: fmt.Sprintf("its SHA-256 is %s, not %s", known.SHA256, f.SHA256), SHA256: known.SHA256}
	}
	if look.Size == f.Size {
		o.sums = known.Sums
	}
	err := o.run(ctx)
	if err == nil {
		o.result.Left = nil
	}
	return o.result, err
}

// unfinished returns the recorded upload in parts of a file, nil if there is none.
func (u *Uploader) unfinished(ctx context.Context, f File) *resume.Upload {
	if !f.isRecorded() {
		return nil
	}
	recorded := u.config.Resume.Recorded(ctx, u.key(f))
	if recorded == nil || recorded.Stored != nil {
		return nil
	}
	return recorded
}

// run takes the stored file of the record, continues its upload, or sends the file from its
// beginning.
func (o *operation) run(ctx context.Context) error {
	if o.file.isRecorded() {
		record, err := o.uploader.config.Resume.Open(ctx, o.uploader.key(o.file))
		if err != nil {
			return err
		}
		defer record.Close()
		o.record = record
	}
	found, err := o.find(ctx)
	if err == nil {
		o.result.Left = nil // from here on, what is sent decides
	}
	switch {
	case err != nil && found != nil && found.Stored == nil:
		o.result.Left = found
		return err
	case err != nil:
		return err
	case found != nil && found.Stored != nil:
		o.result.StoredFile = *found.Stored
		return nil
	case o.file.InParts():
		return o.multipart(ctx, found)
	}
	return o.single(ctx)
}

// find returns what is recorded, nil if nothing can be used. With an error, it returns what could
// not be used now.
func (o *operation) find(ctx context.Context) (*resume.Upload, error) {
	found := o.record.Upload()
	if found == nil {
		return nil, nil //nolint:nilnil // nothing is recorded
	}
	isUsable := o.file.InParts() && o.file.fits(found.PartSize)
	if found.Stored != nil { // the service is told the media type of a single PUT only
		isUsable = found.Stored.Parts > 0 || found.ContentType == o.file.ContentType
	}
	if !isUsable {
		return nil, nil //nolint:nilnil // the file is sent otherwise
	}
	isOurs, err := o.uploader.askIfOurs(ctx, o.file, found.KeyPath)
	if err == nil && !isOurs {
		return nil, nil //nolint:nilnil // it is of another customer
	}
	if err == nil {
		err = o.uploader.CheckCustomer(found.KeyPath)
	}
	return found, err
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

// single sends the file with one PUT.
func (o *operation) single(ctx context.Context) error {
	keyPath := ""
	address := func(ctx context.Context) (string, error) {
		target, err := o.uploader.config.API.PresignUpload(ctx, o.file.Upload)
		if err != nil {
			return "", err
		}
		keyPath = target.KeyPath
		return target.URL, o.uploader.accept(o.claimant, keyPath, "")
	}
	part, err := o.uploader.config.Engine.UploadSingle(ctx, o.content(), address, o.file.ContentType)
	if err != nil {
		return err
	}
	if part.Unproved {
		o.warn(Warning{Kind: Unproved, KeyPath: keyPath})
	}
	o.result.StoredFile = StoredFile{KeyPath: keyPath, ETag: part.ETag, UploadedAt: now()}
	o.record.Changed(func() *resume.Upload {
		return &resume.Upload{KeyPath: keyPath, ContentType: o.file.ContentType, Stored: &o.result.StoredFile}
	})
	return nil
}

func now() string { return time.Now().UTC().Format(time.RFC3339) }
