// Package transfer is the upload engine: a file in, presigned PUTs out.
//
// It knows nothing of Terraform, nor of the service that returns the addresses and completes the
// upload. One Engine serves the whole process. It shares out slots, bandwidth and processors to all
// uploads in turn.
//
// Package digest reads the files: once in order, for the SHA-256, and each part again from the page
// cache, to be sent. An upload that is given the sums of its plan reads only what it sends. The
// ETag and whatever checksums storage returns must be those of these bytes. Package pace decides
// when a PUT begins, and which one is sent once more.
//
// Limits: regular files only. A part is sent in one request. Progress counts bytes when they are
// handed to the operating system. Files are not locked: a change is detected, not prevented.
//
// Each file uses only those that follow it here: parts.go and single.go (the two ways to send a
// file), sending.go (PUTs of a part, or of a whole file, until one is stored), hedge.go (a second
// PUT beside one that lags), put.go (one PUT), answer.go (what storage says), errors.go (why a PUT
// failed, and whether another one may end better), meter.go (progress), bandwidth.go and
// partsize.go.
package transfer

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/digest"
	"github.com/vodlive/terraform-provider-vodlive/internal/pace"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

type ( // what package digest says of files, for users of this package
	// Digest is what a file contains.
	Digest = digest.Digest
	// Sums are those of the parts of a file.
	Sums = digest.Sums
	// PartSum is what is known of one part.
	PartSum = digest.PartSum
	// FileError says why a file cannot be uploaded.
	FileError = digest.FileError
	// FileProblem is the kind of a FileError.
	FileProblem = digest.FileProblem
	// ChangedError says that a file changed while it was read.
	ChangedError = digest.ChangedError
)

// The problems of a FileError.
const (
	FileMissing    = digest.FileMissing
	FileEmpty      = digest.FileEmpty
	FileUnreadable = digest.FileUnreadable
)

// Algorithms are the checksums of storage that can be compared.
var Algorithms = digest.Algorithms

// Stat opens the file at path, which must be a regular file with content, and describes it. The
// error is a *FileError.
func Stat(path string) (os.FileInfo, error) { return digest.Stat(path) }

// Config configures an Engine. Only an Engine that sends nothing needs no Transport.
type Config struct {
	Transport    http.RoundTripper // to storage; must not add credentials
	Concurrency  int               // PUTs in flight over all uploads together; 0: as many as increase goodput, at most 32
	Bandwidth    int64             // bytes per second over all uploads together; 0 means no limit
	StallTimeout time.Duration     // a request without progress for this long ends with a StallError; 0 means never
	Redactor     *redact.Redactor  // masks the texts of storage; nil: one that knows the presigned URL alone
	OnRead       func(path string) // called before each read of a file; nil: nothing is
	MaxRetries   int               // repeats of one part, or of one single PUT; refusals with 429 or 503 and outages do not count
}

// Engine sends files. Its limits apply to all uploads together. It is safe for concurrent use.
type Engine struct {
	retries int
	sender  sender
	proof   proof
	pace    *pace.Controller
	reader  *digest.Reader
}

// New returns an Engine. It starts nothing, so there is nothing to close.
func New(c Config) *Engine {
	if c.StallTimeout <= 0 {
		c.StallTimeout = math.MaxInt64
	}
	slots := c.Concurrency
	if slots <= 0 {
		slots = slotsFor(c.Bandwidth)
	}
	e := &Engine{retries: c.MaxRetries, pace: pace.New(slots), reader: digest.NewReader(digest.OnDisk(c.OnRead))}
	e.sender = sender{
		transport: c.Transport, throttle: newThrottle(c.Bandwidth), stall: c.StallTimeout, hosts: &sync.Map{}, redactor: cmp.Or(c.Redactor, redact.New()),
	}
	return e
}

// Hash reads the file at path and returns what it contains, as digest.Reader.Hash does.
func (e *Engine) Hash(ctx context.Context, path string, partSize int64) (Digest, error) {
	return e.reader.Hash(ctx, path, partSize)
}

// Part is a stored part of a multipart upload.
type Part struct {
	Number int   // from 1
	Size   int64 // bytes
	MD5    [16]byte
	ETag   string // as the header had it, quotes included
	// Checksum is storage's own checksum of the part, which was found to be the content's, as
	// "crc64nvme:BASE64" (or "sha256:", "crc32c:", "crc32:"); "" if storage returned none. For a part
	// of an earlier upload, it must be "" unless it comes from a record that only this user can write.
	Checksum string
	// Unproved says that storage proved nothing of what it has: it returned no ETag that is the MD5
	// and no checksum, and the PUT said no MD5.
	Unproved bool
}

// ETagIsMD5 reports whether the part's ETag is the MD5 of its content. It is not where storage
// encrypts with KMS.
func (p Part) ETagIsMD5() bool { return isMD5(p.ETag, p.MD5) }

// File names a file and the content it is expected to have.
type File struct {
	Path     string         // in the file system
	Content  []byte         // sent in place of the file at Path; nil: the file. Only UploadSingle reads it
	Name     string         // for progress and logs only
	Size     int64          // bytes, planned
	SHA256   [32]byte       // planned
	Sums     Sums           // of the content with that SHA-256, in the parts to send; else they are computed
	Progress func(Progress) // optional; called at most about ten times a second and once at the end, never concurrently
}

// plan is the content as it is expected, in parts of partSize bytes.
func (f File) plan(partSize int64) digest.Plan {
	return digest.Plan{Size: f.Size, SHA256: f.SHA256, PartSize: partSize, Sums: f.Sums}
}
