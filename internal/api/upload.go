package api

import (
	"context"
	"fmt"
	"net/http"
)

const (
	presignPath           = "/vod/v1/customer/presign-url"
	multipartCreatePath   = "/vod/v1/customer/multipart/create"
	multipartPartPath     = "/vod/v1/customer/multipart/generate-url"
	multipartCompletePath = "/vod/v1/customer/multipart/complete"
	batchPath             = "/v1/local/batch"
)

// PresignUpload asks where to PUT one file (interface 4.1, call 1). contentType
// is a media type; "" is not sent.
func (c *Client) PresignUpload(ctx context.Context, fileName, contentType string) (*UploadTarget, error) {
	var target *UploadTarget
	err := c.do(ctx, &call{
		op: opPresignUpload, attempted: "get an upload address for " + c.mask.Line(fileName), half: &c.vod,
		method: http.MethodPost, path: presignPath,
		body: struct {
			ContentType string `json:"content_type,omitempty"`
			FileName    string `json:"file_name,omitempty"`
		}{contentType, fileName},
		read: func(v value) (err error) { target, err = decodeUploadTarget(v); return err },
	})
	if err != nil {
		return nil, err
	}
	return target, nil
}

// CreateMultipartUpload begins an upload in parts (interface 4.1, call 3).
func (c *Client) CreateMultipartUpload(ctx context.Context, fileName string) (*MultipartUpload, error) {
	var upload *MultipartUpload
	err := c.do(ctx, &call{
		op: opMultipartCreate, attempted: "begin the multipart upload of " + c.mask.Line(fileName), half: &c.vod,
		method: http.MethodPost, path: multipartCreatePath,
		body: struct {
			FileName string `json:"filename,omitempty"`
		}{fileName},
		read: func(v value) (err error) { upload, err = decodeMultipartUpload(v); return err },
	})
	if err != nil {
		return nil, err
	}
	return upload, nil
}

// PresignPart asks where to PUT one part, numbered from 1 (interface 4.1, call
// 4). The address is a secret.
func (c *Client) PresignPart(ctx context.Context, keyPath, uploadID string, number int) (string, error) {
	var address string
	err := c.do(ctx, &call{
		op: opMultipartPart, attempted: fmt.Sprintf("get the address of part %d", number), half: &c.vod,
		method: http.MethodPost, path: multipartPartPath,
		body: struct {
			KeyPath    string `json:"key_path,omitempty"`
			UploadID   string `json:"upload_id,omitempty"`
			PartNumber int    `json:"part_number"`
		}{keyPath, uploadID, number},
		read: func(v value) (err error) { address, err = decodePartURL(v); return err },
	})
	if err != nil {
		return "", err
	}
	return address, nil
}

// CompleteMultipartUpload makes the object of its parts, given in order
// (interface 4.1, call 6). It may take as long as ctx lasts. It is repeated when
// its answer was lost: an error for which MayHaveBeenProcessed holds may mean
// that an earlier attempt made the object.
func (c *Client) CompleteMultipartUpload(ctx context.Context, keyPath, uploadID string, parts []CompletedPart) (*CompletedUpload, error) {
	type part struct {
		ETag       string `json:"etag,omitempty"`
		PartNumber int    `json:"part_number"`
	}
	sent := make([]part, len(parts))
	for i, p := range parts {
		sent[i] = part{p.ETag, p.Number}
	}
	var done *CompletedUpload
	err := c.do(ctx, &call{
		op: opMultipartComplete, attempted: "complete the multipart upload", half: &c.vod,
		method: http.MethodPost, path: multipartCompletePath,
		body: struct {
			KeyPath  string `json:"key_path,omitempty"`
			UploadID string `json:"upload_id,omitempty"`
			Parts    []part `json:"parts"`
		}{keyPath, uploadID, sent},
		read: func(v value) (err error) { done, err = decodeCompletedUpload(v); return err },
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// SubmitBatch submits stored files, by key path, for processing (interface 4.1,
// call 7), and returns the service's message, "" when it sent none. It is sent
// again only when it was surely not processed: see MayHaveBeenProcessed.
func (c *Client) SubmitBatch(ctx context.Context, paths, serviceModes []string) (message string, err error) {
	err = c.do(ctx, &call{
		op: opBatch, attempted: "submit the batch job", half: &c.vod,
		method: http.MethodPost, path: batchPath,
		body: struct {
			Paths        []string `json:"paths"`
			ServiceModes []string `json:"service_modes"`
		}{append([]string{}, paths...), append([]string{}, serviceModes...)},
		// All that there is to an answer is a message, which 204 leaves out.
		noContent: true,
		read: func(v value) error {
			message = c.mask.Line(decodeMessage(v))
			return nil
		},
	})
	return message, err
}
