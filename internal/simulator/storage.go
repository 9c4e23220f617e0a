package simulator

import (
	"context"
	"fmt"
	"time"
)

// Storage is where uploads go: the simulator's own storage, or a real S3 server (storagetest.NewS3).
// Errors that the storage itself answers with are *StorageError.
type Storage interface {
	// Bucket is the name of the bucket.
	Bucket() string
	// Presign returns a presigned address for one PUT.
	Presign(Address) (string, error)
	// Create begins a multipart upload.
	Create(ctx context.Context, key string) (uploadID string, err error)
	// Complete makes the object of the parts given, as S3's CompleteMultipartUpload does. base is as in Address.
	Complete(ctx context.Context, base, key, uploadID string, parts []CompletedPart) (Completed, error)
	// Exists tells whether there is a complete object.
	Exists(ctx context.Context, key string) (bool, error)
	// Objects are the complete objects, and Uploads the unfinished uploads, made through this Storage.
	Objects(ctx context.Context) ([]Object, error)
	Uploads(ctx context.Context) ([]Upload, error)
	// Drop forgets an unfinished upload.
	Drop(ctx context.Context, uploadID string) error
	// Close removes what the storage keeps for unfinished uploads on this machine.
	Close() error
}

// Address is what a presigned address is for: an object, or a part when UploadID is set.
type Address struct {
	// Base is the address of the simulator's storage as the client knows it; a real server has its own.
	Base     string
	Key      string
	UploadID string
	Part     int
	// ContentType is signed unless empty.
	ContentType string
	At          time.Time
	Lifetime    time.Duration
}

// CompletedPart is one part as complete names it.
type CompletedPart struct {
	Number int
	ETag   string
}

// Completed is what storage says of an object just completed. Fields are "" where it says nothing.
type Completed struct {
	Location, ETag, ServerSideEncryption, VersionID string
}

// StorageError is a refusal with S3's HTTP status and error code.
type StorageError struct {
	Status        int
	Code, Message string
}

func (e *StorageError) Error() string { return fmt.Sprintf("%s: %s", e.Code, e.Message) }
