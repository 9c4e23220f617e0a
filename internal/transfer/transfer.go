// Package transfer is the upload engine: a file in, presigned PUTs out.
//
// It knows a file, the content it is expected to have, and where each part
// goes; nothing of Terraform, and nothing of the service that hands out the
// addresses and completes the upload. One Engine serves the whole process and
// shares out its slots, its bandwidth and its memory to all uploads in turn.
//
// Content is proved, not trusted. One pass goes through the file in order for
// its SHA-256; the bytes that are sent are read again, from the page cache,
// and compared with that pass by checksum; what storage holds is compared by
// ETag and by whatever checksum storage returns. The work is laid out for speed: SHA-256 keeps one core busy, the MD5
// of up to 16 parts is computed together on another, and the senders read
// straight into the transport's buffer.
//
// Limits: regular files only; a part must be sent in one request; progress is
// counted when bytes are handed to the operating system; files are not locked,
// a change is found, not prevented.
package transfer

import (
	"context"
	"net/http"
	"runtime"
	"time"
)

// Config is what an Engine works with. Only an Engine that sends nothing needs no Transport.
type Config struct {
	Transport    http.RoundTripper // to storage; must not add credentials
	Concurrency  int               // parts in flight over all uploads together; below 1 counts as 1
	Bandwidth    int64             // bytes per second over all uploads together; 0 means no limit
	StallTimeout time.Duration     // a request without progress for this long ends with a StallError; 0 means never
	MaxRetries   int               // repeats of one part, or of one single PUT, after the first attempt
}

// Engine sends files. One serves the whole process: it owns the slots of
// parts in flight, the bytes in memory and the bandwidth of all uploads
// together. It is safe for concurrent use.
type Engine struct {
	cfg      Config
	senders  *semaphore // parts in flight
	readers  *semaphore // files gone through in order
	ahead    *readAhead
	files    files
	md5      *md5Queue
	buffers  *buffers
	throttle *throttle
	digests  digests
}

// New returns an Engine. It starts nothing, so there is nothing to close.
func New(cfg Config) *Engine {
	pool := &buffers{}
	return &Engine{
		cfg:      cfg,
		senders:  newSemaphore(cfg.Concurrency),
		readers:  newSemaphore(readingSlots()),
		ahead:    &readAhead{slots: int64(max(cfg.Concurrency, 1))},
		files:    systemFiles(),
		md5:      &md5Queue{buffers: pool},
		buffers:  pool,
		throttle: newThrottle(cfg.Bandwidth),
	}
}

// readingSlots is how many files are gone through at once: SHA-256 keeps a core busy.
func readingSlots() int { return max(2, runtime.GOMAXPROCS(0)) }

// Digest says what a file held when it was read.
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
}

// File names a file and the content it is expected to have.
type File struct {
	Path     string         // in the file system
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

// Destination is one multipart upload. Both methods are called concurrently.
type Destination interface {
	// PartURL returns the address for one PUT of the part. It is asked for just
	// before each PUT, so again for every repeat.
	PartURL(ctx context.Context, number int) (string, error)
	// Stored reports a part that storage holds and that was verified. Each part
	// is reported once, also when the upload fails later. It must not block long.
	Stored(part Part)
}

// Result is a multipart upload whose every part is stored and verified.
type Result struct {
	Parts        []Part // all of them, in order
	SHA256       [32]byte
	Sent, Reused int64 // bytes

	crc uint64 // CRC-64/NVME of the whole
}
