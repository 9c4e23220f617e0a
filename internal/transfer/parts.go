package transfer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"slices"
	"sync"
	"time"

	"github.com/minio/crc64nvme"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// lateSums is how long the verification of stored parts may go on after an upload has failed or was
// cancelled. A part that is verified need not be sent again. Most parts take less; one of 5 GiB takes
// ten seconds, which is too long: pipelines kill a cancelled run after as many.
const lateSums = 4 * time.Second

// UploadParts sends f in parts of partSize bytes to dst and returns all of
// them, in order. The caller completes the upload.
//
// The file is read once in order, for the SHA-256 of the whole and a CRC-64/NVME of each part. Each
// part is then read again from the page cache, to be sent and for its MD5. These reads must have the
// same CRC as the first one. So what was sent is what was hashed, whatever happens to the file
// meanwhile, and memory depends neither on the file's nor on the parts' size.
//
// stored has parts of an earlier attempt. Such a part is not sent again, and not reported to dst.Stored
// again, if its ETag is the MD5 of the file's part, if it is trusted and its checksum is that of the
// file's part, or if this process sent it with the MD5 of the file's part.
//
// The first error stops the upload. It is returned when nothing of the upload runs any more. Parts
// that storage has accepted by then have been reported if they could be verified within four seconds.
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
		fail: cancel, meter: newMeter(f, count, e.schedule.adaption), known: make(map[int][]Part), parts: make([]Part, count),
		ahead: share{budget: e.schedule.ahead}, puts: e.schedule.newUpload(),
	}
	defer u.ahead.close()
	u.races = races{engine: e, size: partSize, unsent: count}
	defer u.races.watch(inner)()
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
	puts     *queue // in the schedule
	races    races
	tasks    sync.WaitGroup

	mu    sync.Mutex
	parts []Part // by number less one; Number 0: not stored
	crc   uint64 // of the whole
}

// firstRead reads the file in order and starts each part that it has read.
func (u *partsUpload) firstRead(ctx context.Context) error {
	whole := sha256.New()
	for number := 1; number <= len(u.parts); number++ {
		off := int64(number-1) * u.partSize
		p := &partUpload{of: u, tries: u.engine.newRetries()}
		p.put = put{
			op: fmt.Sprintf("send part %d of %s", number, u.file.Name), part: number,
			section: section{u.src, off, min(u.partSize, u.file.Size-off)}, meter: u.meter,
			verify: func(_ context.Context, got uint64) error { return p.sameBytes(got) },
		}
		if err := u.engine.reserve(ctx, &u.ahead, p.size); err != nil {
			return err
		}
		err := u.engine.readThrough(ctx, p.section, &u.reading, func(chunk []byte) error {
			whole.Write(chunk)
			p.crc = crc64nvme.Update(p.crc, chunk)
			return nil
		})
		if err != nil {
			return err
		}
		u.crc = appendCRC(crc64nvme.NVME, u.crc, p.crc, p.size)
		u.start(ctx, p)
	}
	if err := u.src.planned(u.file.Size); err != nil {
		return err
	}
	return samePlan(u.file, whole)
}

