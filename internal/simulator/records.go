package simulator

import (
	"net/http"
	"net/url"
	"time"
)

// Request is an entry of the journal.
type Request struct {
	// Call is one of the Call constants; "" for an unknown route.
	Call   string
	Method string
	Path   string
	Query  url.Values
	Header http.Header
	// Body is the body of a JSON request. Bodies sent to storage are only counted.
	Body []byte
	// BodyBytes is the number of bytes read from the body.
	BodyBytes int64
	// Status is the status of the response; 0 while the request runs or if its connection was
	// broken.
	Status int
	// At is the time of arrival on Options.Clock.
	At time.Time
	// Failed tells that a fault was applied.
	Failed bool
}

// Object is a complete object in storage.
type Object struct {
	KeyPath, FileName string
	Size              int64
	// SHA256 is lower-case hex, "" with Options.DiscardContent.
	SHA256 string
	// ETag is quoted: the MD5 of a single PUT, else the MD5 of the MD5s of all parts, "-" and the
	// number of parts.
	ETag        string
	ContentType string
	// Parts is the number of parts, 0 for a single PUT.
	Parts int
}

// Upload is an incomplete multipart upload.
type Upload struct {
	UploadID, KeyPath string
	// Parts are the stored parts in order of their numbers.
	Parts []Part
}

// Part is a stored part of an upload.
type Part struct {
	Number int
	Size   int64
	// ETag is quoted. SHA256 is lower-case hex, "" with Options.DiscardContent.
	ETag, SHA256 string
}

// Batch is a submitted batch job.
type Batch struct {
	Paths, ServiceModes []string
}
