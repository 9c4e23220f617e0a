package transfer

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/vodlive/terraform-provider-vodlive/internal/digest"
	"github.com/vodlive/terraform-provider-vodlive/internal/pace"
)

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

// Matches compares a checksum of the whole object, as the answer to CompleteMultipartUpload has it,
// with the content, as digest.Object.Matches does.
func (r Result) Matches(algorithm, value string) (known, ok bool) {
	o := digest.Object{SHA256: r.SHA256, CRC: r.crc}
	for _, p := range r.Parts {
		o.Parts = append(o.Parts, digest.PartChecksum{Size: p.Size, Checksum: p.Checksum})
	}
	return o.Matches(algorithm, value)
}

// UploadParts sends f in parts of partSize bytes to dst and returns all of
// them, in order. The caller completes the upload.
//
// Without f.Sums, the file is read once in order, for the SHA-256 of the whole. Each part is then
// read again from the page cache, to be sent and for its MD5. With f.Sums, only the parts that are
// sent are read. What was sent is what was hashed, whatever happens to the file meanwhile, and
// memory depends neither on the file's nor on the parts' size.
//
// stored has parts of an earlier attempt. Such a part is not sent again, and not reported to
// dst.Stored again, if its ETag is the MD5 of the file's part, if it is trusted and its checksum is
// that of the file's part, or if this process sent it with the MD5 of the file's part.
//
// The first error stops the upload. It is returned when nothing of the upload runs any more. Parts
// that storage has accepted by then have been reported if they could be verified within four
// seconds. The error is a *FileError, *ChangedError, *StatusError, *StallError, *ETagError,
// *ChecksumError, *ConnectionError, *TimeLimitError, that of dst.PartURL with the part's number, or
// the context's. Without error, the size, the number of parts, every ETag and the SHA-256 of the
// whole agree with f.
func (e *Engine) UploadParts(ctx context.Context, f File, partSize int64, stored []Part, dst Destination) (Result, error) {
	count := PartCount(f.Size, partSize)
	if partSize < 1 || count > MaxParts {
		return Result{}, fmt.Errorf("%s: %d bytes in parts of %d bytes are not 1 to %d parts", f.Path, f.Size, partSize, MaxParts)
	}
	content, err := e.reader.Open(f.Path, f.plan(partSize))
	if err != nil {
		return Result{}, err
	}
	u := &partsUpload{dst: dst, size: partSize, known: make(map[int][]Part), parts: make([]Part, count)}
	inner, end := u.begin(ctx, e, f, partSize, content)
	defer end()
	for _, p := range stored {
		u.known[p.Number] = append(u.known[p.Number], p)
	}
	if err := u.start(inner); err != nil {
		u.fail(err)
	}
	u.tasks.Wait()
	if err := context.Cause(inner); err != nil {
		return Result{}, u.ended(inner, err)
	}
	if err := content.Planned(); err != nil {
		return Result{}, err
	}
	return u.result()
}

type partsUpload struct {
	fileUpload
	dst   Destination
	size  int64          // bytes of a part
	known map[int][]Part // parts of an earlier attempt by number
	tasks sync.WaitGroup
	crc   uint64 // of the whole

	mu    sync.Mutex
	parts []Part // by number less one; Number 0: not stored
}

// reading is a part whose turn has come, and whose content may not be read yet.
type reading struct {
	number  int
	turn    *pace.Turn
	done    chan struct{} // closed when section is set, or the upload has failed
	section *digest.Section
}

