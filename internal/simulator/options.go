package simulator

import (
	"fmt"
	"slices"
	"time"
)

// Values that New takes where Options names none. They open nothing but a simulator.
const (
	DefaultAccessTokenID = "simulator-access-token-id"
	DefaultSecretKey     = "simulator-secret-key"
	DefaultIDToken       = "simulator-id-token"
	DefaultBucket        = "vodlive-input"
	DefaultUserID        = "user-7f3a"
	DefaultCustomerID    = "customer-4821"
)

// Names of the calls, as they stand in Request.Call and Fault.Call.
const (
	CallRegions           = "regions"
	CallCreateSession     = "create-session"
	CallGetSession        = "get-session"
	CallListSessions      = "list-sessions"
	CallPresignURL        = "presign-url"
	CallPutObject         = "put-object"
	CallMultipartCreate   = "multipart-create"
	CallMultipartURL      = "multipart-generate-url"
	CallPutPart           = "put-part"
	CallMultipartComplete = "multipart-complete"
	CallBatch             = "batch"
)

// Options shape a Service. The zero value is a service with fixed test
// credentials, four regions and the shapes that the interface makes most likely.
//
// The knobs named after a shape exist because the interface leaves that shape
// open (interface 4.2 "Open points", 7): a client has to read every one of them.
type Options struct {
	// Clock tells the time for statuses and for the expiry of presigned addresses. nil is time.Now.
	Clock func() time.Time

	// AccessTokenID and SecretKey are the basic credentials of the live API (interface 5.1).
	AccessTokenID, SecretKey string
	// IDToken is what the authorization header of the upload and batch API must
	// hold, verbatim, without a scheme such as "Bearer" (interface 5.2).
	IDToken string

	// Regions are the regions allocated to the account.
	Regions []string
	// RegionShape is "strings" (default) or "objects".
	RegionShape string
	// RegionKey is the key of the name where RegionShape is "objects"; default "region".
	RegionKey string

	// StatusPath is what a new session goes through; default PENDING,
	// PROVISIONING, ALLOCATED, READY. The last one stays.
	StatusPath []string
	// ReadyAfter is the time on Clock from creation to the end of StatusPath; the
	// statuses between are spread evenly over it. 0 means that each GET and each
	// listing that shows the session takes it one status on: create answers
	// PENDING, the first look PROVISIONING, the second ALLOCATED, the third READY.
	ReadyAfter time.Duration
	// LateAllocation keeps endpoints, addresses and ports back until a session is ALLOCATED.
	LateAllocation bool

	// Envelope is the key that the answers of create, get and list are wrapped
	// in, beside "message"; default "data", and "bare" is no wrapper.
	Envelope string
	// OutputModeShape is how create and get return output_mode: "object"
	// (default, as interface 2.5 types it), "empty-object" or "string". The
	// listing always has a string.
	OutputModeShape string
	// OutputModeKey is the key of the value where OutputModeShape is "object"; default "output_mode".
	OutputModeKey string
	// Absent is how get and list show a field that does not apply: "absent" (default), "null" or "empty".
	Absent string
	// NumbersAsStrings sends port and egress_port as strings.
	NumbersAsStrings bool
	// ListEnd is LastEvaluatedKey on the last page: "absent" (default), "null" or "empty" (an empty object).
	ListEnd string
	// EmptyLastPage puts a cursor on a last page that is full, so that one empty page follows.
	EmptyLastPage bool
	// ListOrder is "newest" (default) or "oldest" first.
	ListOrder string

	// Bucket is the bucket of the simulator's own storage.
	Bucket string
	// PresignLifetime is how long a presigned address is good for, on Clock; default 15 minutes.
	PresignLifetime time.Duration
	// UnsignedContentType leaves Content-Type out of what the address of a
	// single upload signs. By default a PUT with another one is refused.
	UnsignedContentType bool
	// CheckUploadAtURL has multipart/generate-url answer 404 for an upload that is not there. By default only the PUT does.
	CheckUploadAtURL bool
	// ETagQuoting is the form of the ETag header of a PUT: "quoted" (default, as S3) or "bare".
	ETagQuoting string
	// Encryption is the server side encryption that storage names: "AES256"
	// (default, interface 2.2) or "aws:kms", with which ETags are no MD5.
	Encryption string
	// MinPartSize is the fewest bytes of every part but the last; default 5 MiB, as S3.
	MinPartSize int64
	// PartChecksum is the algorithm of the checksum that storage returns with each
	// part: "none" (default), "crc64nvme", "crc32c", "crc32" or "sha256".
	PartChecksum string
	// DiscardContent leaves out every SHA-256 and keeps no content, for benchmarks.
	DiscardContent bool
	// KeepContent is how many bytes of parts stay on disk until their upload
	// completes, over all uploads; default 256 MiB. See the package comment.
	KeepContent int64
	// Dir is where content of unfinished uploads is kept; default a new
	// temporary folder, made when first needed and removed by Close.
	Dir string
	// Storage, when set, takes the uploads in place of the simulator's own
	// storage. PUTs then go there without passing through the Service, so that
	// neither journal nor faults nor hooks see them.
	Storage Storage

	// Latency is the real time that every call takes at least.
	Latency time.Duration
	// OnRequest is called when a request has arrived, before it is processed.
	OnRequest func(Request)
	// UnknownRoute is called for a route that does not exist. The answer is 404 in any case.
	UnknownRoute func(method, path string)
}

