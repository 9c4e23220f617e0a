package upload

import (
	"cmp"
	"context"
	"crypto/md5" //nolint:gosec // S3's ETags are MD5; the content is proved by SHA-256
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
	id        resume.Upload // Parts: what an earlier upload left
	continued bool

	mu         sync.Mutex
	stored     map[int]transfer.Part // parts that this operation knows to be stored
	completing bool                  // the call that completes the upload may have been processed
	done       bool                  // nothing is left to continue
}

func (o *operation) newDestination(id resume.Upload) *destination {
	return &destination{operation: o, api: o.uploader.config.API, id: id, stored: map[int]transfer.Part{}, completing: id.Completing}
}

func (d *destination) PartURL(ctx context.Context, number int) (string, error) {
	address, err := d.api.PresignPart(ctx, d.id.KeyPath, d.id.UploadID, number)
	if d.continued && again(ctx, err) {
		address, err = d.api.PresignPart(ctx, d.id.KeyPath, d.id.UploadID, number)
	}
	return address, err
}

func (d *destination) Stored(part transfer.Part) {
	part.Trusted = true
	d.mu.Lock()
	d.stored[part.Number] = part
	d.mu.Unlock()
	d.operation.record.Changed(d.unfinished)
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
func (d *destination) unfinished() *resume.Upload {
	d.mu.Lock()
	defer d.mu.Unlock()
	u := d.id
	u.Completing, u.Parts = d.completing, slices.DeleteFunc(d.parts(), unsure)
	if d.done || len(u.Parts) == 0 {
		return nil
	}
	for i := range u.Parts {
		u.Parts[i].Sent, u.Parts[i].Repeated = false, false
		if d.operation.record == nil { // then nothing keeps the checksums
			u.Parts[i].Checksum = ""
		}
	}
	return &u
}

// unsure reports whether storage may have the part under another ETag by now: a PUT that failed before may
// have been stored late. If the ETag is the MD5 of the content, that changes nothing.
func unsure(p transfer.Part) bool { return p.Repeated && !p.ETagIsMD5() }

// forgetUnsure has the parts sent once more of which storage may have another ETag by now, and reports
// whether there are any.
func (d *destination) forgetUnsure() bool {
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
	if refused, ok := errors.AsType[*api.Error](err); ok && refused.StorageCode == api.StorageInvalidPart && d.forgetUnsure() {
		tflog.Info(ctx, "storage refused the parts: those that were sent more than once are sent again", map[string]any{"file_name": d.operation.file.Name})
		sent, completed, err = d.sendAndComplete(ctx)
	}
	if err != nil {
		return StoredFile{}, err
	}
	d.set(true, true)
	d.operation.uploader.claims.Store(d.id.UploadID, true)
	if err := checkObject(d.id.KeyPath, sent, completed); err != nil {
		return StoredFile{}, err
	}
	if completed.Key != "" && completed.Key != d.id.KeyPath {
		d.operation.warn("The file may be stored under another key path",
			fmt.Sprintf("When the upload of %q began, the service announced the key path %s, which is what `key_path` holds. When the upload was complete, it named %s.",
				d.operation.file.Name, d.id.KeyPath, completed.Key))
	}
	if want, differs := composedETag(sent.Parts, completed); differs {
		d.operation.warn("The stored object's ETag is an unusual one",
			fmt.Sprintf("The ETag of %s is %s. From the ETags of its parts, each of which was right, S3 makes %s.", d.id.KeyPath, completed.ETag, want))
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
	send := func() (transfer.Result, error) {
		return d.operation.uploader.config.Engine.UploadParts(ctx, d.operation.content(), d.id.PartSize, d.parts(), d)
	}
	sent, err := send()
	// PartURL has repeated refused calls. The engine has repeated refused PUTs, but not after a
	// status that it takes for final.
	if refused, ok := errors.AsType[*transfer.StatusError](err); ok && d.continued && refused.Attempts == 1 && again(ctx, err) {
		return send()
	}
	return sent, err
}

func (d *destination) complete(ctx context.Context, sent transfer.Result) (*api.CompletedUpload, error) {
	listed := make([]api.CompletedPart, len(sent.Parts))
	for i, p := range sent.Parts {
		listed[i] = api.CompletedPart{Number: p.Number, ETag: p.ETag}
	}
	// Before the call: if this process ends now, the next one knows that the object may exist.
	d.set(true, false)
	d.operation.record.Changed(d.unfinished)
	d.operation.record.Flush()
	completed, err := d.api.CompleteMultipartUpload(ctx, d.id.KeyPath, d.id.UploadID, listed)
	lost := api.MayHaveBeenProcessed(err)
	if (d.continued || lost) && again(ctx, err) {
		completed, err = d.api.CompleteMultipartUpload(ctx, d.id.KeyPath, d.id.UploadID, listed)
		lost = lost || api.MayHaveBeenProcessed(err)
	}
	if err == nil {
		return completed, nil
	}
	why := refusalOf(err)
	unknown := lost && (why == uploadUnknown || why == refusedNotFound && d.canBegin(ctx))
	// A continued upload of which nothing was left to send may have been gone before this run.
	if unknown && sent.Sent == 0 {
		d.set(true, true)
		return nil, &MaybeCompleteError{KeyPath: d.id.KeyPath, Err: err}
	}
	if unknown {
		d.operation.warn("The upload was taken as complete",
			fmt.Sprintf("The response to the request that completes the upload of %q was lost. When the request was repeated, the service did not know the upload any more, "+
				"as it does once an upload is complete. So the file is taken to be stored as %s.\n\n"+
				"Not known are `etag`, `location`, `bucket`, `server_side_encryption` and `version_id`, which are null. "+
				"If the file turns out not to be stored, upload it again: for a resource with `terraform apply -replace=ADDRESS`, where ADDRESS is the address of the resource.\n\n"+
				"The response to the repetition: %s", d.operation.file.Name, d.id.KeyPath, err))
		return &api.CompletedUpload{}, nil
	}
	d.set(d.id.Completing || lost, !d.continued && why.final())
	d.operation.record.Changed(d.unfinished)
	return nil, err
}

// canBegin reports whether the service begins uploads: then a bare 404 was about this upload, not
// about the service. The upload that is begun stays empty.
func (d *destination) canBegin(ctx context.Context) bool {
	_, err := d.api.CreateMultipartUpload(ctx, d.operation.file.Name)
	return err == nil
}

// checkObject compares the checksums that storage returns for a complete object with those of the
// file. They are the only proof where ETags are no MD5s.
func checkObject(keyPath string, sent transfer.Result, completed *api.CompletedUpload) error {
	for _, c := range []struct{ name, algorithm, value string }{
		{"CRC-64/NVME", "crc64nvme", completed.ChecksumCRC64NVME},
		{"CRC-32C", "crc32c", completed.ChecksumCRC32C},
		{"CRC-32", "crc32", completed.ChecksumCRC32},
		{"SHA-256", "sha256", completed.ChecksumSHA256},
	} {
		if c.value == "" {
			continue
		}
		if known, ok := sent.Matches(c.algorithm, c.value); known && !ok {
			return fmt.Errorf("storage made an object, %s, that is not the file: its %s is %s, which is not the file's. Do not use this object. "+
				"The next upload sends the file from its beginning", keyPath, c.name, c.value)
		}
	}
	return nil
}

// composedETag returns the ETag that S3 makes of the parts', and whether the object has another one of the
// same form. Where ETags of parts are no MD5s, as with KMS, nothing can be said.
func composedETag(parts []transfer.Part, completed *api.CompletedUpload) (want string, differs bool) {
	sums := md5.New() //nolint:gosec // see above
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
