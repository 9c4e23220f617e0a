package api

// Region is a region in which a live session may be created.
type Region struct {
	// Name is the value that the region field of a session takes.
	Name string
	// JSON is the entry as the service sent it, compact. Its fields are not documented.
	JSON string
	// Unavailable says that the entry is listed but no session can be created in the region: the
	// entry has, for example, "available": false or "status": "DISABLED".
	Unavailable bool
}

// InputPreset is the codec, maximum resolution and maximum bit rate of a session's input.
type InputPreset struct {
	Codec      string `json:"codec,omitempty"`      // H264
	Resolution string `json:"resolution,omitempty"` // SD, HD, FULL_HD
	Bitrate    string `json:"bitrate,omitempty"`    // MAX_10_MBPS, MAX_20_MBPS
}

// SessionSpec has the arguments of a session. An empty string is not sent, a boolean always is.
type SessionSpec struct {
	Name       string `json:"name,omitempty"`
	Region     string `json:"region,omitempty"`
	Input      string `json:"input,omitempty"`       // RTMP_PUSH, RTMP_PULL, RTMPS_PUSH, RTMPS_PULL
	Mode       string `json:"mode,omitempty"`        // HA, NORM
	OutputMode string `json:"output_mode,omitempty"` // as Input

	InputPreset InputPreset `json:"input_preset,omitzero"`

	// rtmp or rtmps URLs
	InputSourceA       string `json:"input_source_a,omitempty"`
	InputSourceB       string `json:"input_source_b,omitempty"`
	OutputDestinationA string `json:"output_destination_a,omitempty"`
	OutputDestinationB string `json:"output_destination_b,omitempty"`

	EnableInputRecord bool `json:"enable_input_record"`
	IsScheduled       bool `json:"is_scheduled"`

	Timezone    string `json:"timezone,omitempty"`     // name of the tz database
	ScheduledAt string `json:"scheduled_at,omitempty"` // YYYY-MM-DD HH:MM in Timezone
}

// Session is a live session as the service returns it: create returns fewer fields than get, and get
// fewer than the listing. "" and nil mean that a field was not in the response or does not apply.
type Session struct {
	ID, UserID, Region, Name string
	Input, Mode              string
	// OutputMode is "" if the service sent an empty object. The listing has it as a string.
	OutputMode string
	// Status is one of SERVICE.md, or one that was added to the service since.
	Status string

	InputPreset InputPreset

	// The paths of these URLs contain stream keys: they are secrets.
	InputSourceA, InputSourceB             string
	OutputDestinationA, OutputDestinationB string

	EnableInputRecord, IsScheduled *bool

	Timezone    string
	ScheduledAt string // YYYY-MM-DD HH:MM in Timezone

	// The paths of these URLs contain stream keys: they are secrets.
	InputEndpointA, InputEndpointB   string
	OutputEndpointA, OutputEndpointB string

	TranscoderID           string
	SubDomainA, SubDomainB string
	ElasticIPA, ElasticIPB string
	Port, EgressPort       *int64
}

// Cursor says where the next page of a listing begins: the values of LastEvaluatedKey by name (id,
// user_id, created_at_user_id, and any others that came with them). They are sent back in the query
// under the same names.
type Cursor map[string]string

// SessionPage is one page of the listing, at most 100 sessions.
type SessionPage struct {
	Sessions []Session
	Next     Cursor // nil on the last page
	Size     int64  // bytes, about what it takes in memory
}

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
	// Storage's own checksums of the object in base64. A checksum of the parts' checksums ends in
	// "-" and the number of parts.
	ChecksumCRC64NVME, ChecksumCRC32C, ChecksumCRC32, ChecksumSHA256 string
}
