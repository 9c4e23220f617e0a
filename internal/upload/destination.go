package upload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// destination is one multipart upload under way. It is the engine's Destination.
type destination struct {
	operation *operation
	api       *api.Client
	id        resume.Unfinished // Parts: what an earlier upload left
	record    *resume.Record
	continued bool

	mu         sync.Mutex
	stored     map[int]transfer.Part // parts that this operation knows to be stored
	completing bool                  // the call that completes the upload may have been processed
	done       bool                  // nothing is left to continue
}

func (o *operation) newDestination(id resume.Unfinished, record *resume.Record) *destination {
	return &destination{operation: o, api: o.uploader.config.API, id: id, record: record, stored: map[int]transfer.Part{}, completing: id.Completing}
}

// close ends the use of the record, and removes one that nothing can be continued from.
func (d *destination) close() { d.record.Close(d.done) }

func (d *destination) PartURL(ctx context.Context, number int) (string, error) {
	address, err := d.api.PresignPart(ctx, d.id.KeyPath, d.id.UploadID, number)
	if again(ctx, err) {
		address, err = d.api.PresignPart(ctx, d.id.KeyPath, d.id.UploadID, number)
	}
	return address, err
}

func (d *destination) Stored(part transfer.Part) {
	part.Trusted = true
	d.mu.Lock()
	d.stored[part.Number] = part
	d.mu.Unlock()
	d.record.Changed(d.unfinished)
}

// set changes what unfinished tells.
func (d *destination) set(completing, done bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.completing, d.done = completing, done
}

func (d *destination) parts() []transfer.Part {
	parts := slices.SortedFunc(maps.Values(d.stored), func(a, b transfer.Part) int { return cmp.Compare(a.Number, b.Number) })
	for _, p := range d.id.Parts {
		if _, ok := d.stored[p.Number]; !ok {
			parts = append(parts, p)
		}
	}
	return parts
}

// unfinished is what a later upload needs, nil when nothing is left to continue.
func (d *destination) unfinished() *resume.Unfinished {
	d.mu.Lock()
	defer d.mu.Unlock()
	u := d.id
	u.Completing, u.Parts = d.completing, slices.DeleteFunc(d.parts(), unsure)
	if d.done || len(u.Parts) == 0 {
		return nil
	}
	for i := range u.Parts {
		u.Parts[i].Sent, u.Parts[i].Repeated = false, false
		if !d.record.Lasts() { // then nothing keeps the checksums
			u.Parts[i].Checksum = ""
		}
	}
	return &u
}

// unsure reports whether storage may have the part under another ETag by now: a PUT that failed
// before may have been stored late. If the ETag is the MD5 of the content, that changes nothing.
func unsure(p transfer.Part) bool { return p.Repeated && !p.ETagIsMD5() }

// resendUnsure sends a part again if a late request may have replaced it. It reports whether there
// are such parts.
func (d *destination) resendUnsure() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	before := len(d.stored)
	maps.DeleteFunc(d.stored, func(_ int, p transfer.Part) bool { return unsure(p) })
	if len(d.stored) == before {
		return false
	}
	d.done = false
	return true
}

func (d *destination) send(ctx context.Context) (StoredFile, error) {
	sent, completed, err := d.sendAndComplete(ctx)
	if refused, ok := errors.AsType[*api.Error](err); ok && refused.StorageCode == api.StorageInvalidPart && d.resendUnsure() {
		tflog.Info(ctx, "storage refused the parts: those that were sent more than once are sent again", map[string]any{"file_name": d.operation.file.Name})
		sent, completed, err = d.sendAndComplete(ctx)
	}
	if err != nil {
		return StoredFile{}, err
	}
	d.set(true, true)
	proved, err := checkObject(d.id.KeyPath, sent, completed)
	if err != nil {
		return StoredFile{}, err
	}
	if !proved && slices.ContainsFunc(sent.Parts, func(p transfer.Part) bool { return p.Unproved }) {
		d.operation.warn(Warning{Kind: Unproved, KeyPath: d.id.KeyPath})
	}
	if completed.Key != "" && completed.Key != d.id.KeyPath {
		d.operation.warn(Warning{Kind: OtherKeyPath, KeyPath: d.id.KeyPath, Found: completed.Key})
	}
	if want, differs := composedETag(sent.Parts, completed); differs {
		d.operation.warn(Warning{Kind: OtherETag, KeyPath: d.id.KeyPath, Expected: want, Found: completed.ETag})
	}
	return StoredFile{
		KeyPath: d.id.KeyPath, ETag: completed.ETag, Location: completed.Location, Bucket: completed.Bucket,
		Encryption: completed.ServerSideEncryption, VersionID: completed.VersionID, Parts: int64(len(sent.Parts)),
	}, nil
}

