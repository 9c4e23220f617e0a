package api

import (
	"context"
	"fmt"
	"net/http"

	"github.com/vodlive/terraform-provider-vodlive/internal/wire"
)

// The calls of an upload are POSTs, but they may be repeated: what a lost response leaves behind, a
// URL or an upload id that nobody uses, neither costs money nor is seen.

// PresignUpload asks where to PUT one file (SERVICE.md, call 1). contentType is a media type; "" is
// not sent.
func (c *Client) PresignUpload(ctx context.Context, fileName, contentType string) (*UploadTarget, error) {
	return ask(ctx, c, call{
		Call: wire.Call{
			Endpoint: c.vod, Method: http.MethodPost, Path: "/vod/v1/customer/presign-url",
			Body: struct {
				ContentType string `json:"content_type,omitempty"`
				FileName    string `json:"file_name,omitempty"`
			}{contentType, fileName},
		},
		attempted: "get an upload address for " + c.mask.Line(fileName),
	}, decodeUploadTarget)
}

// CreateMultipartUpload begins an upload in parts (SERVICE.md, call 3).
func (c *Client) CreateMultipartUpload(ctx context.Context, fileName string) (*MultipartUpload, error) {
	return ask(ctx, c, call{
		Call: wire.Call{
			Endpoint: c.vod, Method: http.MethodPost, Path: "/vod/v1/customer/multipart/create",
			Body: map[string]string{"filename": fileName},
		},
		attempted: "begin the multipart upload of " + c.mask.Line(fileName),
	}, decodeMultipartUpload)
}

// PresignPart asks where to PUT one part, numbered from 1 (SERVICE.md, call 4). The URL is a
// secret.
func (c *Client) PresignPart(ctx context.Context, keyPath, uploadID string, number int) (string, error) {
	return ask(ctx, c, call{
		Call: wire.Call{
			Endpoint: c.vod, Method: http.MethodPost, Path: "/vod/v1/customer/multipart/generate-url",
			Body:        map[string]any{"key_path": keyPath, "upload_id": uploadID, "part_number": number},
			NothingDone: isStorageRefusal,
		},
		attempted: fmt.Sprintf("get the address of part %d", number),
	}, decodePartURL)
}

// CompleteMultipartUpload makes the object from its parts, given in order (SERVICE.md, call 6).
//
// It is repeated after a lost response: it names the upload and its parts, so a repeat makes no
// second object. If the repeat is refused, MayHaveBeenProcessed tells that an earlier attempt may
// have made the object. It may take as long as ctx lasts, because storage takes minutes to assemble
// many parts, and a call that is cut off and repeated is told that there is no such upload.
func (c *Client) CompleteMultipartUpload(ctx context.Context, keyPath, uploadID string, parts []CompletedPart) (*CompletedUpload, error) {
	return ask(ctx, c, call{
		Call: wire.Call{
			Endpoint: c.vod, Method: http.MethodPost, Path: "/vod/v1/customer/multipart/complete",
			Body:      map[string]any{"key_path": keyPath, "upload_id": uploadID, "parts": list(parts)},
			Unlimited: true, NothingDone: isStorageRefusal,
		},
		attempted: "complete the multipart upload",
	}, decodeCompletedUpload)
}

// SubmitBatch submits stored files, by key path, for processing (SERVICE.md, call 7). It returns
// the service's message, "" if there is none. A second job would cost money, so the call is
// repeated only if it was surely not processed: see MayHaveBeenProcessed.
func (c *Client) SubmitBatch(ctx context.Context, paths, serviceModes []string) (message string, err error) {
	return ask(ctx, c, call{
		Call: wire.Call{
			Endpoint: c.vod, Method: http.MethodPost, Path: "/v1/local/batch", Once: true,
			Body: map[string][]string{"paths": list(paths), "service_modes": list(serviceModes)},
			// The message is all that a response has, and 204 leaves it out.
			NoContent: true,
		},
		attempted: "submit the batch job",
	}, func(v value) (string, error) { return c.mask.Line(decodeMessage(v)), nil })
}

// list is a list that is sent as [] when it is empty, not as null.
func list[T any](items []T) []T { return append([]T{}, items...) }
