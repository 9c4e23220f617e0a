package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// service is the upload half of the service (interface 4.1) in front of a
// store: it hands out addresses and completes. It is here, and not the
// simulator, because the simulator's storage checks what it gets.
type service struct {
	server  *http.Server
	url     string
	s3      *s3.Client
	presign *s3.PresignClient
	next    atomic.Int64
}

func startService(ctx context.Context, endpoint string) (*service, error) {
	l, err := listen(ctx)
	if err != nil {
		return nil, err
	}
	c := client(endpoint)
	s := &service{url: "http://" + l.Addr().String(), s3: c, presign: s3.NewPresignClient(c)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /vod/v1/customer/presign-url", handle(s.single))
	mux.HandleFunc("POST /vod/v1/customer/multipart/create", handle(s.create))
	mux.HandleFunc("POST /vod/v1/customer/multipart/generate-url", handle(s.part))
	mux.HandleFunc("POST /vod/v1/customer/multipart/complete", handle(s.complete))
	s.server = &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go s.server.Serve(l) //nolint:errcheck // ends with Close
	return s, nil
}

func (s *service) close() { _ = s.server.Close() }

// request holds the fields of all four calls.
type request struct {
	FileName    string `json:"file_name"`
	ContentType string `json:"content_type"`
	Filename    string `json:"filename"`
	KeyPath     string `json:"key_path"`
	UploadID    string `json:"upload_id"`
	PartNumber  int32  `json:"part_number"`
	Parts       []struct {
		ETag       string `json:"etag"`
		PartNumber int32  `json:"part_number"`
	} `json:"parts"`
}

func handle(call func(*http.Request, request) (map[string]any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var in request
		err := json.NewDecoder(r.Body).Decode(&in)
		var data map[string]any
		if err == nil {
			data, err = call(r, in)
		}
		w.Header().Set("Content-Type", "application/json")
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			_ = json.NewEncoder(w).Encode(map[string]any{"message": err.Error()})
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data, "message": "ok"})
	}
}

func (s *service) key(name string) string {
	return fmt.Sprintf("vod/input/bench/00000000-0000-4000-8000-%012d/%s", s.next.Add(1), name)
}

func (s *service) single(r *http.Request, in request) (map[string]any, error) {
	key := s.key(in.FileName)
	req, err := s.presign.PresignPutObject(r.Context(), &s3.PutObjectInput{
		Bucket: aws.String(bucket), Key: &key, ContentType: &in.ContentType,
	})
	if err != nil {
		return nil, err
	}
	return map[string]any{"fileKeyPath": key, "presigned_url": req.URL}, nil
}

func (s *service) create(r *http.Request, in request) (map[string]any, error) {
	key := s.key(in.Filename)
	out, err := s.s3.CreateMultipartUpload(r.Context(), &s3.CreateMultipartUploadInput{Bucket: aws.String(bucket), Key: &key})
	if err != nil {
		return nil, err
	}
	return map[string]any{"upload_id": *out.UploadId, "key_path": key}, nil
}

func (s *service) part(r *http.Request, in request) (map[string]any, error) {
	req, err := s.presign.PresignUploadPart(r.Context(), &s3.UploadPartInput{
		Bucket: aws.String(bucket), Key: &in.KeyPath, UploadId: &in.UploadID, PartNumber: &in.PartNumber,
	})
	if err != nil {
		return nil, err
	}
	return map[string]any{"url": req.URL}, nil
}

func (s *service) complete(r *http.Request, in request) (map[string]any, error) {
	done := &types.CompletedMultipartUpload{}
	for _, p := range in.Parts {
		done.Parts = append(done.Parts, types.CompletedPart{PartNumber: aws.Int32(p.PartNumber), ETag: aws.String(p.ETag)})
	}
	out, err := s.s3.CompleteMultipartUpload(r.Context(), &s3.CompleteMultipartUploadInput{
		Bucket: aws.String(bucket), Key: &in.KeyPath, UploadId: &in.UploadID, MultipartUpload: done,
	})
	if err != nil {
		return nil, err
	}
	return map[string]any{"Bucket": bucket, "Key": in.KeyPath, "ETag": aws.ToString(out.ETag), "Location": aws.ToString(out.Location)}, nil
}
