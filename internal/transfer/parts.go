package transfer

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/digest"
	"github.com/vodlive/terraform-provider-vodlive/internal/pace"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// lateSums is how long the verification of stored parts may go on after an upload has failed or was
// cancelled. A part that is verified need not be sent again. Most parts take less; one of 5 GiB takes
// ten seconds, which is too long: pipelines kill a cancelled run after as many.
const lateSums = 4 * time.Second

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
// The file is read once in order, for the SHA-256 of the whole. Each part is then read again from the page
// cache, to be sent and for its MD5. What was sent is what was hashed, whatever happens to the file
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
	content, err := e.reader.Open(f.Path, f.Size, f.SHA256)
	if err != nil {
		return Result{}, err
	}
	defer content.Close()
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	u := &partsUpload{
		engine: e, file: f, content: content, partSize: partSize, dst: dst,
		fail: cancel, meter: newMeter(f.Name, f.Size, f.Progress), pace: e.pace.Upload(f.Size),
		known: make(map[int][]Part), parts: make([]Part, count),
	}
	defer u.pace.Close()
	var end context.CancelFunc
	u.late, end = late(inner)
	defer end()
	for _, p := range stored {
		u.known[p.Number] = append(u.known[p.Number], p)
	}
	if err := u.start(inner); err != nil {
		u.fail(err)
	}
	u.tasks.Wait()
	u.meter.finish()
	if err := context.Cause(inner); err != nil {
		return Result{}, err
	}
	if err := content.Planned(); err != nil {
		return Result{}, err
	}
	return u.result()
}

// late returns the context for verifying stored parts. It ends some time after ctx.
func late(ctx context.Context) (context.Context, context.CancelFunc) {
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
	content  *digest.Content
	partSize int64
	dst      Destination
	fail     context.CancelCauseFunc // stops the upload; the first error counts
	meter    *meter
	pace     *pace.Upload
	known    map[int][]Part  // parts of an earlier attempt by number
	late     context.Context // for verifying stored parts
	tasks    sync.WaitGroup
	crc      uint64 // of the whole

	mu          sync.Mutex
	parts       []Part // by number less one; Number 0: not stored
	md5s, keyed bool   // whether storage has answered with ETags that are MD5s, and with others
}

// start reads the file in order, each part when it is about to be sent, and starts it.
func (u *partsUpload) start(ctx context.Context) error {
	for number := 1; number <= len(u.parts); number++ {
		turn, err := u.pace.Next(ctx)
		if err != nil {
			return err
		}
		section, err := u.content.Next(ctx, min(u.partSize, u.file.Size-int64(number-1)*u.partSize))
		if err != nil {
			turn.End()
			return err
		}
		p := &partUpload{of: u, tries: newRetries(u.engine.retries), put: put{
			op: fmt.Sprintf("send part %d of %s", number, u.file.Name), part: number, section: section,
			sent: func(n int64) { u.pace.Sent(n); u.meter.tick() },
		}}
		u.tasks.Go(func() {
			if err := p.run(ctx, turn); err != nil {
				section.Drop()
				u.fail(err)
			}
		})
	}
	crc, err := u.content.Finish()
	u.crc = crc
	return err
}

// keep takes a stored part over.
func (u *partsUpload) keep(p Part) {
	u.pace.Done(p.Size)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.parts[p.Number-1] = p
}

// etagsAreMD5s reports whether all ETags so far were MD5s.
func (u *partsUpload) etagsAreMD5s() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.md5s && !u.keyed
}

func (u *partsUpload) noteETag(isMD5 bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.md5s, u.keyed = u.md5s || isMD5, u.keyed || !isMD5
}

// result returns all parts after it has compared them with the plan once more.
func (u *partsUpload) result() (Result, error) {
	r := Result{Parts: u.parts, SHA256: u.file.SHA256, crc: u.crc}
	r.Sent, r.Reused = u.meter.bytes()
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
	tries *retries
	wait  time.Duration // before the next attempt
}

// run sends the part, again and again if need be, unless a part of an earlier attempt can be reused.
func (p *partUpload) run(ctx context.Context, turn *pace.Turn) error {
	if reused, err := p.reuse(ctx); reused || err != nil {
		turn.End()
		return err
	}
	for {
		stored, err := p.attempt(ctx, turn)
		if err == nil {
			p.of.keep(stored)
			p.of.dst.Stored(stored)
			return nil
		}
		if err := retry.Sleep(ctx, p.wait); err != nil {
			return err
		}
		if turn, err = p.of.pace.Next(ctx); err != nil {
			return err
		}
	}
}

// attempt sends the part once and verifies it.
func (p *partUpload) attempt(ctx context.Context, turn *pace.Turn) (part Part, err error) {
	fs := &flights{turn: turn, address: p.address, md5s: p.of.etagsAreMD5s}
	var size int64
	end := p.of.meter.follow(fs.handed)
	defer func() { end(size) }()
	res, err := p.request(ctx, turn, fs)
	if err != nil {
		return Part{}, err
	}
	// The part is stored, so it is verified and reported even if the upload has failed meanwhile.
	part, err = p.verify(p.of.late, res)
	if err != nil {
		p.failed(ctx, err)
		return Part{}, err
	}
	size = p.section.Size
	return part, nil
}

// request makes one PUT, or two, when it is the part's turn.
func (p *partUpload) request(ctx context.Context, turn *pace.Turn, fs *flights) (res stored, err error) {
	ended := turn.Run(ctx, p.address, func(url string, failed error) bool {
		if p.url, err = url, failed; err == nil {
			res, p.avoid, err = fs.send(ctx, &p.of.engine.sender, p.put)
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
func (p *partUpload) verify(ctx context.Context, res stored) (Part, error) {
	sum, err := p.section.MD5(ctx)
	if err != nil {
		return Part{}, err
	}
	isMD5 := sameETag(res.etag, sum)
	if res.etag == "" || !redact.ValidETag(res.etag) || !res.keyed && !isMD5 {
		return Part{}, p.of.engine.sender.newETagError(p.put, res.etag, sum)
	}
	p.of.noteETag(isMD5)
	checksum, err := p.of.engine.sender.compare(ctx, p.put, res.checksums)
	return Part{
		Number: p.part, Size: p.section.Size, MD5: sum, ETag: res.etag, Checksum: checksum,
		Sent: true, Repeated: res.repeated || p.tries.attempts > 0,
	}, err
}

// reuse takes over a part of an earlier attempt if its content is the file's. Only the ETag proves
// that: S3 completes an upload only with the parts' own ETags. Where ETags are no MD5s, the checksum
// must do, but only from a trusted record: anybody else could write the ETag of other content beside it.
// Of a part that this process sent, the MD5 is known to be that of the bytes sent.
func (p *partUpload) reuse(ctx context.Context) (bool, error) {
	known := slices.DeleteFunc(p.of.known[p.part], func(k Part) bool { return k.Size != p.section.Size || k.ETag == "" })
	if len(known) == 0 {
		return false, nil
	}
	sum, err := p.section.MD5(ctx)
	if err != nil {
		return false, err
	}
	for _, k := range known {
		same, err := p.section.Has(ctx, k.Checksum)
		if err != nil {
			return false, err
		}
		if !same {
			k.Checksum = ""
		}
		if sameETag(k.ETag, sum) || k.Trusted && same || k.Sent && k.MD5 == sum {
			k.MD5 = sum
			p.of.keep(k)
			p.of.meter.reuse(k.Size)
			return true, nil
		}
	}
	return false, nil
}
