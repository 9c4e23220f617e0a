package simulator

import (
	"cmp"
	"context"
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// maxPut is the maximum size of one PUT to S3, in bytes.
const maxPut = 5 << 30

var (
	errNoSuchUpload = &StorageError{
		http.StatusNotFound, "NoSuchUpload",
		"The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.",
	}
	errAborted = errors.New("the body ended early")
)

// ownStorage is the simulator's own storage. It keeps the metadata of objects, not their bytes.
type ownStorage struct {
	o       Options
	signer  signer
	content *content

	mu       sync.Mutex
	objects  map[string]*Object
	order    []*Object
	uploads  map[string]*upload
	created  int
	finished map[string]finished
}

// finished is a completed upload, kept for a repeated complete request.
type finished struct {
	key    string
	parts  []CompletedPart
	object Object
}

func newOwnStorage(o Options) *ownStorage {
	return &ownStorage{
		o: o, signer: newSigner(), content: newContent(o), objects: map[string]*Object{}, uploads: map[string]*upload{},
		finished: map[string]finished{},
	}
}

func (st *ownStorage) Bucket() string { return st.o.Bucket }

func (st *ownStorage) Presign(a Address) (string, error) {
	base, err := url.Parse(a.Base)
	if err != nil {
		return "", err
	}
	return st.signer.presign(base, st.o.Bucket, a), nil
}

func (st *ownStorage) Create(_ context.Context, key string) (string, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	id := rawID()
	st.created++
	st.uploads[id] = newUpload(id, key, st.created, st.content)
	return id, nil
}

func (st *ownStorage) upload(key, id string) (*upload, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	u := st.uploads[id]
	if u == nil || u.key != key {
		return nil, errNoSuchUpload
	}
	return u, nil
}

func (st *ownStorage) Complete(_ context.Context, base, key, id string, parts []CompletedPart) (Completed, error) {
	u, err := st.upload(key, id)
	if err != nil {
		return st.repeated(base, key, id, parts)
	}
	u.completing.Lock()
	defer u.completing.Unlock()
	object, err := u.complete(parts)
	if errors.Is(err, errNoSuchUpload) {
		return st.repeated(base, key, id, parts)
	}
	if err != nil {
		return Completed{}, err
	}
	if st.o.Encryption == kms {
		object.ETag = opaque(object.ETag)
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	delete(st.uploads, id)
	st.finished[id] = finished{key, slices.Clone(parts), *object}
	st.put(object)
	return st.completed(base, *object), nil
}

// repeated handles a complete request for an unknown or completed upload.
func (st *ownStorage) repeated(base, key, id string, parts []CompletedPart) (Completed, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	same := func(a, b CompletedPart) bool { return a.Number == b.Number && unquoted(a.ETag) == unquoted(b.ETag) }
	if f, ok := st.finished[id]; ok && f.key == key && slices.EqualFunc(f.parts, parts, same) {
		return st.completed(base, f.object), nil
	}
	return Completed{}, errNoSuchUpload
}

func (st *ownStorage) completed(base string, object Object) Completed {
	return Completed{
		// S3 escapes the slashes of the key here.
		Location: base + "/" + st.o.Bucket + "/" + url.QueryEscape(object.KeyPath), ETag: object.ETag,
		ServerSideEncryption: st.o.Encryption,
	}
}

// put adds an object or replaces the object of the same key. The caller holds mu.
func (st *ownStorage) put(object *Object) {
	if old := st.objects[object.KeyPath]; old != nil {
		st.order = slices.DeleteFunc(st.order, func(o *Object) bool { return o == old })
	}
	st.objects[object.KeyPath] = object
	st.order = append(st.order, object)
}

func (st *ownStorage) Exists(_ context.Context, key string) (bool, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.objects[key] != nil, nil
}

func (st *ownStorage) Objects(context.Context) ([]Object, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	objects := make([]Object, 0, len(st.order))
	for _, o := range st.order {
		objects = append(objects, *o)
	}
	return objects, nil
}

func (st *ownStorage) Uploads(context.Context) ([]Upload, error) {
	st.mu.Lock()
	uploads := slices.Collect(maps.Values(st.uploads))
	st.mu.Unlock()
	slices.SortFunc(uploads, func(a, b *upload) int { return cmp.Compare(a.sequence, b.sequence) })
	records := make([]Upload, 0, len(uploads))
	for _, u := range uploads {
		records = append(records, u.record())
	}
	return records, nil
}

func (st *ownStorage) Drop(_ context.Context, id string) error {
	st.mu.Lock()
	u := st.uploads[id]
	delete(st.uploads, id)
	delete(st.finished, id)
	st.mu.Unlock()
	if u != nil {
		u.drop()
	}
	return nil
}

func (st *ownStorage) Close() error { return st.content.close() }

const kms = "aws:kms"

// opaque replaces an ETag by one that is not an MD5 sum, as S3 does with KMS encryption: another
// one for each PUT, even of the same content.
func opaque(etag string) string {
	tag := rawID()
	if _, parts, ok := strings.Cut(unquoted(etag), "-"); ok {
		tag += "-" + parts
	}
	return `"` + tag + `"`
}

// servePut handles a PUT to a presigned URL. key is the path after the bucket.
func (st *ownStorage) servePut(r *http.Request, bucket, key string) answer {
	if err := st.acceptable(r, bucket); err != nil {
		return st.refuse(r, err)
	}
	query := r.URL.Query()
	var (
		etag, checksum string
		err            error
	)
	if isPart(query) {
		etag, checksum, err = st.putPart(r, key, query)
	} else {
		etag, err = st.putObject(r, key)
	}
	if errors.Is(err, errAborted) {
		panic(http.ErrAbortHandler)
	}
	if err != nil {
		return st.refuse(r, err)
	}
	header := storageHeader()
	header.Set("ETag", etag)
	header.Set("X-Amz-Server-Side-Encryption", st.o.Encryption)
	if checksum != "" {
		header.Set("X-Amz-Checksum-"+st.o.PartChecksum, checksum)
	}
	return answer{status: http.StatusOK, header: header}
}

func isPart(query url.Values) bool { return query.Has("partNumber") || query.Has("uploadId") }

// acceptable checks everything that can be checked before the body is read.
func (st *ownStorage) acceptable(r *http.Request, bucket string) error {
	if r.Header.Get("Authorization") != "" {
		return &StorageError{http.StatusBadRequest, "InvalidArgument", "Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, " +
			"Signature query string parameter or the Authorization header should be specified"}
	}
	if err := st.signer.verify(r, st.o.Clock()); err != nil {
		return err
	}
	switch {
	case bucket != st.o.Bucket:
		return &StorageError{http.StatusNotFound, "NoSuchBucket", "The specified bucket does not exist"}
	case r.ContentLength < 0:
		return &StorageError{http.StatusLengthRequired, "MissingContentLength", "You must provide the Content-Length HTTP header."}
	case r.ContentLength > maxPut:
		return &StorageError{http.StatusBadRequest, "EntityTooLarge", "Your proposed upload exceeds the maximum allowed size"}
	}
	if sum := r.Header.Get("Content-Md5"); sum != "" {
		if raw, err := base64.StdEncoding.DecodeString(sum); err != nil || len(raw) != md5.Size {
			return &StorageError{http.StatusBadRequest, "InvalidDigest", "The Content-MD5 you specified is not valid."}
		}
	}
	return nil
}

func (st *ownStorage) putObject(r *http.Request, key string) (string, error) {
	body, err := st.content.receive(r.Body, r.ContentLength, false)
	if err := st.received(r, body, err); err != nil {
		return "", err
	}
	object := &Object{
		KeyPath: key, FileName: baseName(key), Size: body.size, SHA256: body.sha256,
		ETag: st.etag(body), ContentType: r.Header.Get("Content-Type"),
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	st.put(object)
	return object.ETag, nil
}

func (st *ownStorage) putPart(r *http.Request, key string, query url.Values) (etag, checksum string, err error) {
	number, err := strconv.Atoi(query.Get("partNumber"))
	if err != nil || number < 1 || number > maxPart {
		return "", "", &StorageError{http.StatusBadRequest, "InvalidArgument", "Part number must be an integer between 1 and 10000, inclusive"}
	}
	u, err := st.upload(key, query.Get("uploadId"))
	if err != nil {
		return "", "", err
	}
	part, err := st.content.receive(r.Body, r.ContentLength, true)
	if err := st.received(r, part, err); err != nil {
		return "", "", err
	}
	etag = st.etag(part)
	return etag, part.checksum, u.store(number, part, etag)
}

// received checks the result of reading a body.
func (st *ownStorage) received(r *http.Request, part *receipt, err error) error {
	if err != nil {
		if part == nil || !errors.Is(err, io.ErrUnexpectedEOF) && r.Context().Err() == nil {
			return err
		}
		return errAborted
	}
	if sum := r.Header.Get("Content-Md5"); sum != "" && sum != base64.StdEncoding.EncodeToString(part.md5[:]) {
		part.remove()
		return &StorageError{http.StatusBadRequest, "BadDigest", "The Content-MD5 you specified did not match what we received."}
	}
	return nil
}

func (st *ownStorage) etag(part *receipt) string {
	etag := `"` + hex.EncodeToString(part.md5[:]) + `"`
	if st.o.Encryption == kms {
		return opaque(etag)
	}
	return etag
}

func storageHeader() http.Header {
	header := http.Header{}
	header.Set("X-Amz-Request-Id", strings.ToUpper(rawID()[:16]))
	header.Set("X-Amz-Id-2", rawID())
	header.Set("Server", "AmazonS3")
	return header
}

// refuse returns an error response as S3 does, in XML.
func (st *ownStorage) refuse(r *http.Request, err error) answer {
	var refusal *StorageError
	if !errors.As(err, &refusal) {
		refusal = &StorageError{http.StatusInternalServerError, "InternalError", err.Error()}
	}
	header := storageHeader()
	header.Set("Content-Type", "application/xml")
	document := struct {
		XMLName    xml.Name `xml:"Error"`
		Code       string
		Message    string
		Expires    string `xml:",omitempty"`
		ServerTime string `xml:",omitempty"`
		RequestID  string `xml:"RequestId"`
		HostID     string `xml:"HostId"`
	}{Code: refusal.Code, Message: refusal.Message, RequestID: header.Get("X-Amz-Request-Id"), HostID: header.Get("X-Amz-Id-2")}
	if at, err := time.Parse(sigTime, r.URL.Query().Get("X-Amz-Date")); err == nil && refusal.Message == "Request has expired" {
		lifetime, _ := strconv.Atoi(r.URL.Query().Get("X-Amz-Expires"))
		document.Expires = at.Add(time.Duration(lifetime) * time.Second).Format(time.RFC3339)
		document.ServerTime = st.o.Clock().UTC().Format(time.RFC3339)
	}
	body, err := xml.Marshal(document)
	if err != nil {
		panic(err)
	}
	return answer{status: refusal.Status, header: header, body: append([]byte(xml.Header), body...)}
}
