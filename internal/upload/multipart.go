package upload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// multipart is one multipart upload under way. It is the engine's Destination.
type multipart struct {
	*operation
	id        resume.Upload // Parts: what an earlier upload left
	continued bool

	mu         sync.Mutex
	stored     map[int]transfer.Part // parts that this operation knows to be stored
	completing bool                  // the call that completes the upload may have been processed
	done       bool                  // nothing is left to continue
}

func (o *operation) newMultipart(id resume.Upload) *multipart {
	return &multipart{operation: o, id: id, stored: map[int]transfer.Part{}, completing: id.Completing}
}

// PartURL returns the presigned address of a part.
func (m *multipart) PartURL(ctx context.Context, number int) (string, error) {
	address, err := m.API.PresignPart(ctx, m.id.KeyPath, m.id.UploadID, number)
	if m.continued && again(ctx, err) {
		address, err = m.API.PresignPart(ctx, m.id.KeyPath, m.id.UploadID, number)
	}
	return address, err
}

// Stored records a part that is stored.
func (m *multipart) Stored(part transfer.Part) {
	part.Trusted = true
	m.mu.Lock()
	m.stored[part.Number] = part
	m.mu.Unlock()
	m.record.Changed(m.unfinished)
}

// set changes what unfinished tells.
func (m *multipart) set(completing, done bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.completing, m.done = completing, done
}

// parts are all parts that may be stored.
func (m *multipart) parts() []transfer.Part {
	parts := slices.SortedFunc(maps.Values(m.stored), func(a, b transfer.Part) int { return cmp.Compare(a.Number, b.Number) })
	for _, p := range m.id.Parts {
		if _, ok := m.stored[p.Number]; !ok {
			parts = append(parts, p)
		}
	}
	return parts
}

// unfinished is what a later upload needs, nil when nothing is left to continue.
func (m *multipart) unfinished() *resume.Upload {
	m.mu.Lock()
	defer m.mu.Unlock()
	u := m.id
	u.Completing, u.Parts = m.completing, m.parts()
	if m.done || len(u.Parts) == 0 {
		return nil
	}
	if m.record == nil { // then nothing keeps the checksums
		for i := range u.Parts {
			u.Parts[i].Checksum = ""
		}
	}
	return &u
}

// send sends what is missing and completes the upload.
func (m *multipart) send(ctx context.Context) (StoredFile, error) {
	sent, err := m.sendParts(ctx)
	if err != nil {
		m.set(m.completing, !m.continued && refusalOf(err).final())
		return StoredFile{}, err
	}
	completed, err := m.complete(ctx, sent.Parts)
	if err != nil {
		return StoredFile{}, err
	}
	m.set(true, true)
	m.claims.Store(m.id.UploadID, true)
	if err := checkObject(m.id.KeyPath, sent, completed); err != nil {
		return StoredFile{}, err
	}
	if completed.Key != "" && completed.Key != m.id.KeyPath {
		m.warn("The file may be stored under another key path",
			fmt.Sprintf("When the upload of %q began, the service announced the key path %s, which is what `key_path` holds. When the upload was complete, it named %s.",
				m.file.Name, m.id.KeyPath, completed.Key))
	}
	if want, differs := composedETag(sent.Parts, completed); differs {
		m.warn("The stored object's ETag is an unusual one",
			fmt.Sprintf("The ETag of %s is %s. From the ETags of its parts, each of which was right, S3 makes %s.", m.id.KeyPath, completed.ETag, want))
	}
	return StoredFile{
		KeyPath: m.id.KeyPath, ETag: completed.ETag, Location: completed.Location, Bucket: completed.Bucket,
		Encryption: completed.ServerSideEncryption, VersionID: completed.VersionID, Parts: int64(len(sent.Parts)),
	}, nil
}

// sendParts sends the parts that are not stored.
func (m *multipart) sendParts(ctx context.Context) (transfer.Result, error) {
	send := func() (transfer.Result, error) {
		return m.Engine.UploadParts(ctx, m.content(), m.id.PartSize, m.parts(), m)
	}
	sent, err := send()
	// PartURL has repeated refused calls. The engine has repeated refused PUTs, but not after a
	// status that it takes for final.
	if refused, ok := errors.AsType[*transfer.StatusError](err); ok && m.continued && refused.Attempts == 1 && again(ctx, err) {
		return send()
	}
	return sent, err
}

// complete makes the object of the parts.
func (m *multipart) complete(ctx context.Context, parts []transfer.Part) (*api.CompletedUpload, error) {
	listed := make([]api.CompletedPart, len(parts))
	for i, p := range parts {
		listed[i] = api.CompletedPart{Number: p.Number, ETag: p.ETag}
	}
	// Recorded before the call: if this process ends now, the next one knows that the object may exist.
	m.set(true, false)
	m.record.Changed(m.unfinished)
	m.record.Flush()
	completed, err := m.API.CompleteMultipartUpload(ctx, m.id.KeyPath, m.id.UploadID, listed)
	lost := api.MayHaveBeenProcessed(err)
	if (m.continued || lost) && again(ctx, err) {
		completed, err = m.API.CompleteMultipartUpload(ctx, m.id.KeyPath, m.id.UploadID, listed)
		lost = lost || api.MayHaveBeenProcessed(err)
	}
	if err == nil {
		return completed, nil
	}
	why := refusalOf(err)
	if lost && (why == uploadUnknown || why == refusedNotFound && m.canBegin(ctx)) {
		m.warn("The upload was taken as complete",
			fmt.Sprintf("The answer to the request that completes the upload of %q was lost. When the request was repeated, the service did not know the upload any more, "+
				"as it does once an upload is complete. So the file is taken to be stored as %s.\n\n"+
				"Not known are `etag`, `location`, `bucket`, `server_side_encryption` and `version_id`, which are null. "+
				"If the file turns out not to be stored, upload it again: for a resource with `terraform apply -replace=ADDRESS`, where ADDRESS is the address of the resource.\n\n"+
				"The answer to the repetition: %s", m.file.Name, m.id.KeyPath, err))
		return &api.CompletedUpload{}, nil
	}
	m.set(m.id.Completing || lost, !m.continued && why.final())
	m.record.Changed(m.unfinished)
	return nil, err
}

// canBegin reports whether the service begins uploads: then a bare 404 was about this upload, not
// about the service. The upload that is begun stays empty.
func (m *multipart) canBegin(ctx context.Context) bool {
	_, err := m.API.CreateMultipartUpload(ctx, m.file.Name)
	return err == nil
}
