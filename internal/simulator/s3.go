package simulator

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// S3Config names a bucket on an S3 server.
type S3Config struct {
	// Endpoint is the server's address; the bucket goes into the path.
	Endpoint  string
	Region    string
	Bucket    string
	AccessKey string
	SecretKey string
	// HTTP makes the requests; nil is a client of its own.
	HTTP *http.Client
}

// S3 is a Storage on a real S3 server. It knows what was made through it alone,
// not what else is in the bucket.
type S3 struct {
	config S3Config
	base   *url.URL
	key    signingKey

	mu      sync.Mutex
	keys    []string
	digests map[string]digest
	uploads []s3Upload
}

// digest is the content of an object, read once for each ETag.
type digest struct{ etag, sha256 string }

type s3Upload struct{ id, key string }

// NewS3 returns the storage and makes its bucket, unless it is there.
func NewS3(ctx context.Context, c S3Config) (*S3, error) {
	base, err := url.Parse(c.Endpoint)
	if err != nil {
		return nil, err
	}
	if c.HTTP == nil {
		c.HTTP = &http.Client{Transport: &http.Transport{}}
	}
	s := &S3{config: c, base: base, key: signingKey{c.AccessKey, c.SecretKey, c.Region}, digests: map[string]digest{}}
	_, err = s.call(ctx, http.MethodPut, "/"+c.Bucket, nil, nil, nil)
	var refused *StorageError
	if errors.As(err, &refused) && (refused.Code == "BucketAlreadyOwnedByYou" || refused.Code == "BucketAlreadyExists") {
		err = nil
	}
	return s, err
}

// Bucket is the name of the bucket.
func (s *S3) Bucket() string { return s.config.Bucket }

func (s *S3) path(key string) string { return "/" + s.config.Bucket + "/" + key }

// Presign returns a presigned address of the S3 server.
func (s *S3) Presign(a Address) (string, error) {
	query := url.Values{}
	if a.UploadID != "" {
		query.Set("partNumber", strconv.Itoa(a.Part))
		query.Set("uploadId", a.UploadID)
	} else {
		s.remember(a.Key)
	}
	return s.key.presign(s.base, s.path(a.Key), query, a.ContentType, a.At, a.Lifetime), nil
}

func (s *S3) remember(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.keys, key) {
		s.keys = append(s.keys, key)
	}
}

// Create begins a multipart upload.
func (s *S3) Create(ctx context.Context, key string) (string, error) {
	var made struct{ UploadId string } //nolint:revive // S3's name
	if _, err := s.call(ctx, http.MethodPost, s.path(key), url.Values{"uploads": {""}}, nil, &made); err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uploads = append(s.uploads, s3Upload{made.UploadId, key})
	return made.UploadId, nil
}

// Complete completes a multipart upload.
func (s *S3) Complete(ctx context.Context, _, key, uploadID string, parts []CompletedPart) (Completed, error) {
	type part struct {
		PartNumber int
		ETag       string
	}
	document := struct {
		XMLName xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ CompleteMultipartUpload"`
		Part    []part
	}{}
	for _, p := range parts {
		document.Part = append(document.Part, part{p.Number, p.ETag})
	}
	body, err := xml.Marshal(document)
	if err != nil {
		return Completed{}, err
	}
	var done struct{ Location, ETag string }
	header, err := s.call(ctx, http.MethodPost, s.path(key), url.Values{"uploadId": {uploadID}}, body, &done)
	if err != nil {
		return Completed{}, err
	}
	s.forget(uploadID)
	s.remember(key)
	return Completed{
		Location: done.Location, ETag: done.ETag,
		ServerSideEncryption: header.Get("X-Amz-Server-Side-Encryption"), VersionID: header.Get("X-Amz-Version-Id"),
	}, nil
}

func (s *S3) forget(uploadID string) (key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uploads = slices.DeleteFunc(s.uploads, func(u s3Upload) bool {
		if u.id == uploadID {
			key = u.key
		}
		return u.id == uploadID
	})
	return key
}

// Exists tells whether there is a complete object.
func (s *S3) Exists(ctx context.Context, key string) (bool, error) {
	_, err := s.call(ctx, http.MethodHead, s.path(key), nil, nil, nil)
	return err == nil, notFoundIsNil(err)
}

func notFoundIsNil(err error) error {
	var refused *StorageError
	if errors.As(err, &refused) && refused.Status == http.StatusNotFound {
		return nil
	}
	return err
}

