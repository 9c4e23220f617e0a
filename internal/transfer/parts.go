package transfer

import (
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"slices"
	"sync"
	"time"

	"github.com/minio/crc64nvme"

	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// lateSums is how long the verification of stored parts may go on after an upload has failed or was
// cancelled. A part that is verified need not be sent again. Most parts take less; one of 5 GiB takes
// ten seconds.
const lateSums = 2 * time.Second

// UploadParts sends f in parts of partSize bytes to dst and returns all of
// them, in order. The caller completes the upload.
//
// The file is read once in order, for the SHA-256 of the whole and a CRC-64/NVME of each part. Each
// part is then read again from the page cache, to be sent and for its MD5. These reads must have the
// same CRC as the first one. So what was sent is what was hashed, whatever happens to the file
// meanwhile, and memory depends neither on the file's nor on the parts' size.
//
// stored has parts of an earlier attempt. Such a part is not sent again, and not reported to dst.Stored
// again, if its ETag is the MD5 of the file's part, or if it is trusted and its checksum is that of
// the file's part.
//
// The first error stops the upload. It is returned when nothing of the upload runs any more. Parts
// that storage has accepted by then have been reported if they could be verified within two seconds.
// The error is a *FileError, *ChangedError, *StatusError, *StallError, *ETagError, *ChecksumError, one
// of a connection, that of dst.PartURL with the part's number, or the context's. Without error, the
// size, the number of parts, every ETag and the SHA-256 of the whole agree with f.
func (e *Engine) UploadParts(ctx context.Context, f File, partSize int64, stored []Part, dst Destination) (Result, error) {
	count := PartCount(f.Size, partSize)
	if partSize < 1 || count > MaxParts {
		return Result{}, fmt.Errorf("%s: %d bytes in parts of %d bytes are not 1 to %d parts", f.Path, f.Size, partSize, MaxParts)
	}
	src, err := e.files.source(f.Path)
	if err != nil {
		return Result{}, err
	}
	defer src.close()
	if err := src.planned(f.Size); err != nil {
		return Result{}, err
	}

	defer e.md5.keepServer()()
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	u := &partsUpload{
		engine: e, file: f, src: src, partSize: partSize, dst: dst,
		fail: cancel, meter: newMeter(f), known: make(map[int][]Part), parts: make([]Part, count),
		ahead: share{budget: e.ahead},
	}
	defer u.ahead.close()
	var end context.CancelFunc
	u.late, end = e.late(inner)
	defer end()
	for _, p := range stored {
		u.known[p.Number] = append(u.known[p.Number], p)
	}
	if err := u.firstRead(inner); err != nil {
		u.fail(err)
	}
	u.tasks.Wait()
	u.meter.finish()
	if err := context.Cause(inner); err != nil {
		return Result{}, err
	}
	if err := src.planned(f.Size); err != nil {
		return Result{}, err
	}
	return u.result()
}

// late returns the context for verifying stored parts. It ends some time after ctx.
func (e *Engine) late(ctx context.Context) (context.Context, context.CancelFunc) {
	late, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		e.md5.flush()
		if retry.Sleep(late, lateSums) == nil {
			cancel(context.Cause(ctx))
		}
	})
	return late, func() { stop(); cancel(nil) }
}

type partsUpload struct {
	engine   *Engine
	file     File
	src      *source
	partSize int64
	dst      Destination
	fail     context.CancelCauseFunc // stops the upload; the first error counts
	meter    *meter
	known    map[int][]Part  // parts of an earlier attempt by number
	late     context.Context // for verifying stored parts
	ahead    share
	reading  queue
	sending  queue
	tasks    sync.WaitGroup

	mu    sync.Mutex
	parts []Part // by number less one; Number 0: not stored
	crc   uint64 // of the whole
}

// filePart is one part of the file.
type filePart struct {
	number int
	section
	crc uint64 // CRC-64/NVME of the first read
	sum *partSum
}

