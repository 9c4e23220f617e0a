package api

// Region is one place in which a live session may be made (interface 2.4).
type Region struct {
	// Name is the value that the region field of a session takes.
	Name string
	// JSON is the entry as the service sent it, compact. The interface does
	// not show its fields.
	JSON string
	// Unavailable tells that the entry is listed but says that sessions cannot
	// be created in the region: "available": false, "status": "DISABLED".
	Unavailable bool
}

// InputPreset is what a session's input may carry (interface 2.5).
type InputPreset struct {
	Codec      string // H264
	Resolution string // SD, HD, FULL_HD
	Bitrate    string // MAX_10_MBPS, MAX_20_MBPS
}

// SessionSpec is the body of a create (interface 4.2, call 9). An empty string
// is a field that does not apply and is not sent; the two booleans always are.
type SessionSpec struct {
	Name, Region string
	Input        string // RTMP_PUSH, RTMP_PULL, RTMPS_PUSH, RTMPS_PULL
	Mode         string // HA, NORM
	OutputMode   string // as Input

	InputPreset InputPreset

	InputSourceA, InputSourceB             string // rtmp or rtmps URL
	OutputDestinationA, OutputDestinationB string // rtmp or rtmps URL

	EnableInputRecord, IsScheduled bool

	Timezone    string // name of the tz database
	ScheduledAt string // YYYY-MM-DD HH:MM in Timezone
}

// Session is a live session as the service reports it (interface 2.5). "" and
// nil mean that the field was not in the answer or does not apply: create
// answers with fewer fields than get, get with fewer than the listing.
type Session struct {
	ID, UserID, Region, Name string
	Input, Mode              string
	// OutputMode is "" when the service sent an object that holds nothing; the
	// listing has it as a string.
	OutputMode string
	// Status is one of the interface's section 3, or one added since.
	Status string

	InputPreset InputPreset

	// The paths of these URLs carry stream keys: they are secrets.
	InputSourceA, InputSourceB             string
	OutputDestinationA, OutputDestinationB string

	EnableInputRecord, IsScheduled *bool

	Timezone    string
	ScheduledAt string // YYYY-MM-DD HH:MM in Timezone

	// The paths of these URLs carry stream keys: they are secrets.
	InputEndpointA, InputEndpointB   string
	OutputEndpointA, OutputEndpointB string

	TranscoderID           string
	SubDomainA, SubDomainB string
	ElasticIPA, ElasticIPB string
	Port, EgressPort       *int64
}

// Cursor is what a page of the listing says about where the next one begins:
// the values of LastEvaluatedKey by name (id, user_id, created_at_user_id;
// interface 4.2), and any others that came with them. They go back as
// query-string values under the same names.
type Cursor map[string]string

// SessionPage is one page of the listing, at most 100 sessions (interface 8).
type SessionPage struct {
	Sessions []Session
	Next     Cursor // nil on the last page
}

// UploadTarget is the place for one file sent in one PUT (interface 2.1).
type UploadTarget struct {
	KeyPath string // vod/input/<customer>/<uuid>/<file name>
	URL     string // presigned: its query string is a secret
}

// MultipartUpload names an upload in parts (interface 2.2).
type MultipartUpload struct {
	UploadID string
	KeyPath  string // as UploadTarget.KeyPath
}

// CompletedPart is a stored part (interface 2.2).
type CompletedPart struct {
	Number int    // from 1
	ETag   string // exactly as the header of the part's PUT had it, quotes included
}

// CompletedUpload is what complete answers (interface 2.2); "" for what the
// service left out or sent as null.
type CompletedUpload struct {
	Bucket               string
	Key                  string
	Location             string
	ETag                 string
	ServerSideEncryption string
	VersionID            string
	// Storage's own checksums of the object in base64. One that is made of the
	// checksums of the parts ends in "-" and their number.
	ChecksumCRC64NVME, ChecksumCRC32C, ChecksumCRC32, ChecksumSHA256 string
}
