package api

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/wire"
)

// UploadTarget is where to send one file in one PUT.
type UploadTarget struct {
	KeyPath string // vod/input/<customer>/<uuid>/<file name>
	URL     string // presigned: its query string is a secret
}

// MultipartUpload names an upload in parts.
type MultipartUpload struct {
	UploadID string
	KeyPath  string // as UploadTarget.KeyPath
}

// CompletedPart is a stored part.
type CompletedPart struct {
	Number int    `json:"part_number"`    // from 1
	ETag   string `json:"etag,omitempty"` // exactly as the header of the part's PUT had it, quotes included
}

// CompletedUpload is the object made from the parts. "" stands for what the service left out.
type CompletedUpload struct {
	Bucket               string
	Key                  string
	Location             string
	ETag                 string
	ServerSideEncryption string
	VersionID            string
	// Checksums are storage's own of the object in base64, by the name of the algorithm in lower
	// case, such as "crc32c" for ChecksumCRC32C. A checksum of the parts' checksums ends in "-" and
	// the number of parts.
	Checksums map[string]string
}

// Upload is a request to store a file (SERVICE.md, calls 1 and 3).
type Upload struct {
	Name        string // of the stored file
	ContentType string // "" is not sent
}

// presignRequest is an Upload as call 1 sends it.
type presignRequest struct {
	Name        string `json:"file_name"`
	ContentType string `json:"content_type,omitempty"`
}

// The calls of an upload are POSTs, but they may be repeated: what a lost response leaves behind, a
// URL or an upload id that nobody uses, neither costs money nor is seen.

// PresignUpload asks where to PUT one file (SERVICE.md, call 1).
func (c *Client) PresignUpload(ctx context.Context, upload Upload) (*UploadTarget, error) {
	call := wire.Call{Endpoint: c.vod, Method: http.MethodPost, Path: "/vod/v1/customer/presign-url", Body: presignRequest(upload)}
	target, err := ask(ctx, c, "getting an upload address for "+c.mask.Line(upload.Name), call, decodeUploadTarget)
	if err == nil {
		c.mask.AddURLs(target.URL)
	}
	return target, err
}

// CreateMultipartUpload begins an upload in parts (SERVICE.md, call 3).
func (c *Client) CreateMultipartUpload(ctx context.Context, upload Upload) (*MultipartUpload, error) {
	call := wire.Call{Endpoint: c.vod, Method: http.MethodPost, Path: "/vod/v1/customer/multipart/create", Body: map[string]any{"filename": upload.Name}}
	return ask(ctx, c, "beginning the multipart upload of "+c.mask.Line(upload.Name), call, decodeMultipartUpload)
}

// PresignPart asks where to PUT a part, numbered from 1 (SERVICE.md, call 4). The URL is secret.
func (c *Client) PresignPart(ctx context.Context, keyPath, uploadID string, number int) (string, error) {
	call := wire.Call{
		Endpoint: c.vod, Method: http.MethodPost, Path: "/vod/v1/customer/multipart/generate-url",
		Body:   map[string]any{"key_path": keyPath, "upload_id": uploadID, "part_number": number},
		Undone: undone(decodePartURL),
	}
	address, err := ask(ctx, c, fmt.Sprintf("getting the address of part %d", number), call, decodePartURL)
	c.mask.AddURLs(address)
	return address, err
}

// CompleteMultipartUpload makes the object from its parts, given in order (SERVICE.md, call 6).
//
// It is repeated after a lost response: it names the upload and its parts, so a repeat makes no
// second object. If the repeat is refused, MayHaveBeenProcessed tells that an earlier attempt may
// have made the object. It may take as long as ctx lasts, because storage takes minutes to assemble
// many parts, and a call that is cut off and repeated is told that there is no such upload.
func (c *Client) CompleteMultipartUpload(ctx context.Context, keyPath, uploadID string, parts []CompletedPart) (*CompletedUpload, error) {
	call := wire.Call{
		Endpoint: c.vod, Method: http.MethodPost, Path: "/vod/v1/customer/multipart/complete",
		Body:      map[string]any{"key_path": keyPath, "upload_id": uploadID, "parts": parts},
		Unlimited: true, Undone: undone(decodeCompletedUpload),
	}
	return ask(ctx, c, "completing the multipart upload", call, decodeCompletedUpload)
}