// firstRead reads the file in order and starts each part that it has read.
func (u *partsUpload) firstRead(ctx context.Context) error {
	whole := sha256.New()
	for number := 1; number <= len(u.parts); number++ {
		off := int64(number-1) * u.partSize
		p := filePart{number: number, section: section{u.src, off, min(u.partSize, u.file.Size-off)}}
		if err := u.engine.reserve(ctx, &u.ahead, p.size); err != nil {
			return err
		}
		err := u.engine.readThrough(ctx, p.section, &u.reading, func(chunk []byte) error {
			whole.Write(chunk)
			p.crc = crc64nvme.Update(p.crc, chunk)
			u.crc = crc64nvme.Update(u.crc, chunk)
			return nil
		})
		if err != nil {
			return err
		}
		u.start(ctx, p)
	}
	u.engine.md5.flush()
	if err := u.src.planned(u.file.Size); err != nil {
		return err
	}
	return samePlan(u.file, whole)
}

// start starts the MD5 and the PUT of a part.
func (u *partsUpload) start(ctx context.Context, p filePart) {
	p.sum = u.engine.md5.add(ctx, &partSum{section: p.section}, partDelay)
	var first *waiter
	if !u.mayReuse(p) {
		first = u.engine.senders.enqueue(&u.sending) // not in the goroutine: parts are sent in order
	}
	u.tasks.Go(func() {
		defer u.ahead.release(p.size)
		if err := u.part(ctx, p, first); err != nil {
			u.engine.md5.drop(p.sum)
			u.fail(err)
		}
	})
}

func samePlan(f File, whole hash.Hash) error {
	if got := [32]byte(whole.Sum(nil)); got != f.SHA256 {
		return &ChangedError{Path: f.Path, Detail: fmt.Sprintf("its SHA-256 is %x, %x was planned", got, f.SHA256)}
	}
	return nil
}

// part sends one part, again and again if need be. first is its place in the queue of the senders,
// nil if a part of an earlier attempt may make sending it unnecessary.
func (u *partsUpload) part(ctx context.Context, part filePart, first *waiter) error {
	if first == nil {
		if reused, err := u.reuse(ctx, part); reused || err != nil {
			return err
		}
		first = u.engine.senders.enqueue(&u.sending)
	}
	p := put{
		op: fmt.Sprintf("send part %d of %s", part.number, u.file.Name), part: part.number,
		section: part.section, meter: u.meter,
		verify: func(_ context.Context, got uint64) error { return part.sameBytes(got) },
	}
	tries := u.engine.newRetries()
	for {
		var wait time.Duration
		// Called before the slot is released, so that no further part starts after a final failure.
		failed := func(err error) {
			var again bool
			if wait, again = tries.after(err); !again {
				u.fail(tries.tried(err))
			}
		}
		stored, err := u.attempt(ctx, p, part, first, failed)
		if err == nil {
			u.keep(stored)
			u.dst.Stored(stored)
			return nil
		}
		if err := retry.Sleep(ctx, wait); err != nil {
			return err
		}
		first = u.engine.senders.enqueue(&u.sending)
	}
}

// summed waits for the part's MD5, which must be that of the bytes first read.
func (u *partsUpload) summed(ctx context.Context, p filePart) error {
	if err := u.engine.md5.wait(ctx, p.sum); err != nil {
		return err
	}
	return p.sameBytes(p.sum.crc)
}

