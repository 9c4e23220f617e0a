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

// run uploads. resume holds unfinished uploads that are known besides this machine's record. After a failure with parts
// stored it returns what the next run needs to go on.
func (u *uploader) run(ctx context.Context, s spec, resume []providerdata.Unfinished) (providerdata.StoredFile, *providerdata.Unfinished, error) {
	ctx, stop := withParent(ctx)
	defer stop()
	if !s.Multipart {
		out, err := u.single(ctx, s)
		return out, nil, err
	}
	return u.multipart(ctx, s, resume)
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

func (u *uploader) multipart(ctx context.Context, s spec, resume []providerdata.Unfinished) (providerdata.StoredFile, *providerdata.Unfinished, error) {
	rec := openRecord(ctx, u.data.ResumeDir, recordKey{
		Address: u.data.VODAddress, SHA256: hex.EncodeToString(s.SHA256[:]), Size: s.Size, PartSize: s.PartSize, FileName: s.FileName,
	})
	over := false
	defer func() { rec.close(over) }()

	if found := rec.found(); found != nil {
		resume = append(resume, *found)
	}
	earlier := merge(resume, s.PartSize)
	if earlier != nil {
		tflog.Info(ctx, "continuing an unfinished upload", map[string]any{"file_name": s.FileName, "key_path": earlier.KeyPath, "stored_parts": len(earlier.Parts)})
		m := u.newMultipart(s, rec, *earlier)
		out, err := m.send(ctx)
		if !refusesUpload(err, earlier.UploadID) {
			over = m.over()
			return out, m.unfinished(), err
		}
		u.warn("An unfinished upload could not be continued",
			fmt.Sprintf("The service does not know the unfinished upload of %q any more, so the file is uploaded from its beginning. "+
				"If the earlier run was stopped while it completed the upload, the file may also be stored as %s.\n\nThe service said: %s", s.FileName, earlier.KeyPath, err))
	}
	created, err := u.data.API.CreateMultipartUpload(ctx, s.FileName)
	if err != nil {
		return providerdata.StoredFile{}, nil, err
	}
	m := u.newMultipart(s, rec, providerdata.Unfinished{UploadID: created.UploadID, KeyPath: created.KeyPath, PartSize: s.PartSize})
	out, err := m.send(ctx)
	over = m.over()
	return out, m.unfinished(), err
}

// merge chooses the unfinished upload to go on with: of those with the part size wanted, the one with the most parts
// stored, joined with every other account of the same upload. Which account is newer does not matter: the engine
// trusts a part only if its MD5 is that of the file's bytes now.
func merge(candidates []providerdata.Unfinished, partSize int64) *providerdata.Unfinished {
	var joined []providerdata.Unfinished
	for _, c := range candidates {
		if c.PartSize != partSize || c.UploadID == "" || c.KeyPath == "" {
			continue
		}
		same := -1
		for i := range joined {
			if joined[i].UploadID == c.UploadID && joined[i].KeyPath == c.KeyPath {
				same = i
			}
		}
		if same < 0 {
			joined = append(joined, c)
			continue
		}
		joined[same].Parts = union(joined[same].Parts, c.Parts)
	}
	var best *providerdata.Unfinished
	for i := range joined {
		if best == nil || len(joined[i].Parts) > len(best.Parts) {
			best = &joined[i]
		}
	}
	return best
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
	record *record

	id providerdata.Unfinished // Parts: what an earlier run left

	mu     sync.Mutex
	stored map[int]transfer.Part // what this run knows to be stored
	done   bool
}

func (u *uploader) newMultipart(s spec, rec *record, id providerdata.Unfinished) *multipartUpload {
	return &multipartUpload{uploader: u, spec: s, record: rec, id: id, stored: map[int]transfer.Part{}}
}

func (m *multipartUpload) PartURL(ctx context.Context, number int) (string, error) {
	return m.data.API.PresignPart(ctx, m.id.KeyPath, m.id.UploadID, number)
}

func (m *multipartUpload) Stored(part transfer.Part) {
	m.mu.Lock()
	m.stored[part.Number] = part
	m.mu.Unlock()
	m.record.changed(m.unfinished)
}

// over says that there is nothing left to continue.
func (m *multipartUpload) over() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.done
}

