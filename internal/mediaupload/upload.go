package mediaupload

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// singleLimit is the largest file in bytes that "auto" sends with one PUT. One call instead of four, and nothing to
// continue: a minute of work at most is lost on a slow line.
const singleLimit = 64 << 20

// spec is one upload with everything decided.
type spec struct {
	Source      string
	FileName    string
	ContentType string
	Size        int64
	SHA256      [32]byte
	Multipart   bool
	PartSize    int64
}

// uploader runs one upload: it binds the engine, which knows no service, to the service's calls, and keeps the record
// of what is stored. warn takes what the user should know of an upload that succeeds all the same.
type uploader struct {
	data     *providerdata.Data
	warn     func(summary, detail string)
	progress func(transfer.Progress)
}

// run uploads. own is the resource's unfinished upload, nil if it has none; this machine's record is looked at besides.
// After a failure with parts stored it returns what the next run needs to go on.
func (u *uploader) run(ctx context.Context, s spec, own *providerdata.Unfinished) (providerdata.StoredFile, *providerdata.Unfinished, error) {
	if !s.Multipart {
		out, err := u.single(ctx, s)
		return out, nil, err
	}
	return u.multipart(ctx, s, own)
}

func (u *uploader) file(s spec) transfer.File {
	return transfer.File{Path: s.Source, Name: s.FileName, Size: s.Size, SHA256: s.SHA256, Progress: u.progress}
}

func (u *uploader) single(ctx context.Context, s spec) (providerdata.StoredFile, error) {
	var target *api.UploadTarget
	url := func(ctx context.Context) (string, error) {
		t, err := u.data.API.PresignUpload(ctx, s.FileName, s.ContentType)
		if err != nil {
			return "", err
		}
		target = t
		return t.URL, nil
	}
	etag, err := u.data.Transfer.UploadSingle(ctx, u.file(s), url, s.ContentType)
	if err != nil {
		return providerdata.StoredFile{}, err
	}
	return providerdata.StoredFile{KeyPath: target.KeyPath, ETag: etag}, nil
}

// multipart continues an unfinished upload, or begins a new one. A continued upload that is refused is given up as soon
// as a new one gets on, so that no two applies in a row meet the same refusal.
func (u *uploader) multipart(ctx context.Context, s spec, own *providerdata.Unfinished) (providerdata.StoredFile, *providerdata.Unfinished, error) {
	rec, elsewhere := u.data.Resume.Record(ctx, resume.Key{
		Account: u.data.Account(ctx), Address: u.data.VODAddress, SHA256: hex.EncodeToString(s.SHA256[:]), Size: s.Size, PartSize: s.PartSize, FileName: s.FileName,
	})
	over := false // nothing is left to continue
	defer func() { rec.Close(over) }()

	earlier := u.choose(own, rec.Found(), elsewhere, s.PartSize)
	if earlier == nil {
		created, err := u.data.API.CreateMultipartUpload(ctx, s.FileName)
		if err != nil {
			return providerdata.StoredFile{}, nil, err
		}
		m := u.begin(s, rec, created)
		out, err := m.send(ctx)
		over = m.over()
		return out, m.unfinished(), err
	}
	tflog.Info(ctx, "continuing an unfinished upload", map[string]any{"file_name": s.FileName, "key_path": earlier.KeyPath, "stored_parts": len(earlier.Parts)})
	m := u.newMultipart(s, rec, *earlier)
	m.continued = true
	out, err := m.send(ctx)
	why := refusalOf(err)
	if why == notRefused {
		over = m.over()
		return out, m.unfinished(), err
	}
	if earlier.Completing && why == uploadUnknown {
		over = true
		return out, nil, &maybeCompleteError{keyPath: earlier.KeyPath, err: err}
	}
	kept := m.kept()
	created, createErr := u.data.API.CreateMultipartUpload(ctx, s.FileName)
	if createErr != nil {
		return out, kept, fmt.Errorf("%w; and no new upload could be begun: %w", err, createErr)
	}
	if earlier.Completing && why == refusedNotFound {
		over = true
		return out, nil, &maybeCompleteError{keyPath: earlier.KeyPath, err: err}
	}
	m = u.begin(s, rec, created)
	out, newErr := m.send(ctx)
	left := m.unfinished()
	if left == nil && refusalOf(newErr) != notRefused && !why.final() {
		// The new upload got no further, so the cause is not the old one.
		return out, kept, newErr
	}
	over = left == nil
	u.warn("An unfinished upload could not be continued",
		fmt.Sprintf("The unfinished upload of %q was refused, so the file was uploaded from its beginning, as %s. Parts stored before are not used.\n\nThe refusal: %s",
			s.FileName, created.KeyPath, err))
	return out, left, newErr
}

