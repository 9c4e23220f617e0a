package storagetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
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
	keys    []string          // of objects for which there was a presigned URL or a complete request
	uploads map[string]string // keys of unfinished uploads, by id
}

// NewS3 returns the storage and creates its bucket, unless it exists.
func NewS3(ctx context.Context, c S3Config) (*S3, error) {
	server, err := minio.NewCore(c.Endpoint.Host, &minio.Options{
		Creds:  credentials.NewStaticV4(c.Key.AccessKey, c.Key.SecretKey, ""),
		Secure: c.Endpoint.Scheme == "https", Region: c.Key.Region, BucketLookup: minio.BucketLookupPath,
	})
	if err != nil {
		return nil, err
	}
	s := &S3{config: c, server: server, uploads: map[string]string{}}
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
	s.uploads[id] = key
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
	s.remember(key)
	return simulator.Completed{Location: done.Location, ETag: quoted(done.ETag), VersionID: done.VersionID}, nil
}

// Exists reports whether there is a complete object.
func (s *S3) Exists(ctx context.Context, key string) (bool, error) {
	_, err := s.server.StatObject(ctx, s.config.Bucket, key, minio.StatObjectOptions{})
	return err == nil, unlessMissing(err)
}

// Objects returns the complete objects, in order of their keys' first use. It reads their content.
func (s *S3) Objects(ctx context.Context) ([]simulator.Object, error) {
	s.mu.Lock()
	keys := slices.Clone(s.keys)
	s.mu.Unlock()
	var objects []simulator.Object
	for _, key := range keys {
		content, info, _, err := s.server.GetObject(ctx, s.config.Bucket, key, minio.GetObjectOptions{})
		if err != nil && unlessMissing(err) == nil {
			continue
		}
		if err != nil {
			return nil, refusal(err)
		}
		sum := sha256.New()
		_, err = io.Copy(sum, content)
		if err := errors.Join(err, content.Close()); err != nil {
			return nil, err
		}
		_, count, _ := strings.Cut(info.ETag, "-")
		parts, _ := strconv.Atoi(count) // 0: not a multipart object
		objects = append(objects, simulator.Object{
			KeyPath: key, FileName: path.Base(key), Size: info.Size, SHA256: hex.EncodeToString(sum.Sum(nil)), ETag: quoted(info.ETag), ContentType: info.ContentType, Parts: parts,
		})
	}
	return objects, nil
}

// Drop aborts an unfinished upload.
func (s *S3) Drop(ctx context.Context, uploadID string) error {
	s.mu.Lock()
	key := s.uploads[uploadID]
	s.mu.Unlock()
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