// check panics where a shape is none of those that its knob has: a test with a
// misspelled shape would test something else.
func (o Options) check() {
	for _, knob := range []struct {
		name, value string
		known       []string
	}{
		{"RegionShape", o.RegionShape, []string{"strings", "objects"}},
		{"OutputModeShape", o.OutputModeShape, []string{"object", "empty-object", "string"}},
		{"Absent", o.Absent, []string{"absent", "null", "empty"}},
		{"ListEnd", o.ListEnd, []string{"absent", "null", "empty"}},
		{"ListOrder", o.ListOrder, []string{"newest", "oldest"}},
		{"ETagQuoting", o.ETagQuoting, []string{"quoted", "bare"}},
		{"Encryption", o.Encryption, []string{"AES256", kms}},
		{"PartChecksum", o.PartChecksum, []string{"none", "crc64nvme", "crc32c", "crc32", "sha256"}},
	} {
		if !slices.Contains(knob.known, knob.value) {
			panic(fmt.Sprintf("simulator: Options.%s is %q, not one of %q", knob.name, knob.value, knob.known))
		}
	}
}

func (o Options) withDefaults() Options {
	text := func(p *string, value string) {
		if *p == "" {
			*p = value
		}
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	text(&o.AccessTokenID, DefaultAccessTokenID)
	text(&o.SecretKey, DefaultSecretKey)
	text(&o.IDToken, DefaultIDToken)
	if o.Regions == nil {
		o.Regions = []string{"ap-south-1", "eu-central-1", "us-east-1", "us-west-2"}
	}
	text(&o.RegionShape, "strings")
	text(&o.RegionKey, "region")
	if len(o.StatusPath) == 0 {
		o.StatusPath = []string{"PENDING", "PROVISIONING", "ALLOCATED", "READY"}
	}
	text(&o.Envelope, "data")
	text(&o.OutputModeShape, "object")
	text(&o.OutputModeKey, "output_mode")
	text(&o.Absent, "absent")
	text(&o.ListEnd, "absent")
	text(&o.ListOrder, "newest")
	text(&o.Bucket, DefaultBucket)
	text(&o.ETagQuoting, "quoted")
	text(&o.Encryption, "AES256")
	text(&o.PartChecksum, "none")
	if o.PresignLifetime == 0 {
		o.PresignLifetime = 15 * time.Minute
	}
	if o.MinPartSize == 0 {
		o.MinPartSize = minPartSize
	}
	if o.KeepContent == 0 {
		o.KeepContent = 256 << 20
	}
	return o
}
