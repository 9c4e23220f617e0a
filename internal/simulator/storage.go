package simulator

import (
	"context"
	"fmt"
	"time"
)

// Storage stores uploads: the simulator's own storage, or a real S3 server (storagetest.NewS3).
// Error responses of the storage are *StorageError.
type Storage interface {
	// Bucket is the name of the bucket.
	Bucket() string
	// Presign returns a presigned URL for one PUT.
	Presign(Address) (string, error)
	// Create begins a multipart upload.
	Create(ctx context.Context, key string) (uploadID string, err error)
	// Complete completes an upload, as S3's CompleteMultipartUpload does. base is as in Address.
	Complete(ctx context.Context, base, key, uploadID string, parts []CompletedPart) (Completed, error)
	// Exists reports whether there is a complete object.
	Exists(ctx context.Context, key string) (bool, error)
	// Objects returns the complete objects of this Storage.
	Objects(ctx context.Context) ([]Object, error)
	// Drop removes an unfinished upload.
	Drop(ctx context.Context, uploadID string) error
}

// Address is the target of a presigned URL: an object, or a part if UploadID is set.
type Address struct {
	// Base is the address of the simulator's storage for the client. A real server has its own.
	Base     string
	Key      string
	UploadID string
	Part     int
	// ContentType is signed unless empty.
	ContentType string
	At          time.Time
	Lifetime    time.Duration
}

// CompletedPart is a part in a complete request.
type CompletedPart struct {
	Number int
	ETag   string
}

// Completed is the response of storage to Complete. Fields that it lacks are "".
type Completed struct {
	Location, ETag, ServerSideEncryption, VersionID string
}

// StorageError is an error with S3's HTTP status and error code.
type StorageError struct {
	Status        int
	Code, Message string
}

func (e *StorageError) Error() string { return fmt.Sprintf("%s: %s", e.Code, e.Message) }
