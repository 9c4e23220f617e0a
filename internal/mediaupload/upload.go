package mediaupload

import (
	"cmp"
	"context"
	"crypto/md5" //nolint:gosec // S3's ETags are MD5; the content is proved by SHA-256
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
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

func (u *uploader) multipart(ctx context.Context, s spec, own *providerdata.Unfinished) (providerdata.StoredFile, *providerdata.Unfinished, error) {
	rec, elsewhere := u.data.Resume.Record(ctx, resume.Key{
		Account: u.data.Account(ctx), Address: u.data.VODAddress, SHA256: hex.EncodeToString(s.SHA256[:]), Size: s.Size, PartSize: s.PartSize, FileName: s.FileName,
	})
	over := false
	defer func() { rec.Close(over) }()

	earlier := u.choose(own, rec.Found(), elsewhere, s.PartSize)
	if earlier != nil {
		tflog.Info(ctx, "continuing an unfinished upload", map[string]any{"file_name": s.FileName, "key_path": earlier.KeyPath, "stored_parts": len(earlier.Parts)})
		m := u.newMultipart(s, rec, *earlier)
		out, err := m.send(ctx)
		if !refusesUpload(err, earlier.UploadID) {
			over = m.over()
			return out, m.unfinished(), err
		}
		if earlier.Completing {
			over = true
			return out, nil, &maybeCompleteError{keyPath: earlier.KeyPath, err: err}
		}
		u.warn("An unfinished upload could not be continued",
			fmt.Sprintf("The service does not know the unfinished upload of %q any more, so the file is uploaded from its beginning.\n\nThe service said: %s", s.FileName, err))
	}
	created, err := u.data.API.CreateMultipartUpload(ctx, s.FileName)
	if err != nil {
		return providerdata.StoredFile{}, earlier, err
	}
	u.data.Uploads.Claim(created.UploadID)
	m := u.newMultipart(s, rec, providerdata.Unfinished{UploadID: created.UploadID, KeyPath: created.KeyPath, PartSize: s.PartSize})
	out, err := m.send(ctx)
	over = m.over()
	return out, m.unfinished(), err
}

// choose finds the unfinished upload to go on with: the resource's own, joined with this machine's record of the same
// upload, or else the record's. Which account is newer does not matter: the engine trusts a part only if its MD5 is that
// of the file's bytes now. An upload that another resource of this process has, or another process (elsewhere), is left
// to it: otherwise two resources would end up with one object.
func (u *uploader) choose(own, recorded *providerdata.Unfinished, elsewhere string, partSize int64) *providerdata.Unfinished {
	for _, candidate := range []*providerdata.Unfinished{own, recorded} {
		if candidate == nil || candidate.PartSize != partSize || candidate.UploadID == "" || candidate.KeyPath == "" ||
			candidate.UploadID == elsewhere || !u.data.Uploads.Claim(candidate.UploadID) {
			continue
		}
		chosen := *candidate
		if recorded != nil && recorded.UploadID == chosen.UploadID && recorded.KeyPath == chosen.KeyPath {
			chosen.Parts = union(chosen.Parts, recorded.Parts)
			chosen.Completing = chosen.Completing || recorded.Completing
		}
		return &chosen
	}
	return nil
}

// union joins two lists of stored parts. Of two accounts of one part both are kept: the engine takes the one that is right.
func union(a, b []transfer.Part) []transfer.Part {
	known := make(map[transfer.Part]bool, len(a))
	for _, p := range a {
		known[p] = true
	}
	joined := slices.Clone(a)
	for _, p := range b {
		if !known[p] {
			joined = append(joined, p)
		}
	}
	return joined
}

// multipartUpload is one multipart upload under way: a transfer.Destination.
type multipartUpload struct {
	*uploader
	spec   spec
	record *resume.Record

	id providerdata.Unfinished // Parts: what an earlier run left

	mu         sync.Mutex
	stored     map[int]transfer.Part // what this run knows to be stored
	completing bool
	done       bool
}

func (u *uploader) newMultipart(s spec, rec *resume.Record, id providerdata.Unfinished) *multipartUpload {
	return &multipartUpload{uploader: u, spec: s, record: rec, id: id, stored: map[int]transfer.Part{}}
}

func (m *multipartUpload) PartURL(ctx context.Context, number int) (string, error) {
	return m.data.API.PresignPart(ctx, m.id.KeyPath, m.id.UploadID, number)
}

func (m *multipartUpload) Stored(part transfer.Part) {
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

// unfinished is what the next run needs, nil when the upload is complete or nothing is stored.
func (m *multipartUpload) unfinished() *providerdata.Unfinished {
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
	if m.done || len(u.Parts) == 0 {
		return nil
	}
	return &u
}

// send sends what is missing and completes the upload.
func (m *multipartUpload) send(ctx context.Context) (providerdata.StoredFile, error) {
	result, err := m.data.Transfer.UploadParts(ctx, m.file(m.spec), m.spec.PartSize, m.id.Parts, m)
	if err != nil {
		return providerdata.StoredFile{}, err
	}
	parts := make([]api.CompletedPart, len(result.Parts))
	for i, p := range result.Parts {
		parts[i] = api.CompletedPart{Number: p.Number, ETag: p.ETag}
	}
	// Recorded before the call: whatever ends this process now, the next one knows that the object may be there.
	m.set(true, false)
	m.record.Changed(m.unfinished)
	m.record.Flush()
	completed, err := m.data.API.CompleteMultipartUpload(ctx, m.id.KeyPath, m.id.UploadID, parts)
	if err != nil {
		return providerdata.StoredFile{}, m.completeError(err)
	}
	m.set(true, true)
	m.data.Uploads.Complete(m.id.UploadID)
	out := providerdata.StoredFile{
		KeyPath: m.id.KeyPath, ETag: completed.ETag, Location: completed.Location, Bucket: completed.Bucket,
		Encryption: completed.ServerSideEncryption, VersionID: completed.VersionID, Parts: int64(len(parts)),
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

// maybeCompleteError is a complete whose answer was lost and whose repetition found no such upload.
type maybeCompleteError struct {
	keyPath string
	err     error
}

func (e *maybeCompleteError) Error() string {
	return fmt.Sprintf("the upload may be complete: the answer to the call that completes it was lost, and then the service did not know the upload any more "+
		"(%s). If the file is stored, it is %s: take it over with\n\n  terraform import ADDRESS %s\n\nwhere ADDRESS is that of this resource, after `terraform state rm ADDRESS` if the state has it. "+
		"Otherwise apply again, which uploads the file from its beginning", e.err, e.keyPath, e.keyPath)
}

func (e *maybeCompleteError) Unwrap() error { return e.err }

func (m *multipartUpload) completeError(err error) error {
	var e *api.Error
	lost := errors.As(err, &e) && e.MayHaveBeenProcessed
	if lost && namesUpload(e, m.id.UploadID) {
		m.set(true, true) // there is nothing left to continue
		return &maybeCompleteError{keyPath: m.id.KeyPath, err: err}
	}
	m.set(lost || m.id.Completing, false)
	return err
}

// refusesUpload says that a call failed because the service or storage does not know the upload.
func refusesUpload(err error, uploadID string) bool {
	var lost *maybeCompleteError
	if err == nil || errors.As(err, &lost) {
		return false
	}
	if transfer.IsNoSuchUpload(err) {
		return true
	}
	var e *api.Error
	return errors.As(err, &e) && namesUpload(e, uploadID)
}

// namesUpload says that a refusal (4xx) is about the upload: by its status, or by a text that names its id or says what
// S3 says of one that it does not know. Interface 7 shows neither codes nor texts.
func namesUpload(e *api.Error, uploadID string) bool {
	if e.Status == http.StatusNotFound || e.Status == http.StatusGone {
		return true
	}
	text := strings.ToLower(e.Message)
	return e.Status >= 400 && e.Status < 500 &&
		(strings.Contains(text, strings.ToLower(uploadID)) || strings.Contains(strings.ReplaceAll(text, " ", ""), "nosuchupload"))
}

// composedETag is the ETag that S3 makes of those of the parts, and whether the object has another one of the same form.
// Nothing can be said where the store encrypts with KMS or has its own ETags: then those of the parts are no MD5s.
func composedETag(parts []transfer.Part, completed *api.CompletedUpload) (want string, differs bool) {
	sums := md5.New() //nolint:gosec // see above
	for _, p := range parts {
		if !strings.EqualFold(strings.Trim(p.ETag, `"`), hex.EncodeToString(p.MD5[:])) {
			return "", false
		}
		sums.Write(p.MD5[:])
	}
	want = fmt.Sprintf("%x-%d", sums.Sum(nil), len(parts))
	got := strings.ToLower(strings.Trim(completed.ETag, `"`))
	sameForm := len(got) == len(want) && strings.HasSuffix(got, fmt.Sprintf("-%d", len(parts)))
	return want, sameForm && got != want
}
