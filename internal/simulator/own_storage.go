package simulator

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	maxPut      = 5 << 30 // bytes of one PUT to S3
	minPartSize = 5 << 20
	maxPart     = 10_000
)

var errNoSuchUpload = &StorageError{
	http.StatusNotFound, "NoSuchUpload",
	"The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.",
}

// ownStorage is the simulator's own storage. It keeps the metadata of objects, not their bytes.
type ownStorage struct {
	o      Options
	signer signer

	mu       sync.Mutex
	objects  []Object
	position map[string]int // in objects, by key
	uploads  []*upload      // unfinished
	finished map[string]finished
}

// upload is an unfinished multipart upload.
type upload struct {
	id, key string
	parts   map[int]*receipt
}

// finished is a completed upload, kept for a repeated complete request.
type finished struct {
	key    string
	parts  []CompletedPart
	object Object
}

func newOwnStorage(o Options) *ownStorage {
	return &ownStorage{o: o, signer: newSigner(), position: map[string]int{}, finished: map[string]finished{}}
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
	u := &upload{id: rawID(), key: key, parts: map[int]*receipt{}}
	st.uploads = append(st.uploads, u)
	return u.id, nil
}

// find returns an unfinished upload. The caller holds mu.
func (st *ownStorage) find(key, id string) (*upload, error) {
	for _, u := range st.uploads {
		if u.id == id && u.key == key {
			return u, nil
		}
	}
	return nil, errNoSuchUpload
}

func (st *ownStorage) Complete(_ context.Context, base, key, id string, parts []CompletedPart) (Completed, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	u, err := st.find(key, id)
	if err != nil {
		return st.repeated(base, key, id, parts)
	}
	if err := st.check(u, parts); err != nil {
		return Completed{}, err
	}
	object := u.object(parts)
	if st.o.DiscardContent {
		object.SHA256 = ""
	}
	if st.o.Encryption == kms {
		object.ETag = opaque(object.ETag)
	}
	st.uploads = slices.DeleteFunc(st.uploads, func(other *upload) bool { return other == u })
	st.finished[id] = finished{key, slices.Clone(parts), object}
	st.put(object)
	return st.completed(base, object), nil
}

// repeated handles a complete request for an unknown or completed upload. The caller holds mu.
func (st *ownStorage) repeated(base, key, id string, parts []CompletedPart) (Completed, error) {
	same := func(a, b CompletedPart) bool { return a.Number == b.Number && unquoted(a.ETag) == unquoted(b.ETag) }
	if f, ok := st.finished[id]; ok && f.key == key && slices.EqualFunc(f.parts, parts, same) {
		return st.completed(base, f.object), nil
	}
	return Completed{}, errNoSuchUpload
}

// check checks the parts of a complete request as S3 does.
func (st *ownStorage) check(u *upload, listed []CompletedPart) error {
	if len(listed) == 0 {
		return &StorageError{http.StatusBadRequest, "MalformedXML", "You must specify at least one part"}
	}
	for i, p := range listed {
		if p.Number < 1 {
			return &StorageError{http.StatusBadRequest, "InvalidArgument", "PartNumber must be >= 1"}
		}
		if i > 0 && p.Number <= listed[i-1].Number {
			return &StorageError{http.StatusBadRequest, "InvalidPartOrder", "The list of parts was not in ascending order. Parts must be ordered by part number."}
		}
		if part := u.parts[p.Number]; part == nil || unquoted(p.ETag) != unquoted(part.etag) {
			return &StorageError{http.StatusBadRequest, "InvalidPart", fmt.Sprintf("One or more of the specified parts could not be found. "+
				"The part may not have been uploaded, or the specified entity tag may not match the part's entity tag. (part %d)", p.Number)}
		}
	}
	for _, p := range listed[:len(listed)-1] {
		if part := u.parts[p.Number]; part.size < st.o.MinPartSize {
			return &StorageError{
				http.StatusBadRequest, "EntityTooSmall",
				fmt.Sprintf("Your proposed upload is smaller than the minimum allowed size (part %d has %d bytes)", p.Number, part.size),
			}
		}
	}
	return nil
}

// object returns the object of parts that were checked.
func (u *upload) object(listed []CompletedPart) Object {
	sums, whole := md5.New(), sha256.New()
	object := Object{KeyPath: u.key, FileName: path.Base(u.key), Parts: len(listed)}
	for _, p := range listed {
		part := u.parts[p.Number]
		object.Size += part.size
		sums.Write(part.md5[:])
		whole.Write(part.content)
	}
	object.SHA256 = hex.EncodeToString(whole.Sum(nil))
	object.ETag = fmt.Sprintf(`"%x-%d"`, sums.Sum(nil), len(listed))
	return object
}

