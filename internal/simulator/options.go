package simulator

import (
	"fmt"
	"slices"
	"time"
)

// Defaults of Options. These credentials are valid for a simulator only.
const (
	DefaultAccessTokenID = "simulator-access-token-id"
	DefaultSecretKey     = "simulator-secret-key"
	DefaultIDToken       = "simulator-id-token"
	DefaultBucket        = "vodlive-input"
	DefaultUserID        = "user-7f3a"
	DefaultCustomerID    = "customer-4821"
)

// Names of the calls in Request.Call and Fault.Call.
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

// Options configure a Service. The zero value is a service with fixed test credentials, four
// regions and the most likely shapes of responses.
//
// The options for shapes exist because the service's documentation does not state these shapes
// (SERVICE.md, "Not documented"): a client has to read all of them.
type Options struct {
	// Clock is the time for statuses and for the expiry of presigned URLs. nil is time.Now.
	Clock func() time.Time

	// AccessTokenID and SecretKey are the HTTP basic credentials of the live API.
	AccessTokenID, SecretKey string
	// IDToken is the required authorization header of the upload and batch API, without a scheme
	// such as "Bearer".
	IDToken string
	// CustomerID is in the key paths; default DefaultCustomerID. See also Service.SetCustomerID.
	CustomerID string

	// Regions are the regions allocated to the account.
	Regions []string
	// RegionShape is "strings" (default) or "objects".
	RegionShape string
	// RegionKey is the key of the name if RegionShape is "objects"; default "region".
	RegionKey string

	// StatusPath has the statuses of a new session in order; default PENDING, PROVISIONING,
	// ALLOCATED, READY. The last one stays.
	StatusPath []string
	// ReadyAfter is the time on Clock from the creation to the end of StatusPath, in equal steps.
	// With 0, each GET and each listing of the session advances it by one status: create returns
	// PENDING, the first read PROVISIONING, the second ALLOCATED, the third READY.
	ReadyAfter time.Duration
	// GetAfter and ListAfter are the times on Clock after which a created session appears in GET
	// and in the listing.
	GetAfter, ListAfter time.Duration
	// Respelled shows another spelling of regions, time zones and stream URLs than the one created.
	Respelled bool
	// LateAllocation omits endpoints, addresses and ports until a session is ALLOCATED. Without it,
	// a created session lacks them only while it is SCHEDULED.
	LateAllocation bool

	// OutputModeShape is the shape of output_mode in create and get: "object" (default),
	// "empty-object" or "string". The listing always has a string.
	OutputModeShape string
	// Absent is the form of a field that does not apply in get and list: "absent" (default), "null"
	// or "empty".
	Absent string
	// PageSize is the maximum number of sessions on a page; default 100.
	PageSize int
	// ListOrder is "newest" (default) or "oldest" first.
	ListOrder string

	// Bucket is the bucket of the simulator's own storage.
	Bucket string
	// PresignLifetime is how long a presigned URL is valid, on Clock; default 15 minutes.
	PresignLifetime time.Duration
	// Encryption is the server-side encryption that storage reports: "AES256" (default) or
	// "aws:kms", with which ETags are not MD5 sums.
	Encryption string
	// MinPartSize is the minimum size of all parts but the last, in bytes; default 5 MiB, as S3.
	MinPartSize int64
	// PartChecksum is the algorithm of the checksum that storage returns for each part: "none"
	// (default), "crc64nvme", "crc32c", "crc32", "sha1" or "sha256".
	PartChecksum string
	// DiscardContent computes no SHA-256 and keeps no content, for benchmarks.
	DiscardContent bool
	// Storage, if set, replaces the simulator's own storage. PUTs then do not pass through the
	// Service, so the journal, faults and hooks do not see them.
	Storage Storage

	// Latency is the minimum duration of every call, in real time.
	Latency time.Duration
	// UnknownRoute is called for an unknown route. The response is 404 in any case.
	UnknownRoute func(method, path string)
}

// check panics on an unknown shape, with which a test would test something else.
func (o Options) check() {
	for _, option := range []struct {
		name, value string
		known       []string
	}{
		{"RegionShape", o.RegionShape, []string{"strings", "objects"}},
		{"OutputModeShape", o.OutputModeShape, []string{"object", "empty-object", "string"}},
		{"Absent", o.Absent, []string{"absent", "null", "empty"}},
		{"ListOrder", o.ListOrder, []string{"newest", "oldest"}},
		{"Encryption", o.Encryption, []string{"AES256", kms}},
		{"PartChecksum", o.PartChecksum, []string{"none", "crc64nvme", "crc32c", "crc32", "sha1", "sha256"}},
	} {
		if !slices.Contains(option.known, option.value) {
			panic(fmt.Sprintf("simulator: Options.%s is %q, not one of %q", option.name, option.value, option.known))
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
	text(&o.CustomerID, DefaultCustomerID)
	if o.Regions == nil {
		o.Regions = []string{"ap-south-1", "eu-central-1", "us-east-1", "us-west-2"}
	}
	text(&o.RegionShape, "strings")
	text(&o.RegionKey, "region")
	if len(o.StatusPath) == 0 {
		o.StatusPath = []string{"PENDING", "PROVISIONING", "ALLOCATED", "READY"}
	}
	text(&o.OutputModeShape, "object")
	text(&o.Absent, "absent")
	text(&o.ListOrder, "newest")
	if o.PageSize == 0 {
		o.PageSize = pageSize
	}
	text(&o.Bucket, DefaultBucket)
	text(&o.Encryption, "AES256")
	text(&o.PartChecksum, "none")
	if o.PresignLifetime == 0 {
		o.PresignLifetime = 15 * time.Minute
	}
	if o.MinPartSize == 0 {
		o.MinPartSize = minPartSize
	}
	return o
}
