package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
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

// Upload is a request to store a file (SERVICE.md, calls 1 and 3). It is also what the ledger looks
// a stored file up by, so a further field that is empty must not be in its JSON.
type Upload struct {
	Name        string // of the stored file
	ContentType string // "" is not sent
}

// The bodies of the two calls have the fields of Upload, under the names of the call.
type (
	presignRequest struct {
		Name        string `json:"file_name"`
		ContentType string `json:"content_type,omitempty"`
	}
	createRequest struct {
		Name        string `json:"filename"`
		ContentType string `json:"-"`
	}
)

// Begins identifies what CreateMultipartUpload sends: an unfinished upload that was begun with
// anything else is not continued.
func (u Upload) Begins() string { return u.Name }

// The calls of an upload are POSTs, but they may be repeated: what a lost response leaves behind, a
// URL or an upload id that nobody uses, neither costs money nor is seen.

// PresignUpload asks where to PUT one file (SERVICE.md, call 1).
func (c *Client) PresignUpload(ctx context.Context, upload Upload) (*UploadTarget, error) {
	call := wire.Call{Endpoint: c.vod, Method: http.MethodPost, Path: "/vod/v1/customer/presign-url", Body: presignRequest(upload)}
	return ask(ctx, c, "getting an upload address for "+c.mask.Line(upload.Name), call, decodeUploadTarget)
}

// CreateMultipartUpload begins an upload in parts (SERVICE.md, call 3).
func (c *Client) CreateMultipartUpload(ctx context.Context, upload Upload) (*MultipartUpload, error) {
	call := wire.Call{Endpoint: c.vod, Method: http.MethodPost, Path: "/vod/v1/customer/multipart/create", Body: createRequest(upload)}
	return ask(ctx, c, "beginning the multipart upload of "+c.mask.Line(upload.Name), call, decodeMultipartUpload)
}

// PresignPart asks where to PUT a part, numbered from 1 (SERVICE.md, call 4). The URL is secret.
func (c *Client) PresignPart(ctx context.Context, keyPath, uploadID string, number int) (string, error) {
	call := wire.Call{
		Endpoint: c.vod, Method: http.MethodPost, Path: "/vod/v1/customer/multipart/generate-url",
		Body:    map[string]any{"key_path": keyPath, "upload_id": uploadID, "part_number": number},
		Refusal: refusal(true, answered(decodePartURL)),
	}
	return ask(ctx, c, fmt.Sprintf("getting the address of part %d", number), call, decodePartURL)
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
		Unlimited: true, Refusal: refusal(true, answered(decodeCompletedUpload)),
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
	call := wire.Call{
		Endpoint: c.vod, Method: http.MethodPost, Path: "/v1/local/batch", NonIdempotent: true,
		Body: batch,
		// The message is all that a response has, and 204 leaves it out. So only the status
		// and what else the response says of an error decide.
		NoContent: true, Refusal: refusal(false, func(v value) bool { return !refuses(v) }),
	}
	return ask(ctx, c, "submitting the batch job", call, func(v value) (string, error) { return c.mask.Line(decodeMessage(v)), nil })
}

// found finds the object that has a value under one of the keys, however it is wrapped. If there is
// none, the fields are empty and their error names the first key.
func found(v value, keys ...string) *fields {
	w := wanted{inLists: true, maybe: func(o object) bool { return o.hasAny(keys...) }}
	// A member with such a key may also be a wrapper of the value.
	w.sure = func(o object) bool {
		return slices.ContainsFunc(keys, func(key string) bool {
			text, ok := o.get(key).scalar()
			return ok && text != ""
		})
	}
	o, ok := w.find(v)
	if !ok {
		return &fields{err: misshapen("no %s was found in %s%s", keys[0], v.describe(), describeData(v))}
	}
	return &fields{object: o}
}

// decodeUploadTarget reads the response to call 1 of SERVICE.md.
func decodeUploadTarget(v value) (*UploadTarget, error) {
	f := found(v, "fileKeyPath", "presigned_url", "key_path")
	target := &UploadTarget{KeyPath: f.keyPath("fileKeyPath", "key_path"), URL: f.address("presigned_url", "url", "upload_url")}
	return target, f.err
}

// decodeMultipartUpload reads the response to call 3.
func decodeMultipartUpload(v value) (*MultipartUpload, error) {
	f := found(v, "upload_id", "key_path")
	upload := &MultipartUpload{UploadID: f.need("upload_id"), KeyPath: f.keyPath("key_path", "fileKeyPath")}
	return upload, f.err
}

// decodePartURL reads the response to call 4. The URL may also be the data itself.
func decodePartURL(v value) (string, error) {
	if data := v.object().get("data"); data.isString() {
		f := &fields{object: v.object()}
		address := f.address("data")
		return address, f.err
	}
	f := found(v, "url", "presigned_url", "upload_url")
	address := f.address("url", "presigned_url", "upload_url")
	return address, f.err
}

// decodeCompletedUpload reads the response to call 6.
func decodeCompletedUpload(v value) (*CompletedUpload, error) {
	f := found(v, "Key", "ETag", "Location", "Bucket")
	done := &CompletedUpload{
		Bucket: f.str("Bucket"), Key: f.str("Key"), Location: location(f.limited(AddressLimit, "Location")), ETag: f.etag("ETag"),
		ServerSideEncryption: f.str("ServerSideEncryption"), VersionID: f.str("VersionId"),
	}
	for _, m := range f.distinct() {
		if algorithm, ok := strings.CutPrefix(m.folded, fold("Checksum")); ok && m.isString() { // other fields may have such a name, too
			if value := f.str(m.key); value != "" {
				if done.Checksums == nil {
					done.Checksums = map[string]string{}
				}
				done.Checksums[algorithm] = value
			}
		}
	}
	return done, f.err
}

// location returns the address of an object without what may be secret: user info and a signature.
func location(address string) string {
	address, _, _ = strings.Cut(address, "?")
	scheme, rest, found := strings.Cut(address, "://")
	if found {
		scheme += "://"
	} else {
		scheme, rest = "", address
	}
	authority, _, _ := strings.Cut(rest, "/")
	return parse.Escape(scheme + rest[strings.LastIndexByte(authority, '@')+1:])
}

// decodeMessage reads the message in the response to call 7; "" if there is none. The batch job was
// submitted, whatever the message looks like.
func decodeMessage(v value) string {
	if v.isString() {
		return v.text()
	}
	f := found(v, "message", "msg", "detail")
	text, _ := f.get("message", "msg", "detail").scalar()
	return text
}