func (d *destination) sendAndComplete(ctx context.Context) (sent transfer.Result, completed *api.CompletedUpload, err error) {
	if sent, err = d.sendParts(ctx); err != nil {
		d.set(d.completing, !d.continued && refusalOf(err).final())
		return sent, nil, err
	}
	completed, err = d.complete(ctx, sent)
	return sent, completed, err
}

func (d *destination) sendParts(ctx context.Context) (transfer.Result, error) {
	return d.operation.uploader.config.Engine.UploadParts(ctx, d.operation.content(), d.id.PartSize, d.parts(), d)
}

func (d *destination) complete(ctx context.Context, sent transfer.Result) (*api.CompletedUpload, error) {
	listed := make([]api.CompletedPart, len(sent.Parts))
	for i, p := range sent.Parts {
		listed[i] = api.CompletedPart{Number: p.Number, ETag: p.ETag}
	}
	// Before the call: if this process ends now, the next one knows that the object may exist.
	d.set(true, false)
	d.record.Changed(d.unfinished)
	d.record.Flush()
	completed, err := d.api.CompleteMultipartUpload(ctx, d.id.KeyPath, d.id.UploadID, listed)
	lost := api.MayHaveBeenProcessed(err)
	if again(ctx, err) {
		completed, err = d.api.CompleteMultipartUpload(ctx, d.id.KeyPath, d.id.UploadID, listed)
		lost = lost || api.MayHaveBeenProcessed(err)
	}
	if err == nil {
		return completed, nil
	}
	why := refusalOf(err)
	unknown := lost && why.unknown()
	// A continued upload that had nothing left to send may have been removed before this run.
	if unknown && sent.Sent == 0 {
		d.set(true, true)
		return nil, &MaybeCompleteError{KeyPath: d.id.KeyPath, Err: err}
	}
	if unknown {
		d.operation.warn(Warning{Kind: TakenAsComplete, KeyPath: d.id.KeyPath, Err: err})
		return &api.CompletedUpload{}, nil
	}
	d.set(d.id.Completing || lost, !d.continued && why.final())
	d.record.Changed(d.unfinished)
	return nil, err
}

// checkObject compares the checksums that storage returns for a complete object with those of the
// file, and reports whether one is the file's. They are the only proof where ETags are no MD5s.
func checkObject(keyPath string, sent transfer.Result, completed *api.CompletedUpload) (proved bool, err error) {
	for _, algorithm := range transfer.Algorithms {
		value := completed.Checksums[algorithm.Name]
		if value == "" {
			continue
		}
		known, ok := sent.Matches(algorithm.Name, value)
		if known && !ok {
			return false, fmt.Errorf("storage made an object, %s, that is not the file: its %s is %s, which is not the file's. Do not use this object. "+
				"The next upload sends the file from its beginning", keyPath, algorithm.Title, value)
		}
		proved = proved || ok
	}
	return proved, nil
}

// composedETag returns the ETag that S3 composes from those of the parts, and whether the object's
// ETag has this form and differs. If the ETags of the parts are no MD5s, as with KMS, differs is
// false.
func composedETag(parts []transfer.Part, completed *api.CompletedUpload) (want string, differs bool) {
	sums := transfer.NewMD5()
	for _, p := range parts {
		if !p.ETagIsMD5() {
			return "", false
		}
		sums.Write(p.MD5[:])
	}
	suffix := fmt.Sprintf("-%d", len(parts))
	want = fmt.Sprintf("%x%s", sums.Sum(nil), suffix)
	got := strings.ToLower(strings.Trim(completed.ETag, `"`))
	sameForm := len(got) == len(want) && strings.HasSuffix(got, suffix)
	return want, sameForm && got != want
}
