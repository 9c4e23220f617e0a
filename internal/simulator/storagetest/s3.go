package storagetest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/smithy-go/encoding/httpbinding"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// S3Config names a bucket on an S3 server. The bucket is part of the path of its URLs.
type S3Config struct {
	Endpoint *url.URL
	Bucket   string
	Key      Key
}

// Key is the access key of an account on an S3 server.
type Key struct{ AccessKey, SecretKey, Region string }

// S3 is a simulator.Storage on a real S3 server. It knows only the objects created through it, not
// others in the bucket.
type S3 struct {
	config S3Config
	server *minio.Core

	mu      sync.Mutex
	keys    []string
	digests map[string]digest
	uploads []minio.ObjectMultipartInfo
}

// digest describes the content of an object, which is read once for each ETag.
type digest struct{ etag, sha256 string }

// NewS3 returns the storage and creates its bucket, unless it exists.
func NewS3(ctx context.Context, c S3Config) (*S3, error) {
	server, err := minio.NewCore(c.Endpoint.Host, &minio.Options{
		Creds:  credentials.NewStaticV4(c.Key.AccessKey, c.Key.SecretKey, ""),
		Secure: c.Endpoint.Scheme == "https", Region: c.Key.Region, BucketLookup: minio.BucketLookupPath,
	})
	if err != nil {
		return nil, err
	}
	s := &S3{config: c, server: server, digests: map[string]digest{}}
	err = server.MakeBucket(ctx, c.Bucket, minio.MakeBucketOptions{Region: c.Key.Region})
	if code := minio.ToErrorResponse(err).Code; code == minio.BucketAlreadyOwnedByYou || code == minio.BucketAlreadyExists {
		err = nil
	}
	return s, err
}

// Bucket is the name of the bucket.
func (s *S3) Bucket() string { return s.config.Bucket }

// Presign returns a presigned URL of the S3 server. The lifetime begins at a.At, which only the
// signer of the AWS SDK lets callers choose.
func (s *S3) Presign(a simulator.Address) (string, error) {
	query := url.Values{"X-Amz-Expires": {strconv.Itoa(int(a.Lifetime / time.Second))}}
	if a.UploadID == "" {
		s.remember(a.Key)
	} else {
		query.Set("partNumber", strconv.Itoa(a.Part))
		query.Set("uploadId", a.UploadID)
	}
	path := "/" + s.config.Bucket + "/" + a.Key
	u := &url.URL{
		Scheme: s.config.Endpoint.Scheme, Host: s.config.Endpoint.Host, Path: path, RawPath: httpbinding.EscapePath(path, false), RawQuery: query.Encode(),
	}
	r := &http.Request{Method: http.MethodPut, URL: u, Host: u.Host, Header: http.Header{}}
	if a.ContentType != "" {
		r.Header.Set("Content-Type", a.ContentType)
	}
	key := aws.Credentials{AccessKeyID: s.config.Key.AccessKey, SecretAccessKey: s.config.Key.SecretKey}
	address, _, err := v4.NewSigner().PresignHTTP(context.Background(), key, r, "UNSIGNED-PAYLOAD", "s3", s.config.Key.Region, a.At,
		func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true })
	return address, err
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
	// S3's default for objects without a type.
	id, err := s.server.NewMultipartUpload(ctx, s.config.Bucket, key, minio.PutObjectOptions{ContentType: "binary/octet-stream"})
	if err != nil {
		return "", refusal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uploads = append(s.uploads, minio.ObjectMultipartInfo{UploadID: id, Key: key})
	return id, nil
}

// Complete completes a multipart upload.
func (s *S3) Complete(ctx context.Context, _, key, uploadID string, parts []simulator.CompletedPart) (simulator.Completed, error) {
	named := make([]minio.CompletePart, len(parts))
	for i, p := range parts {
		named[i] = minio.CompletePart{PartNumber: p.Number, ETag: p.ETag}
	}
	done, err := s.server.CompleteMultipartUpload(ctx, s.config.Bucket, key, uploadID, named, minio.PutObjectOptions{})
	if err != nil {
		return simulator.Completed{}, refusal(err)
	}
	s.forget(uploadID)
	s.remember(key)
	return simulator.Completed{Location: done.Location, ETag: quoted(done.ETag), VersionID: done.VersionID}, nil
}