// start begins each part when it is about to be sent, and reads the file in order. Addresses are
// asked for while it reads: connections that begin together share a line better.
func (u *partsUpload) start(ctx context.Context) error {
	reads := make(chan *reading, len(u.parts))
	u.tasks.Go(func() {
		defer close(reads)
		for number := 1; number <= len(u.parts); number++ {
			turn, err := u.pace.Next(ctx)
			if err != nil {
				u.fail(err)
				return
			}
			r := &reading{number: number, turn: turn, done: make(chan struct{})}
			reads <- r
			u.tasks.Go(func() { u.send(ctx, r) })
		}
	})
	for r := range reads {
		section, err := u.content.Next(ctx)
		if err != nil {
			u.fail(err)
		}
		r.section = section
		close(r.done)
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	crc, err := u.content.Finish()
	u.crc = crc
	return err
}

// await waits until the part is read.
func (r *reading) await(ctx context.Context) (*digest.Section, error) {
	<-r.done
	return r.section, context.Cause(ctx)
}

// send sends a part, unless one of an earlier attempt can be reused.
func (u *partsUpload) send(ctx context.Context, r *reading) {
	if err := u.sendOrReuse(ctx, r); err != nil {
		u.fail(err)
		if <-r.done; r.section != nil {
			r.section.Drop()
		}
	}
}

func (u *partsUpload) sendOrReuse(ctx context.Context, r *reading) error {
	switch reused, err := u.reuse(ctx, r); {
	case err != nil:
		r.turn.End()
		return err
	case reused:
		r.turn.Skip(r.section.Size)
		return nil
	}
	s := u.sending(put{op: fmt.Sprintf("send part %d of %s", r.number, u.file.Name), part: r.number}, u.sizeOf(r.number))
	s.content = r.await
	s.address = func(ctx context.Context) (string, error) {
		url, err := u.dst.PartURL(ctx, r.number)
		if err != nil {
			return "", fmt.Errorf("address for part %d: %w", r.number, err)
		}
		return url, nil
	}
	part, err := s.run(ctx, r.turn)
	if err != nil {
		return err
	}
	u.pace.Done(part.Size)
	u.keep(part)
	u.dst.Stored(part)
	return nil
}

// sizeOf is how many bytes a part has.
func (u *partsUpload) sizeOf(number int) int64 {
	return min(u.size, u.file.Size-int64(number-1)*u.size)
}

// keep takes a stored part over.
func (u *partsUpload) keep(p Part) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.parts[p.Number-1] = p
}

// result returns all parts after it has compared them with the plan once more.
func (u *partsUpload) result() (Result, error) {
	r := Result{Parts: u.parts, SHA256: u.file.SHA256, Sent: u.meter.sent, Reused: u.meter.reused, crc: u.crc}
	var size int64
	for i, p := range r.Parts {
		if p.Number != i+1 || p.ETag == "" {
			return Result{}, fmt.Errorf("%s: part %d is not stored", u.file.Path, i+1)
		}
		size += p.Size
	}
	if size != u.file.Size {
		return Result{}, fmt.Errorf("%s: the parts have %d bytes, but %d were planned", u.file.Path, size, u.file.Size)
	}
	return r, nil
}

// reuse takes over a part of an earlier attempt if its content is the file's. Only the ETag proves
// that: S3 completes an upload only with the parts' own ETags. Where ETags are no MD5s, the
// checksum must do, but only from a trusted record: anybody else could write the ETag of other
// content beside it. Of a part that this process sent, the MD5 is known to be that of the bytes
// sent.
func (u *partsUpload) reuse(ctx context.Context, r *reading) (bool, error) {
	known := slices.DeleteFunc(u.known[r.number], func(k Part) bool { return k.Size != u.sizeOf(r.number) || k.ETag == "" })
	if len(known) == 0 {
		return false, nil
	}
	section, err := r.await(ctx)
	if err != nil {
		return false, err
	}
	sum, err := section.MD5(ctx)
	if err != nil {
		return false, err
	}
	for _, k := range known {
		proved := sameETag(k.ETag, sum) || k.Sent && k.MD5 == sum
		same := proved && k.Sent // compared when it was sent
		if !same && (!proved || digest.NeedsNoRead(k.Checksum)) {
			if same, err = section.Has(ctx, k.Checksum); err != nil {
				return false, err
			}
		}
		if !same {
			k.Checksum = ""
		}
		if proved || k.Trusted && same {
			k.MD5 = sum
			u.keep(k)
			u.meter.reuse(k.Size)
			return true, nil
		}
	}
	return false, nil
}
