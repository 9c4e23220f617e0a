package transfer

import (
	"context"
	"fmt"
	"sync"

	"github.com/vodlive/terraform-provider-vodlive/internal/digest"
	"github.com/vodlive/terraform-provider-vodlive/internal/pace"
)

// Destination is one multipart upload. Its methods are called concurrently.
type Destination interface {
	// PartURL returns the address for one PUT of the part. It is called shortly before each PUT, so
	// again for every retry, and for a second PUT of a part that lags.
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

	content *digest.Content
}

// Matches compares a checksum of the whole object, as the response to CompleteMultipartUpload has
// it, with the content, as digest.Content.Matches does.
func (r Result) Matches(algorithm, value string) (isKnown, isEqual bool) {
	return r.content.Matches(algorithm, value)
}

// UploadParts sends f in parts of partSize bytes to dst and returns all of them, in order. The
// caller completes the upload.
//
// Without f.Sums, the file is read once in order, for the SHA-256 of the whole. Each part is then
// read again from the page cache to be sent. With f.Sums, only the parts that are sent are read.
// What was sent is what was hashed, whatever happens to the file meanwhile, and memory depends
// neither on the file's nor on the parts' size.
//
// stored has parts of an earlier upload. Such a part is not sent again, and not reported to
// dst.Stored again, if its ETag is the MD5 of the file's part, or its checksum is that of the file's
// part.
//
// The first error stops the upload: no PUT begins any more, and those in flight have four seconds.
// What they store is reported. The error is a *FileError, *ChangedError, *StatusError,
// *ConnectionError, *ChecksumError, *TimeLimitError, that of dst.PartURL with the part's number, or
// the context's. Without error, the size, the number of parts, every ETag and the SHA-256 of the
// whole agree with f.
func (e *Engine) UploadParts(ctx context.Context, f File, partSize int64, stored []Part, dst Destination) (Result, error) {
	count := PartCount(f.Size, partSize)
	if count < 1 || count > MaxParts {
		return Result{}, fmt.Errorf("%s: %d bytes in parts of %d bytes are not 1 to %d parts", f.Path, f.Size, partSize, MaxParts)
	}
	content, err := e.reader.Open(f.Path, f.plan(partSize))
	if err != nil {
		return Result{}, err
	}
	common, inner, end := e.begin(ctx, f, content)
	defer end()
	u := &partsUpload{fileUpload: common, dst: dst, partSize: partSize, known: make(map[int]Part), reads: make(chan *reading, count), parts: make([]Part, count)}
	for _, p := range stored {
		u.known[p.Number] = p
	}
	u.tasks.Go(func() { u.start(inner) })
	if err := u.read(inner); err != nil {
		u.fail(err)
	}
	u.tasks.Wait()
	if err := context.Cause(inner); err != nil {
		return Result{}, u.why(inner, err)
	}
	reused := u.meter.reused.Load()
	return Result{Parts: u.parts, SHA256: f.SHA256, Sent: f.Size - reused, Reused: reused, content: content}, nil
}

type partsUpload struct {
	*fileUpload

	dst      Destination
	partSize int64
	known    map[int]Part // parts of an earlier upload, by number
	tasks    sync.WaitGroup
	reads    chan *reading

	mu    sync.Mutex
	parts []Part // by number less one
}

// reading is a part whose turn has come, and whose content may not be read yet.
type reading struct {
	number  int
	turn    *pace.Turn
	done    chan struct{} // closed when section is set, or reading has failed
	section *digest.Section
}

// start begins each part when its turn comes. Addresses are asked for while the file is read:
// connections that begin together share a line better.
func (u *partsUpload) start(ctx context.Context) {
	for number := 1; number <= len(u.parts); number++ {
		turn, err := u.pace.Next(ctx)
		if err != nil {
			u.fail(err)
			break
		}
		r := &reading{number: number, turn: turn, done: make(chan struct{})}
		u.reads <- r
		u.tasks.Go(func() {
			if err := u.send(ctx, r); err != nil {
				u.fail(err)
			}
		})
	}
	close(u.reads)
}

// read reads the file in order, as far as parts have begun.
func (u *partsUpload) read(ctx context.Context) (failed error) {
	for r := range u.reads {
		section, err := u.content.Next(ctx)
		if err != nil {
			u.fail(err)
		}
		r.section = section
		close(r.done)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return u.content.Check()
}

// await waits until the part is read.
func (r *reading) await(ctx context.Context) (*digest.Section, error) {
	<-r.done
	return r.section, context.Cause(ctx)
}

// send sends a part, unless one of an earlier upload can be reused.
func (u *partsUpload) send(ctx context.Context, r *reading) error {
	part, isReused, err := u.reuse(ctx, r)
	switch {
	case err != nil:
		r.turn.End()
		return err
	case isReused:
		u.keep(part)
		u.meter.reuse(part.Size)
		r.turn.Skip(part.Size)
		return nil
	}
	s := u.sending(fmt.Sprintf("send part %d of %s", r.number, u.file.Name), r.number)
	s.section = r.await
	s.address = func(ctx context.Context) (string, error) {
		url, err := u.dst.PartURL(ctx, r.number)
		if err != nil {
			return "", fmt.Errorf("address for part %d: %w", r.number, err)
		}
		return url, nil
	}
	if part, err = s.run(ctx, r.turn); err != nil {
		return err
	}
	u.keep(part)
	u.dst.Stored(part)
	return nil
}

// sizeOf is how many bytes a part has.
func (u *partsUpload) sizeOf(number int) int64 {
	return min(u.partSize, u.file.Size-int64(number-1)*u.partSize)
}

func (u *partsUpload) keep(p Part) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.parts[p.Number-1] = p
}

// reuse returns a part of an earlier upload if its content is the file's. Only the ETag proves
// that: S3 completes an upload only with the parts' own ETags. Where ETags are not MD5s, the
// checksum must do: see Part.Checksum.
func (u *partsUpload) reuse(ctx context.Context, r *reading) (part Part, isReused bool, err error) {
	part, isKnown := u.known[r.number]
	if !isKnown || part.Size != u.sizeOf(r.number) || part.ETag == "" {
		return Part{}, false, nil
	}
	section, err := r.await(ctx)
	if err != nil {
		return Part{}, false, err
	}
	if part.MD5, err = section.MD5(ctx); err != nil {
		return Part{}, false, err
	}
	isProved := part.ETagIsMD5()
	if isProved && !digest.NeedsNoRead(part.Checksum) {
		part.Checksum = ""
	}
	hasChecksum, err := section.Has(ctx, part.Checksum)
	if !hasChecksum {
		part.Checksum = ""
	}
	return part, isProved || hasChecksum, err
}
