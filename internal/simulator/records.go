package simulator

import (
	"net/http"
	"net/url"
	"time"
)

// Request is one request in the journal.
type Request struct {
	// Call is one of the Call constants; "" for a route that does not exist.
	Call   string
	Method string
	Path   string
	Query  url.Values
	Header http.Header
	// Body is the body of a JSON call. Bodies sent to storage are only counted.
	Body []byte
	// BodyBytes is how many bytes of the body were read.
	BodyBytes int64
	// Status is the status answered; 0 while the request runs, and where the connection was broken.
	Status int
	// At is the time of arrival on Options.Clock.
	At time.Time
	// Fault names the fault that was applied, "" for none.
	Fault string
}

// SessionRecord is a live session as the service holds it (interface 2.5).
type SessionRecord struct {
	ID, UserID, Region, Name, Input, Mode, OutputMode, Status string
	Codec, Resolution, Bitrate                                string
	InputSourceA, InputSourceB                                string
	OutputDestinationA, OutputDestinationB                    string
	EnableInputRecord, IsScheduled                            bool
	Timezone, ScheduledAt                                     string
	InputEndpointA, InputEndpointB                            string
	OutputEndpointA, OutputEndpointB                          string
	TranscoderID, SubDomainA, SubDomainB                      string
	ElasticIPA, ElasticIPB                                    string
	Port, EgressPort                                          int64
	CreatedAt                                                 time.Time
}

// Object is a complete object in storage.
type Object struct {
	KeyPath, FileName string
	Size              int64
	// SHA256 is lower-case hex; "" where it is not known (see the package comment).
	SHA256 string
	// ETag is quoted: the MD5 for a single PUT, else MD5 of the parts' MD5s, "-" and their number.
	ETag        string
	ContentType string
	// Parts is the number of parts, 0 for a single PUT.
	Parts int
}

// Upload is a multipart upload that is not complete.
type Upload struct {
	UploadID, KeyPath string
	// Parts are the stored parts in order of their numbers.
	Parts []Part
}

// Part is a stored part of an upload.
type Part struct {
	Number int
	Size   int64
	// ETag is quoted. SHA256 is lower-case hex, "" with Options.DiscardContent and Options.Storage.
	ETag, SHA256 string
}

// Batch is a batch job that was submitted (interface 2.3).
type Batch struct {
	Paths, ServiceModes []string
}