// reuse takes over a part of an earlier attempt if its content is the file's. Only the ETag proves
// that: S3 completes an upload only with the parts' own ETags. Where ETags are no MD5s, the checksum
// must do, but only from a trusted record: anybody else could write the ETag of other content beside it.
func (u *partsUpload) reuse(ctx context.Context, part filePart) (bool, error) {
	if err := u.summed(ctx, part); err != nil {
		return false, err
	}
	for _, p := range u.known[part.number] {
		if p.Size != part.size || p.ETag == "" {
			continue
		}
		c := parseChecksum(p.Checksum)
		want, err := u.engine.checksum(ctx, part.section, c.algorithm, part.crc)
		if err != nil {
			return false, err
		}
		same := want != "" && c.value == want
		if !same {
			p.Checksum = ""
		}
		if sameETag(p.ETag, part.sum.md5) || p.Trusted && same {
			p.MD5 = part.sum.md5
			u.keep(p)
			u.meter.reuse(part.size)
			return true, nil
		}
	}
	return false, nil
}

func (u *partsUpload) mayReuse(part filePart) bool {
	return slices.ContainsFunc(u.known[part.number], func(p Part) bool { return p.Size == part.size && p.ETag != "" })
}

// attempt sends a part once and verifies it. It calls failed with the error before it releases the
// slot.
func (u *partsUpload) attempt(ctx context.Context, p put, part filePart, turn *waiter, failed func(error)) (Part, error) {
	res, err := u.request(ctx, p, turn, failed)
	if err != nil {
		return Part{}, err
	}
	// The part is stored, so it is verified and reported even if the upload has failed meanwhile.
	checksum, err := u.verify(u.late, p, part, res)
	if err != nil {
		u.meter.add(-p.size)
		failed(err)
		return Part{}, err
	}
	return Part{Number: p.part, Size: p.size, MD5: part.sum.md5, ETag: res.etag, Checksum: checksum}, nil
}

// verify compares the ETag and the checksums that storage returned for a part with its content.
func (u *partsUpload) verify(ctx context.Context, p put, part filePart, res stored) (checksum string, err error) {
	if err := u.summed(ctx, part); err != nil {
		return "", err
	}
	if res.etag == "" || !res.keyed && !sameETag(res.etag, part.sum.md5) {
		return "", &ETagError{Op: p.op, ETag: res.etag, MD5: part.sum.md5, Attempts: 1}
	}
	return u.engine.compare(ctx, p, res.checksums, part.crc)
}

// request makes one PUT when a slot is free, to an address asked for just before.
func (u *partsUpload) request(ctx context.Context, p put, turn *waiter, failed func(error)) (stored, error) {
	if err := u.engine.senders.wait(ctx, turn); err != nil {
		return stored{}, err
	}
	defer u.engine.senders.release()
	res, err := u.ask(ctx, p)
	if err != nil && ctx.Err() == nil { // otherwise it may be another part's error
		failed(err)
	}
	return res, err
}

func (u *partsUpload) ask(ctx context.Context, p put) (stored, error) {
	address, err := u.dst.PartURL(ctx, p.part)
	if err != nil {
		return stored{}, fmt.Errorf("address for part %d: %w", p.part, err)
	}
	p.url = address
	return u.engine.send(ctx, p)
}

// sameBytes compares the CRC of a later read with that of the first.
func (p filePart) sameBytes(crc uint64) error {
	if crc != p.crc {
		return &ChangedError{Path: p.src.path, Detail: fmt.Sprintf("part %d was written to while it was sent", p.number)}
	}
	return nil
}

func (u *partsUpload) keep(p Part) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.parts[p.Number-1] = p
}

// result returns all parts after it has compared them with the plan once more.
func (u *partsUpload) result() (Result, error) {
	r := Result{Parts: u.parts, SHA256: u.file.SHA256, Sent: u.meter.sent.Load(), Reused: u.meter.reused.Load(), crc: u.crc}
	var size int64
	for i, p := range r.Parts {
		if p.Number != i+1 || p.ETag == "" {
			return Result{}, fmt.Errorf("%s: part %d is not stored", u.file.Path, i+1)
		}
		size += p.Size
	}
	if size != u.file.Size {
		return Result{}, fmt.Errorf("%s: the parts have %d bytes, %d were planned", u.file.Path, size, u.file.Size)
	}
	return r, nil
}
