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
)

// lateSums is how long a part that storage holds may take to be verified once the upload has failed
// or was cancelled. Most parts are verified in less, and need not be sent again then.
const lateSums = 2 * time.Second

// UploadParts sends f in parts of partSize bytes to dst and returns all of
// them, in order. The caller completes the upload.
//
// One pass goes through the file in order and computes the SHA-256 of the
// whole and a CRC-64/NVME of each part. The parts behind it are read again from
// the page cache, to be sent and for their MD5, and must have that same CRC.
// So what was sent is what was hashed, however the file changes meanwhile, and
// memory depends neither on the file's nor on the parts' size.
//
// A part of stored, an earlier attempt's, is not sent again if its ETag is the MD5 of the file's
// part, or if it is trusted and its checksum is that of the file's part. Such parts are not reported
// to dst.Stored again.
//
// The first error stops the rest and is returned once everything has come to
// rest; parts that storage took by then have been reported if they could be verified within two
// seconds. The error is a *FileError, *ChangedError, *StatusError, *StallError, *ETagError,
// *ChecksumError, one of a connection, that of dst.PartURL with the part's number, or the context's.
// Without error, size, number of parts, every ETag and the whole SHA-256 agree
// with f.
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

// late returns a context that ends some time after ctx, in which parts that storage holds are
// verified.
func (e *Engine) late(ctx context.Context) (context.Context, context.CancelFunc) {
	late, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		e.md5.flush()
		if pause(late, lateSums) == nil {
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
	fail     context.CancelCauseFunc // the first error counts
	meter    *meter
	known    map[int][]Part  // parts of an earlier attempt by number
	late     context.Context // for parts that are stored
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

// firstRead goes through the file and sets each part going behind it.
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

// start has a part summed and sent.
func (u *partsUpload) start(ctx context.Context, p filePart) {
	p.sum = u.engine.md5.add(ctx, &partSum{section: p.section}, partDelay)
	var first *waiter
	if !u.mayReuse(p) {
		first = u.engine.senders.enqueue(&u.sending) // here, for the order of the parts
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

// part sees to it that storage holds one part. first is its first turn to be
// sent, nil if it may not have to be.
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
		// Decided while the slot is held: nothing of the upload follows a failure
		// that ends it.
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
		if err := pause(ctx, wait); err != nil {
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

// reuse takes a part of an earlier attempt if it is this file's: what storage itself said of it, its
// ETag or its checksum, must be true of the file's bytes now. Anybody may have written an ETag that
// is no MD5 into a record, or a checksum, unless the record is trusted.
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

// attempt sends a part once, and verifies it. What goes wrong it tells failed
// before it lets anything else happen.
func (u *partsUpload) attempt(ctx context.Context, p put, part filePart, turn *waiter, failed func(error)) (Part, error) {
	res, err := u.request(ctx, p, turn, failed)
	if err != nil {
		return Part{}, err
	}
	// From here on the part is stored: it is verified and reported even if the
	// upload has failed meanwhile.
	checksum, err := u.verify(u.late, p, part, res)
	if err != nil {
		u.meter.add(-p.size)
		failed(err)
		return Part{}, err
	}
	return Part{Number: p.part, Size: p.size, MD5: part.sum.md5, ETag: res.etag, Checksum: checksum}, nil
}

// verify holds what storage says of a part against its content.
func (u *partsUpload) verify(ctx context.Context, p put, part filePart, res stored) (checksum string, err error) {
	if err := u.summed(ctx, part); err != nil {
		return "", err
	}
	if res.etag == "" || !res.keyed && !sameETag(res.etag, part.sum.md5) {
		return "", &ETagError{Op: p.op, ETag: res.etag, MD5: part.sum.md5, Attempts: 1}
	}
	return u.engine.compare(ctx, p, res.checksums, part.crc)
}

// request makes one PUT, when its turn comes, to an address asked for just before.
func (u *partsUpload) request(ctx context.Context, p put, turn *waiter, failed func(error)) (stored, error) {
	if err := u.engine.senders.wait(ctx, turn); err != nil {
		return stored{}, err
	}
	defer u.engine.senders.release()
	res, err := u.ask(ctx, p)
	if err != nil && ctx.Err() == nil { // else it may be another part's error
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

// result puts the parts together, and holds them against the plan once more.
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
