package simulator

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"path"
	"strings"
)

// vod handles a call of the upload and batch API.
func (s *Service) vod(rt route, r *http.Request) answer {
	s.mu.Lock()
	token := s.idToken
	s.mu.Unlock()
	if values := r.Header.Values("Authorization"); len(values) != 1 || !same(values[0], token) {
		return refusal(http.StatusUnauthorized, "the identity token is missing, wrong or expired")
	}
	switch {
	case r.URL.RawQuery != "":
		return refusal(http.StatusBadRequest, "unknown query parameters")
	case !isJSON(r):
		return refusal(http.StatusUnsupportedMediaType, "Content-Type must be application/json")
	}
	f := readFields(r.Body)
	var call func() answer
	switch rt.call {
	case CallPresignURL:
		call = s.presignURL(r, &f)
	case CallMultipartCreate:
		call = s.multipartCreate(r, &f)
	case CallMultipartURL:
		call = s.multipartURL(r, &f)
	case CallMultipartComplete:
		call = s.multipartComplete(r, &f)
	case CallBatch:
		call = s.batch(r, &f)
	}
	f.done()
	if message := f.refused(); message != "" {
		return refusal(http.StatusBadRequest, "%s", message)
	}
	return call()
}

func (f *fields) fileName(name string) string {
	value := f.text(name)
	if strings.ContainsAny(value, "/\\\x00") || value == "." || value == ".." {
		f.fault("%s must be a file name without a path", name)
	}
	return value
}

// newKey returns a new key path.
func (s *Service) newKey(fileName string) string {
	return path.Join("vod/input", s.customer(), newUUID(), fileName)
}

func (s *Service) ownKey(key string) bool {
	return strings.HasPrefix(key, "vod/input/"+s.customer()+"/")
}

func (s *Service) customer() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.o.CustomerID
}

func (s *Service) presignURL(r *http.Request, f *fields) func() answer {
	fileName, contentType := f.fileName("file_name"), f.text("content_type")
	if _, _, err := mime.ParseMediaType(contentType); contentType != "" && (err != nil || !strings.Contains(contentType, "/")) {
		f.fault("content_type must be a media type")
	}
	return func() answer {
		key := s.newKey(fileName)
		address, err := s.storage.Presign(Address{
			Base: s.storageBase(r), Key: key, ContentType: contentType, At: s.o.Clock(), Lifetime: s.o.PresignLifetime,
		})
		if err != nil {
			return storageFailed(err)
		}
		return success(http.StatusOK, "presigned url generated", map[string]any{"fileKeyPath": key, "presigned_url": address})
	}
}

func (s *Service) multipartCreate(r *http.Request, f *fields) func() answer {
	fileName := f.fileName("filename")
	return func() answer {
		key := s.newKey(fileName)
		id, err := s.storage.Create(r.Context(), key)
		if err != nil {
			return storageFailed(err)
		}
		return success(http.StatusOK, "multipart upload created", map[string]any{"upload_id": id, "key_path": key})
	}
}

// multipartURL does not check that the upload exists: presigning needs no request to storage. The
// PUT then gets NoSuchUpload.
func (s *Service) multipartURL(r *http.Request, f *fields) func() answer {
	key, id, number := f.text("key_path"), f.text("upload_id"), f.integer("part_number")
	return func() answer {
		if number < 1 || number > maxPart {
			return refusal(http.StatusBadRequest, "part_number must be from 1 to %d", maxPart)
		}
		if !s.ownKey(key) {
			return refusal(http.StatusForbidden, "key_path is not one of this customer")
		}
		address, err := s.storage.Presign(Address{
			Base: s.storageBase(r), Key: key, UploadID: id, Part: number, At: s.o.Clock(), Lifetime: s.o.PresignLifetime,
		})
		if err != nil {
			return storageFailed(err)
		}
		return success(http.StatusOK, "url generated", map[string]any{"url": address})
	}
}

func (s *Service) multipartComplete(r *http.Request, f *fields) func() answer {
	key, id := f.text("key_path"), f.text("upload_id")
	var parts []CompletedPart
	for _, entry := range f.objects("parts") {
		parts = append(parts, CompletedPart{Number: entry.integer("part_number"), ETag: entry.text("etag")})
		entry.done()
	}
	return func() answer {
		done, err := s.storage.Complete(r.Context(), s.storageBase(r), key, id, parts)
		if err != nil {
			return storageFailed(err)
		}
		return success(http.StatusOK, "multipart upload completed", map[string]any{
			"Bucket": s.storage.Bucket(), "BucketKeyEnabled": nil, "ChecksumCRC32": nil, "ChecksumCRC32C": nil,
			"ChecksumSHA1": nil, "ChecksumSHA256": nil, "ETag": done.ETag, "Expiration": nil, "Key": key,
			"Location": done.Location, "RequestCharged": nil, "SSEKMSKeyId": nil,
			"ServerSideEncryption": orNull(done.ServerSideEncryption), "VersionId": orNull(done.VersionID),
		})
	}
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func (s *Service) batch(r *http.Request, f *fields) func() answer {
	job := Batch{Paths: f.texts("paths"), ServiceModes: f.texts("service_modes")}
	return func() answer {
		for _, key := range job.Paths {
			there, err := s.storage.Exists(r.Context(), key)
			if err != nil {
				return storageFailed(err)
			}
			if !there {
				return refusal(http.StatusBadRequest, "there is no file at %q", key)
			}
		}
		s.mu.Lock()
		s.batches = append(s.batches, job)
		s.mu.Unlock()
		return success(http.StatusOK, fmt.Sprintf("batch job submitted for %d file(s)", len(job.Paths)), nil)
	}
}

// storageFailed returns the error of storage with its code.
func storageFailed(err error) answer {
	var refused *StorageError
	if !errors.As(err, &refused) {
		return refusal(http.StatusBadGateway, "storage failed: %v", err)
	}
	return jsonAnswer(refused.Status, map[string]any{"message": refused.Error(), "code": refused.Code})
}