func (st *ownStorage) completed(base string, object Object) Completed {
	return Completed{
		// S3 escapes the slashes of the key here.
		Location: base + "/" + st.o.Bucket + "/" + url.QueryEscape(object.KeyPath), ETag: object.ETag,
		ServerSideEncryption: st.o.Encryption,
	}
}

// put adds an object or replaces the object of the same key. The caller holds mu.
func (st *ownStorage) put(object Object) {
	if i, found := st.position[object.KeyPath]; found {
		st.objects[i] = object
		return
	}
	st.position[object.KeyPath] = len(st.objects)
	st.objects = append(st.objects, object)
}

// AddObject stores a small file without a request, and returns its key path.
func (s *Service) AddObject() string {
	key, content := s.newKey("stored.mp4"), []byte("stored")
	object := Object{
		KeyPath: key, FileName: path.Base(key), Size: int64(len(content)), SHA256: fmt.Sprintf("%x", sha256.Sum256(content)),
		ETag: fmt.Sprintf("%q", fmt.Sprintf("%x", md5.Sum(content))), ContentType: "video/mp4",
	}
	s.own.mu.Lock()
	defer s.own.mu.Unlock()
	s.own.put(object)
	return key
}

func (st *ownStorage) Exists(_ context.Context, key string) (bool, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	_, found := st.position[key]
	return found, nil
}

func (st *ownStorage) Objects(context.Context) ([]Object, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	return slices.Clone(st.objects), nil
}

func (st *ownStorage) unfinished() []Upload {
	st.mu.Lock()
	defer st.mu.Unlock()
	records := make([]Upload, 0, len(st.uploads))
	for _, u := range st.uploads {
		rec := Upload{UploadID: u.id, KeyPath: u.key}
		for _, number := range slices.Sorted(maps.Keys(u.parts)) {
			part := u.parts[number]
			rec.Parts = append(rec.Parts, Part{number, part.size, part.etag, part.sha256})
		}
		records = append(records, rec)
	}
	return records
}

func (st *ownStorage) Drop(_ context.Context, id string) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.uploads = slices.DeleteFunc(st.uploads, func(u *upload) bool { return u.id == id })
	delete(st.finished, id)
	return nil
}

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
	store := st.putObject
	if isPart(r.URL.Query()) {
		store = st.putPart
	}
	received, err := store(r, key)
	if err != nil {
		return st.refuse(r, err)
	}
	header := storageHeader()
	header.Set("ETag", received.etag)
	header.Set("X-Amz-Server-Side-Encryption", st.o.Encryption)
	if received.checksum != "" {
		header.Set("X-Amz-Checksum-"+st.o.PartChecksum, received.checksum)
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

func (st *ownStorage) putObject(r *http.Request, key string) (*receipt, error) {
	received, err := st.body(r, false)
	if err != nil {
		return nil, err
	}
	received.checksum = "" // storage returns one for parts alone
	st.mu.Lock()
	defer st.mu.Unlock()
	st.put(Object{
		KeyPath: key, FileName: path.Base(key), Size: received.size, SHA256: received.sha256, ETag: received.etag, ContentType: r.Header.Get("Content-Type"),
	})
	return received, nil
}

// putPart stores a part. The last PUT of a part counts.
func (st *ownStorage) putPart(r *http.Request, key string) (*receipt, error) {
	query := r.URL.Query()
	number, err := strconv.Atoi(query.Get("partNumber"))
	if err != nil || number < 1 || number > maxPart {
		return nil, &StorageError{http.StatusBadRequest, "InvalidArgument", "Part number must be an integer between 1 and 10000, inclusive"}
	}
	find := func() (*upload, error) {
		st.mu.Lock()
		defer st.mu.Unlock()
		return st.find(key, query.Get("uploadId"))
	}
	if _, err := find(); err != nil {
		return nil, err
	}
	received, err := st.body(r, true)
	if err != nil {
		return nil, err
	}
	u, err := find() // it may have ended meanwhile
	if err != nil {
		return nil, err
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	u.parts[number] = received
	return received, nil
}

// body receives a body. If the client breaks it off, so does the response.
func (st *ownStorage) body(r *http.Request, isPart bool) (*receipt, error) {
	received, err := st.o.receive(r.Body, r.ContentLength, isPart)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if sum := r.Header.Get("Content-Md5"); sum != "" && sum != base64.StdEncoding.EncodeToString(received.md5[:]) {
		return nil, &StorageError{http.StatusBadRequest, "BadDigest", "The Content-MD5 you specified did not match what we received."}
	}
	return received, nil
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

func unquoted(etag string) string { return strings.Trim(etag, `"`) }
