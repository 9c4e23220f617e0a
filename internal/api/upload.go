package api

import (
	"context"
	"fmt"
	"net/http"

	"github.com/vodlive/terraform-provider-vodlive/internal/wire"
)

// The calls of an upload are POSTs, but they may be repeated: what a lost response leaves behind, a
// URL or an upload id that nobody uses, neither costs money nor is seen.

// PresignUpload asks where to PUT one file (SERVICE.md, call 1). A contentType of "" is not sent.
func (c *Client) PresignUpload(ctx context.Context, fileName, contentType string) (*UploadTarget, error) {
	body := map[string]string{"file_name": fileName}
	if contentType != "" {
		body["content_type"] = contentType
	}
	call := wire.Call{Endpoint: c.vod, Method: http.MethodPost, Path: "/vod/v1/customer/presign-url", Body: body}
	return ask(ctx, c, "get an upload address for "+c.mask.Line(fileName), call, decodeUploadTarget)
}

// CreateMultipartUpload begins an upload in parts (SERVICE.md, call 3). following is how many part
// addresses are asked for at once after it.
func (c *Client) CreateMultipartUpload(ctx context.Context, fileName string, following int) (*MultipartUpload, error) {
	call := wire.Call{
		Endpoint: c.vod, Method: http.MethodPost, Path: "/vod/v1/customer/multipart/create",
		Body: map[string]string{"filename": fileName}, Following: following,
	}
	return ask(ctx, c, "begin the multipart upload of "+c.mask.Line(fileName), call, decodeMultipartUpload)
}

// PresignPart asks where to PUT a part, numbered from 1 (SERVICE.md, call 4). The URL is secret.
func (c *Client) PresignPart(ctx context.Context, keyPath, uploadID string, number int) (string, error) {
	call := wire.Call{
		Endpoint: c.vod, Method: http.MethodPost, Path: "/vod/v1/customer/multipart/generate-url",
		Body:        map[string]any{"key_path": keyPath, "upload_id": uploadID, "part_number": number},
		NothingDone: isStorageRefusal,
	}
	return ask(ctx, c, fmt.Sprintf("get the address of part %d", number), call, decodePartURL)
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
		Unlimited: true, NothingDone: isStorageRefusal,
	}
	return ask(ctx, c, "complete the multipart upload", call, decodeCompletedUpload)
}

// SubmitBatch submits stored files, by key path, for processing (SERVICE.md, call 7). It returns
// the service's message, "" if there is none. A second job would cost money, so the call is
// repeated only if it was surely not processed: see MayHaveBeenProcessed.
func (c *Client) SubmitBatch(ctx context.Context, paths, serviceModes []string) (message string, err error) {
	call := wire.Call{
		Endpoint: c.vod, Method: http.MethodPost, Path: "/v1/local/batch", NonIdempotent: true,
		Body: map[string][]string{"paths": paths, "service_modes": serviceModes},
		// The message is all that a response has, and 204 leaves it out. So only the status decides.
		NoContent: true, StatusInBody: statusUnless(func(value) bool { return false }),
	}
	return ask(ctx, c, "submit the batch job", call, func(v value) (string, error) { return c.mask.Line(decodeMessage(v)), nil })
}