func (s *S3) forget(uploadID string) (key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uploads = slices.DeleteFunc(s.uploads, func(u minio.ObjectMultipartInfo) bool {
		if u.UploadID == uploadID {
			key = u.Key
		}
		return u.UploadID == uploadID
	})
	return key
}

// Exists reports whether there is a complete object.
func (s *S3) Exists(ctx context.Context, key string) (bool, error) {
	_, err := s.server.StatObject(ctx, s.config.Bucket, key, minio.StatObjectOptions{})
	return err == nil, unlessMissing(err)
}

// Objects returns the complete objects. It reads the content of objects that it has not read yet.
func (s *S3) Objects(ctx context.Context) ([]simulator.Object, error) {
	s.mu.Lock()
	keys := slices.Clone(s.keys)
	s.mu.Unlock()
	var found []minio.ObjectInfo
	for _, key := range keys {
		info, err := s.server.StatObject(ctx, s.config.Bucket, key, minio.StatObjectOptions{})
		if err == nil {
			found = append(found, info)
		} else if err := unlessMissing(err); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(found, func(a, b minio.ObjectInfo) int { return cmp.Compare(a.LastModified.Unix(), b.LastModified.Unix()) })
	var objects []simulator.Object
	for _, info := range found {
		sum, err := s.digest(ctx, info)
		if err != nil {
			return nil, err
		}
		_, count, _ := strings.Cut(info.ETag, "-")
		parts, _ := strconv.Atoi(count) // 0: not a multipart object
		objects = append(objects, simulator.Object{
			KeyPath: info.Key, FileName: path.Base(info.Key), Size: info.Size, SHA256: sum, ETag: quoted(info.ETag), ContentType: info.ContentType, Parts: parts,
		})
	}
	return objects, nil
}

func (s *S3) digest(ctx context.Context, info minio.ObjectInfo) (string, error) {
	s.mu.Lock()
	known := s.digests[info.Key]
	s.mu.Unlock()
	if known.etag == info.ETag {
		return known.sha256, nil
	}
	content, _, _, err := s.server.GetObject(ctx, s.config.Bucket, info.Key, minio.GetObjectOptions{})
	if err != nil {
		return "", refusal(err)
	}
	defer content.Close()
	h := sha256.New()
	if _, err := io.Copy(h, content); err != nil {
		return "", err
	}
	known = digest{info.ETag, hex.EncodeToString(h.Sum(nil))}
	s.mu.Lock()
	s.digests[info.Key] = known
	s.mu.Unlock()
	return known.sha256, nil
}

// Uploads returns the unfinished uploads with their parts.
func (s *S3) Uploads(ctx context.Context) ([]simulator.Upload, error) {
	s.mu.Lock()
	uploads := slices.Clone(s.uploads)
	s.mu.Unlock()
	var all []simulator.Upload
	for _, u := range uploads {
		upload := simulator.Upload{UploadID: u.UploadID, KeyPath: u.Key}
		for marker, more := 0, true; more; {
			page, err := s.server.ListObjectParts(ctx, s.config.Bucket, u.Key, u.UploadID, marker, 1000)
			if err != nil {
				return nil, refusal(err)
			}
			for _, p := range page.ObjectParts {
				upload.Parts = append(upload.Parts, simulator.Part{Number: p.PartNumber, Size: p.Size, ETag: quoted(p.ETag)})
			}
			marker, more = page.NextPartNumberMarker, page.IsTruncated
		}
		all = append(all, upload)
	}
	return all, nil
}

// Drop aborts an unfinished upload.
func (s *S3) Drop(ctx context.Context, uploadID string) error {
	key := s.forget(uploadID)
	if key == "" {
		return nil
	}
	return unlessMissing(s.server.AbortMultipartUpload(ctx, s.config.Bucket, key, uploadID))
}

// quoted adds the quotes of an ETag, which the client removes from some.
func quoted(etag string) string { return strconv.Quote(strings.Trim(etag, `"`)) }

func unlessMissing(err error) error {
	if err == nil || minio.ToErrorResponse(err).StatusCode == http.StatusNotFound {
		return nil
	}
	return refusal(err)
}

// refusal converts an error response of the server to a *simulator.StorageError. Other errors stay
// as they are.
func refusal(err error) error {
	answer := minio.ToErrorResponse(err)
	if answer.StatusCode == 0 {
		return err
	}
	return &simulator.StorageError{Status: answer.StatusCode, Code: answer.Code, Message: answer.Message}
}