// setOver is called once the service has been told to complete the upload, and did or may have.
func (m *multipartUpload) setOver() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done = true
}

// unfinished is what the next run needs, nil when the upload is complete or nothing is stored.
func (m *multipartUpload) unfinished() *providerdata.Unfinished {
	m.mu.Lock()
	defer m.mu.Unlock()
	u := m.id
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
	completed, err := m.data.API.CompleteMultipartUpload(ctx, m.id.KeyPath, m.id.UploadID, parts)
	if err != nil {
		return providerdata.StoredFile{}, m.completeError(err)
	}
	m.setOver()
	out := providerdata.StoredFile{
		KeyPath: m.id.KeyPath, ETag: completed.ETag, Location: completed.Location, Bucket: completed.Bucket,
		Encryption: completed.ServerSideEncryption, VersionID: completed.VersionID, Parts: int64(len(parts)),
	}
	if completed.Key != "" && completed.Key != m.id.KeyPath {
		out.KeyPath = completed.Key
		m.warn("The file was stored under another key path",
			fmt.Sprintf("The service announced %s for %q and stored it as %s, which is what `key_path` holds.", m.id.KeyPath, m.spec.FileName, completed.Key))
	}
	return out, proveObject(result.Parts, completed)
}

// maybeCompleteError is a complete whose answer was lost and whose repetition found no such upload.
type maybeCompleteError struct {
	keyPath string
	err     error
}

func (e *maybeCompleteError) Error() string {
	return fmt.Sprintf("the upload may be complete: the answer to the call that completes it was lost, and then the service did not know the upload any more "+
		"(%s). If the file is stored, it is %s: take it over with\n\n  terraform import ADDRESS %s\n\nwhere ADDRESS is that of this resource. Otherwise apply again, which uploads the file from its beginning", e.err, e.keyPath, e.keyPath)
}

func (e *maybeCompleteError) Unwrap() error { return e.err }

func (m *multipartUpload) completeError(err error) error {
	var e *api.Error
	if errors.As(err, &e) && e.MayHaveBeenProcessed && namesUpload(e, m.id.UploadID) {
		m.setOver()
		return &maybeCompleteError{keyPath: m.id.KeyPath, err: err}
	}
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

// namesUpload says that a refusal (4xx) is about the upload: interface 7 shows neither codes nor texts, so it is one
// that says "not found" or "gone" by its status, or one whose text speaks of the upload.
func namesUpload(e *api.Error, uploadID string) bool {
	switch e.Status {
	case http.StatusNotFound, http.StatusGone:
		return true
	case http.StatusBadRequest, http.StatusForbidden, http.StatusConflict, http.StatusUnprocessableEntity:
		text := strings.ToLower(e.Message)
		return strings.Contains(text, strings.ToLower(uploadID)) || strings.Contains(text, "upload")
	}
	return false
}

// proveObject holds the ETag of the complete object against the parts: S3 makes it of their MD5s. Nothing is proved
// where the store encrypts with KMS or has its own ETags.
func proveObject(parts []transfer.Part, completed *api.CompletedUpload) error {
	sums := md5.New() //nolint:gosec // see above
	for _, p := range parts {
		sums.Write(p.MD5[:])
	}
	want := fmt.Sprintf("%x-%d", sums.Sum(nil), len(parts))
	got := strings.ToLower(strings.Trim(completed.ETag, `"`))
	multipartForm := len(got) == len(want) && strings.HasSuffix(got, fmt.Sprintf("-%d", len(parts)))
	if got == want || !multipartForm || strings.HasPrefix(completed.ServerSideEncryption, "aws:kms") {
		return nil
	}
	return fmt.Errorf("the stored object is not what was sent: its ETag is %s and should be %s", got, want)
}