// start starts the MD5 and the PUT of a part.
func (u *partsUpload) start(ctx context.Context, p *partUpload) {
	p.sum = u.engine.md5.add(ctx, &partSum{section: p.section})
	if !p.mayReuse() {
		p.place = u.engine.schedule.enqueue(u.puts) // not in the goroutine: parts are sent in order
	}
	u.tasks.Go(func() {
		defer u.ahead.release(p.size)
		if err := p.run(ctx); err != nil {
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

// partUpload is one part of the file on its way to storage.
type partUpload struct {
	put
	of    *partsUpload
	crc   uint64 // CRC-64/NVME of the first read
	sum   *partSum
	place *waiter // in the schedule
	tries *retries
	wait  time.Duration // before the next attempt
}

// run sends the part, again and again if need be, unless a part of an earlier attempt can be reused.
func (p *partUpload) run(ctx context.Context) error {
	if p.mayReuse() {
		if reused, err := p.reuse(ctx); reused || err != nil {
			return err
		}
		p.place = p.of.engine.schedule.enqueue(p.of.puts)
	}
	for {
		stored, err := p.attempt(ctx)
		if err == nil {
			p.meter.stored()
			p.of.keep(stored)
			p.of.dst.Stored(stored)
			return nil
		}
		if err := retry.Sleep(ctx, p.wait); err != nil {
			return err
		}
		p.place = p.of.engine.schedule.enqueue(p.of.puts)
	}
}

// attempt sends the part once and verifies it.
func (p *partUpload) attempt(ctx context.Context) (Part, error) {
	res, err := p.request(ctx)
	if err != nil {
		return Part{}, err
	}
	// The part is stored, so it is verified and reported even if the upload has failed meanwhile.
	checksum, err := p.verify(p.of.late, res)
	if err != nil {
		p.meter.add(-p.size)
		p.failed(ctx, err)
		return Part{}, err
	}
	return Part{
		Number: p.part, Size: p.size, MD5: p.sum.md5, ETag: res.etag, Checksum: checksum,
		Sent: true, Repeated: res.repeated || p.tries.attempts > 0,
	}, nil
}

// request makes one PUT when it is the part's turn.
func (p *partUpload) request(ctx context.Context) (res stored, err error) {
	ended := p.of.engine.schedule.run(ctx, p.place, p.address, func(url string, failed error) bool {
		if p.url, err = url, failed; err == nil {
			res, err = p.of.races.send(ctx, p.put, p.address)
		}
		// The slot is still held, so no further part starts after a final failure.
		return err != nil && p.failed(ctx, err)
	})
	return res, cmp.Or(ended, err)
}

func (p *partUpload) address(ctx context.Context) (string, error) {
	url, err := p.of.dst.PartURL(ctx, p.part)
	if err != nil {
		return "", fmt.Errorf("address for part %d: %w", p.part, err)
	}
	return url, nil
}

// failed decides whether and when there is another attempt, and reports whether it is at once. If
// there is none, it stops the upload. It does nothing once that has stopped: err may be another part's.
func (p *partUpload) failed(ctx context.Context, err error) (now bool) {
	if ctx.Err() != nil {
		return false
	}
	var again bool
	if p.wait, again = p.tries.after(err); !again {
		p.of.fail(p.tries.tried(err))
	}
	return again && p.wait == 0
}

// verify compares the ETag and the checksums that storage returned with the part's content.
func (p *partUpload) verify(ctx context.Context, res stored) (checksum string, err error) {
	if err := p.summed(ctx); err != nil {
		return "", err
	}
	if res.etag == "" || !redact.ValidETag(res.etag) || !res.keyed && !sameETag(res.etag, p.sum.md5) {
		return "", p.of.engine.newETagError(p.put, res.etag, p.sum.md5)
	}
	return p.of.engine.compare(ctx, p.put, res.checksums, p.crc)
}

// mayReuse reports whether a part of an earlier attempt may make sending the part unnecessary.
func (p *partUpload) mayReuse() bool {
	return slices.ContainsFunc(p.of.known[p.part], func(k Part) bool { return k.Size == p.size && k.ETag != "" })
}

// reuse takes over a part of an earlier attempt if its content is the file's. Only the ETag proves
// that: S3 completes an upload only with the parts' own ETags. Where ETags are no MD5s, the checksum
// must do, but only from a trusted record: anybody else could write the ETag of other content beside it.
// Of a part that this process sent, the MD5 is known to be that of the bytes sent.
func (p *partUpload) reuse(ctx context.Context) (bool, error) {
	if err := p.summed(ctx); err != nil {
		return false, err
	}
	for _, known := range p.of.known[p.part] {
		if known.Size != p.size || known.ETag == "" {
			continue
		}
		c := parseChecksum(known.Checksum)
		want, err := p.of.engine.checksum(ctx, p.section, c.algorithm, p.crc)
		if err != nil {
			return false, err
		}
		same := want != "" && c.value == want
		if !same {
			known.Checksum = ""
		}
		if sameETag(known.ETag, p.sum.md5) || known.Trusted && same || known.Sent && known.MD5 == p.sum.md5 {
			known.MD5 = p.sum.md5
			p.of.keep(known)
			p.meter.reuse(p.size)
			p.of.races.expect(-1)
			return true, nil
		}
	}
	return false, nil
}

// summed waits for the part's MD5, which must be that of the bytes first read.
func (p *partUpload) summed(ctx context.Context) error {
	if err := p.of.engine.md5.wait(ctx, p.sum); err != nil {
		return err
	}
	return p.sameBytes(p.sum.crc)
}

// sameBytes compares the CRC of a later read with that of the first.
func (p *partUpload) sameBytes(crc uint64) error {
	if crc != p.crc {
		return &ChangedError{Path: p.src.path, Detail: fmt.Sprintf("part %d was written to while it was sent", p.part)}
	}
	return nil
}
