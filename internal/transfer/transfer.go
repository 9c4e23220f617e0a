// Package transfer is the upload engine: a file in, presigned PUTs out.
//
// It knows nothing of Terraform, nor of the service that returns the addresses and completes the
// upload. One Engine serves the whole process. It shares out slots, bandwidth, read-ahead and memory
// to all uploads in turn.
//
// A file is read once in order, for its SHA-256. Each part is read again from the page cache, to be
// sent and for its MD5. A CRC-64/NVME proves that all reads saw the same bytes. The ETag and whatever
// checksums storage returns must be those of these bytes.
//
// SHA-256 keeps one core busy. The MD5s of several parts are computed together on another core. The
// senders read straight into the transport's buffer.
//
// Limits: regular files only. A part is sent in one request. Progress counts bytes when they are
// handed to the operating system. Files are not locked: a change is detected, not prevented.
package transfer

import (
	"cmp"
	"context"
	"net/http"
	"runtime"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

// Config configures an Engine. Only an Engine that sends nothing needs no Transport.
type Config struct {
	Transport    http.RoundTripper // to storage; must not add credentials
	Concurrency  int               // PUTs in flight over all uploads together; 0: as many as raise the goodput, at most 32
	Bandwidth    int64             // bytes per second over all uploads together; 0 means no limit
	StallTimeout time.Duration     // a request without progress for this long ends with a StallError; 0 means never
	Redactor     *redact.Redactor  // masks the texts of storage; nil: one that knows the presigned URL alone
	MaxRetries   int               // repeats of one part, or of one single PUT, after the first attempt; hedged requests do not count
}

// Engine sends files. Its limits apply to all uploads together. It is safe for concurrent use.
type Engine struct {
	cfg      Config
	schedule *schedule
	readers  *semaphore // files read in order
	files    files
	md5      *md5Queue
	buffers  *buffers
	throttle *throttle
	digests  digests
}

// New returns an Engine. It starts nothing, so there is nothing to close.
func New(cfg Config) *Engine {
	pool := &buffers{}
	cfg.Redactor = cmp.Or(cfg.Redactor, redact.New())
	return &Engine{
		cfg:      cfg,
		schedule: newSchedule(max(cfg.Concurrency, 0)),
		readers:  newSemaphore(readingSlots()),
		files:    systemFiles(),
		md5:      &md5Queue{buffers: pool},
		buffers:  pool,
		throttle: newThrottle(cfg.Bandwidth),
	}
}

// AtOnce returns how many of an upload's PUTs would now be in flight at once, if there were no other upload.
func (e *Engine) AtOnce(puts int) int {
	_, slots, _ := e.schedule.sending.usage()
	return min(puts, slots)
}

// readingSlots is how many files are read in order at once. Each keeps a core busy with SHA-256.
func readingSlots() int { return max(2, runtime.GOMAXPROCS(0)) }

// Digest is what a file contained when it was read.
type Digest struct {
	Size    int64 // bytes
	SHA256  [32]byte
	ModTime time.Time
}

// Part is a stored part of a multipart upload.
type Part struct {
	Number int   // from 1
	Size   int64 // bytes
	MD5    [16]byte
	ETag   string // as the header had it, quotes included
	// Checksum is storage's own checksum of the part, which was found to be the content's, as
	// "crc64nvme:BASE64" (or "sha256:", "crc32c:", "crc32:"); "" if storage returned none.
	Checksum string
	// Trusted says that the part comes from a record that only this user can write. It is set by
	// the caller, for parts of an earlier attempt.
	Trusted bool
	// Sent says that this process sent the part, so its content has that MD5 whatever the ETag is.
	Sent bool
	// Repeated says that a PUT of the part failed before. Storage may store that one later, in place of
	// the one with this ETag.
	Repeated bool
}

// File names a file and the content it is expected to have.
type File struct {
	Path     string         // in the file system
	Content  []byte         // sent in place of the file at Path; nil: the file. Only UploadSingle reads it
	Name     string         // for progress and logs only
	Size     int64          // bytes, planned
	SHA256   [32]byte       // planned
	Progress func(Progress) // optional; called at most about ten times a second and once at the end, never concurrently
}

// Progress is the state of one upload.
type Progress struct {
	Name                string
	Sent, Reused, Total int64         // bytes: handed to storage, already stored before, whole file
	Rate                float64       // bytes per second over the last seconds
	Remaining           time.Duration // at that rate; 0 when unknown or done
}

// Destination is one multipart upload. Its methods are called concurrently.
type Destination interface {
	// PartURL returns the address for one PUT of the part. It is called shortly before each PUT, so
	// again for every retry, and for another PUT of a part that lags.
	PartURL(ctx context.Context, number int) (string, error)
	// Stored reports a part that is stored and verified. Each part is reported once, even if the
	// upload fails later. Stored must not block for long.
	Stored(part Part)
}

// Result is a multipart upload whose every part is stored and verified.
type Result struct {
	Parts        []Part // all of them, in order
	SHA256       [32]byte
	Sent, Reused int64 // bytes

	crc uint64 // CRC-64/NVME of the whole
}