// begin makes the destination of an upload that was just created.
func (u *uploader) begin(s spec, rec *resume.Record, created *api.MultipartUpload) *multipartUpload {
	u.data.Uploads.Claim(created.UploadID)
	return u.newMultipart(s, rec, providerdata.Unfinished{UploadID: created.UploadID, KeyPath: created.KeyPath, PartSize: s.PartSize})
}

// choose finds the unfinished upload to continue: the resource's own, joined with this machine's record of the same
// upload, or else the record's. Which list of parts is newer does not matter: the engine reuses only parts that are
// proved to hold the file's bytes. An upload that another resource of this process has, or another process (elsewhere),
// is left to it: otherwise two resources would end up with one object.
func (u *uploader) choose(own, recorded *providerdata.Unfinished, elsewhere string, partSize int64) *providerdata.Unfinished {
	for _, candidate := range []*providerdata.Unfinished{own, recorded} {
		if candidate == nil || candidate.PartSize != partSize || candidate.UploadID == "" || candidate.KeyPath == "" ||
			candidate.UploadID == elsewhere || !u.data.Uploads.Claim(candidate.UploadID) {
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

// union joins the parts of a record, which only this user can write, with those of a state, which others may have
// edited. Where the two describe a part differently both are kept: the engine takes the one that it can prove.
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

// multipartUpload is one multipart upload under way: a transfer.Destination.
type multipartUpload struct {
	*uploader
	spec      spec
	record    *resume.Record
	continued bool

	id providerdata.Unfinished // Parts: what an earlier run left

	mu         sync.Mutex
	stored     map[int]transfer.Part // what this run knows to be stored
	completing bool
	done       bool
}

func (u *uploader) newMultipart(s spec, rec *resume.Record, id providerdata.Unfinished) *multipartUpload {
	return &multipartUpload{uploader: u, spec: s, record: rec, id: id, stored: map[int]transfer.Part{}, completing: id.Completing}
}

func (m *multipartUpload) PartURL(ctx context.Context, number int) (string, error) {
	address, err := m.data.API.PresignPart(ctx, m.id.KeyPath, m.id.UploadID, number)
	if m.continued && again(ctx, err) {
		address, err = m.data.API.PresignPart(ctx, m.id.KeyPath, m.id.UploadID, number)
	}
	return address, err
}

func (m *multipartUpload) Stored(part transfer.Part) {
	part.Trusted = true
	m.mu.Lock()
	m.stored[part.Number] = part
	m.mu.Unlock()
	m.record.Changed(m.unfinished)
}

// over says that there is nothing left to continue.
func (m *multipartUpload) over() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.done
}

// set changes what unfinished and over tell.
func (m *multipartUpload) set(completing, done bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.completing, m.done = completing, done
}

// kept is the upload with every part that is known to be stored, whatever became of it.
func (m *multipartUpload) kept() *providerdata.Unfinished {
	m.mu.Lock()
	defer m.mu.Unlock()
	u := m.id
	u.Completing = m.completing
	u.Parts = slices.SortedFunc(maps.Values(m.stored), func(a, b transfer.Part) int { return cmp.Compare(a.Number, b.Number) })
	for _, p := range m.id.Parts {
		if _, ok := m.stored[p.Number]; !ok {
			u.Parts = append(u.Parts, p)
		}
	}
	return &u
}

// unfinished is what the next run needs, nil when the upload is over or nothing is stored.
func (m *multipartUpload) unfinished() *providerdata.Unfinished {
	u := m.kept()
	if m.over() || len(u.Parts) == 0 {
		return nil
	}
	if m.record == nil { // then nothing keeps the checksums
		for i := range u.Parts {
			u.Parts[i].Checksum = ""
		}
	}
	return u
}

// send sends what is missing and completes the upload.
func (m *multipartUpload) send(ctx context.Context) (providerdata.StoredFile, error) {
	result, err := m.sendParts(ctx)
	if err != nil {
		m.set(m.id.Completing, !m.continued && refusalOf(err).final())
		return providerdata.StoredFile{}, err
	}
	completed, err := m.complete(ctx, result.Parts)
	if err != nil {
		return providerdata.StoredFile{}, err
	}
	m.set(true, true)
	m.data.Uploads.Complete(m.id.UploadID)
	if err := checkObject(m.id.KeyPath, result, completed); err != nil {
		return providerdata.StoredFile{}, err
	}
	out := providerdata.StoredFile{
		KeyPath: m.id.KeyPath, ETag: completed.ETag, Location: completed.Location, Bucket: completed.Bucket,
		Encryption: completed.ServerSideEncryption, VersionID: completed.VersionID, Parts: int64(len(result.Parts)),
	}
	if completed.Key != "" && completed.Key != m.id.KeyPath {
		m.warn("The file may be stored under another key path",
			fmt.Sprintf("The service announced %s for %q, which is what `key_path` holds, and then said that it stored %s.", m.id.KeyPath, m.spec.FileName, completed.Key))
	}
	if want, differs := composedETag(result.Parts, completed); differs {
		m.warn("The stored object's ETag is an unusual one",
			fmt.Sprintf("The ETag of %s is %s; S3 makes %s of the ETags of its parts, each of which was right.", m.id.KeyPath, completed.ETag, want))
	}
	return out, nil
}

// sendParts sends the parts that are not stored.
func (m *multipartUpload) sendParts(ctx context.Context) (transfer.Result, error) {
	send := func() (transfer.Result, error) {
		return m.data.Transfer.UploadParts(ctx, m.file(m.spec), m.spec.PartSize, m.kept().Parts, m)
	}
	result, err := send()
	// PartURL and the engine's own attempts have asked again already, but not after a status that the engine takes for final.
	if refused, ok := errors.AsType[*transfer.StatusError](err); ok && m.continued && refused.Attempts == 1 && again(ctx, err) {
		return send()
	}
	return result, err
}

// complete makes the object of the parts.
func (m *multipartUpload) complete(ctx context.Context, parts []transfer.Part) (*api.CompletedUpload, error) {
	listed := make([]api.CompletedPart, len(parts))
	for i, p := range parts {
		listed[i] = api.CompletedPart{Number: p.Number, ETag: p.ETag}
	}
	// Recorded before the call: whatever ends this process now, the next one knows that the object may be there.
	m.set(true, false)
	m.record.Changed(m.unfinished)
	m.record.Flush()
	completed, err := m.data.API.CompleteMultipartUpload(ctx, m.id.KeyPath, m.id.UploadID, listed)
	lost := api.MayHaveBeenProcessed(err)
	if (m.continued || lost) && again(ctx, err) {
		completed, err = m.data.API.CompleteMultipartUpload(ctx, m.id.KeyPath, m.id.UploadID, listed)
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
				"If the file turns out not to be stored, upload it again with `terraform apply -replace=ADDRESS`, where ADDRESS is the address of this resource.\n\nThe answer to the repetition: %s",
				m.spec.FileName, m.id.KeyPath, err))
		return &api.CompletedUpload{}, nil
	}
	m.set(m.id.Completing || lost, !m.continued && why.final())
	m.record.Changed(m.unfinished)
	return nil, err
}

// canBegin says whether the service begins uploads, so that a 404 without words is about the upload, not about the
// service. The upload that it begins is left alone: it holds nothing.
func (m *multipartUpload) canBegin(ctx context.Context) bool {
	_, err := m.data.API.CreateMultipartUpload(ctx, m.spec.FileName)
	return err == nil
}