// Objects returns the complete objects. It reads the content of each that it has not read yet.
func (s *S3) Objects(ctx context.Context) ([]Object, error) {
	s.mu.Lock()
	keys := slices.Clone(s.keys)
	s.mu.Unlock()
	type found struct {
		object   Object
		modified time.Time
	}
	var all []found
	for _, key := range keys {
		header, err := s.call(ctx, http.MethodHead, s.path(key), nil, nil, nil)
		if err != nil {
			if err := notFoundIsNil(err); err != nil {
				return nil, err
			}
			continue
		}
		f := found{object: Object{KeyPath: key, FileName: baseName(key), ETag: header.Get("ETag"), ContentType: header.Get("Content-Type")}}
		f.object.Size, _ = strconv.ParseInt(header.Get("Content-Length"), 10, 64)
		f.modified, _ = time.Parse(http.TimeFormat, header.Get("Last-Modified"))
		f.object.Parts = partsOf(f.object.ETag)
		if f.object.SHA256, err = s.digest(ctx, key, f.object.ETag); err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(a.modified.Unix(), b.modified.Unix()) })
	objects := make([]Object, 0, len(all))
	for _, f := range all {
		objects = append(objects, f.object)
	}
	return objects, nil
}

// partsOf reads the number of parts off the ETag of a multipart object; 0 for any other.
func partsOf(etag string) int {
	_, parts, _ := strings.Cut(unquoted(etag), "-")
	n, _ := strconv.Atoi(parts)
	return n
}

func (s *S3) digest(ctx context.Context, key, etag string) (string, error) {
	s.mu.Lock()
	known := s.digests[key]
	s.mu.Unlock()
	if known.etag == etag {
		return known.sha256, nil
	}
	response, err := s.send(ctx, http.MethodGet, s.path(key), nil, nil)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", refusedBy(response)
	}
	h := sha256.New()
	if _, err := io.Copy(h, response.Body); err != nil {
		return "", err
	}
	known = digest{etag, hex.EncodeToString(h.Sum(nil))}
	s.mu.Lock()
	s.digests[key] = known
	s.mu.Unlock()
	return known.sha256, nil
}

// Uploads returns the unfinished uploads with their parts.
func (s *S3) Uploads(ctx context.Context) ([]Upload, error) {
	s.mu.Lock()
	uploads := slices.Clone(s.uploads)
	s.mu.Unlock()
	var all []Upload
	for _, u := range uploads {
		parts, err := s.parts(ctx, u)
		if err != nil {
			if err := notFoundIsNil(err); err != nil {
				return nil, err
			}
			continue
		}
		all = append(all, Upload{UploadID: u.id, KeyPath: u.key, Parts: parts})
	}
	return all, nil
}

func (s *S3) parts(ctx context.Context, u s3Upload) ([]Part, error) {
	var all []Part
	query := url.Values{"uploadId": {u.id}}
	for {
		var page struct {
			IsTruncated          bool
			NextPartNumberMarker int
			Part                 []struct {
				PartNumber int
				ETag       string
				Size       int64
			}
		}
		if _, err := s.call(ctx, http.MethodGet, s.path(u.key), query, nil, &page); err != nil {
			return nil, err
		}
		for _, p := range page.Part {
			all = append(all, Part{Number: p.PartNumber, Size: p.Size, ETag: p.ETag})
		}
		if !page.IsTruncated {
			return all, nil
		}
		query.Set("part-number-marker", strconv.Itoa(page.NextPartNumberMarker))
	}
}

// Drop aborts an unfinished upload.
func (s *S3) Drop(ctx context.Context, uploadID string) error {
	key := s.forget(uploadID)
	if key == "" {
		return nil
	}
	_, err := s.call(ctx, http.MethodDelete, s.path(key), url.Values{"uploadId": {uploadID}}, nil, nil)
	return notFoundIsNil(err)
}

// Close closes idle connections; what is on the server stays.
func (s *S3) Close() error {
	s.config.HTTP.CloseIdleConnections()
	return nil
}

func (s *S3) send(ctx context.Context, method, path string, query url.Values, body []byte) (*http.Response, error) {
	address := s.base.Scheme + "://" + s.base.Host + escapePath(s.base.Path+path)
	if len(query) > 0 {
		address += "?" + canonicalQuery(query)
	}
	r, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	s.key.authorize(r, body, time.Now())
	return s.config.HTTP.Do(r)
}

// call makes a signed request and decodes the answer's XML into result, unless nil.
func (s *S3) call(ctx context.Context, method, path string, query url.Values, body []byte, result any) (http.Header, error) {
	response, err := s.send(ctx, method, path, query, body)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode/100 != 2 {
		return nil, refusedBy(response)
	}
	raw, err := io.ReadAll(response.Body)
	if err != nil || result == nil {
		return response.Header, err
	}
	// A complete may begin with 200 and still end as an error.
	var failed struct {
		XMLName       xml.Name
		Code, Message string
	}
	if err := xml.Unmarshal(raw, &failed); err != nil {
		return nil, err
	}
	if failed.XMLName.Local == "Error" {
		return nil, &StorageError{http.StatusInternalServerError, failed.Code, failed.Message}
	}
	return response.Header, xml.Unmarshal(raw, result)
}

func refusedBy(response *http.Response) error {
	var refused struct{ Code, Message string }
	raw, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err == nil {
		err = xml.Unmarshal(raw, &refused)
	}
	if err != nil {
		refused.Code, refused.Message = "Unknown", response.Status
	}
	return &StorageError{response.StatusCode, refused.Code, refused.Message}
}