// Batch is a request to process stored files (SERVICE.md, call 7).
type Batch struct {
	Paths        []string `json:"paths"` // key paths
	ServiceModes []string `json:"service_modes"`
}

// SubmitBatch submits stored files for processing (SERVICE.md, call 7). It returns
// the service's message, "" if there is none. A second job would cost money, so the call is
// repeated only if it was surely not processed: see MayHaveBeenProcessed.
func (c *Client) SubmitBatch(ctx context.Context, batch Batch) (message string, err error) {
	call := wire.Call{Endpoint: c.vod, Method: http.MethodPost, Path: "/v1/local/batch", Body: batch, NonIdempotent: true, NoContent: true}
	return ask(ctx, c, "submitting the batch job", call, func(body any) (string, error) {
		if refuses(body) {
			return "", misshapen("the service refused the job")
		}
		// The message is all that a response has, and it may leave that out.
		o, _ := body.(object)
		text, _ := o["message"].(string)
		return c.mask.Line(text), nil
	})
}

// undone reports whether a body has an S3 error code with which a multipart upload cannot go on, and
// not what was asked for.
func undone[T any](decode func(body any) (T, error)) func([]byte) bool {
	return func(body []byte) bool {
		_, err := decode(parseBody(body))
		return err != nil && storageCode(body) != ""
	}
}

// decodeUploadTarget reads the response to call 1 of SERVICE.md.
func decodeUploadTarget(body any) (*UploadTarget, error) {
	o := find(body, "fileKeyPath", "presigned_url")
	keyPath, err := keyPathOf(o, "fileKeyPath")
	if err != nil {
		return nil, err
	}
	address, err := presignedOf(o, "presigned_url")
	return &UploadTarget{KeyPath: keyPath, URL: address}, err
}

// decodeMultipartUpload reads the response to call 3.
func decodeMultipartUpload(body any) (*MultipartUpload, error) {
	o := find(body, "upload_id", "key_path")
	id, err := need(o, "upload_id", TextLimit)
	if err != nil {
		return nil, err
	}
	keyPath, err := keyPathOf(o, "key_path")
	return &MultipartUpload{UploadID: id, KeyPath: keyPath}, err
}

// decodePartURL reads the response to call 4.
func decodePartURL(body any) (string, error) {
	return presignedOf(find(body, "url"), "url")
}

// decodeCompletedUpload reads the response to call 6.
func decodeCompletedUpload(body any) (*CompletedUpload, error) {
	o := find(body, "Key", "ETag", "Location")
	done := &CompletedUpload{Checksums: map[string]string{}}
	for key, field := range map[string]*string{
		"Bucket": &done.Bucket, "Key": &done.Key, "Location": &done.Location, "ETag": &done.ETag,
		"ServerSideEncryption": &done.ServerSideEncryption, "VersionId": &done.VersionID,
	} {
		text, err := textOf(o, key, AddressLimit)
		if err != nil {
			return nil, err
		}
		*field = text
	}
	if done.Key == "" && done.ETag == "" && done.Location == "" {
		return nil, misshapen("Key is missing in %s", describe(o))
	}
	done.Location = location(done.Location)
	for key, value := range o {
		algorithm, ok := strings.CutPrefix(key, "Checksum")
		if text, isText := value.(string); ok && isText && text != "" {
			done.Checksums[strings.ToLower(algorithm)] = text
		}
	}
	return done, nil
}

// location returns the address of an object without what may be secret: user info and a signature.
func location(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery = nil, ""
	return u.String()
}
