package transfer

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"strconv"
	"strings"
	"sync"
	"time"
)

// aheadBytes bounds how far a file is hashed ahead of what storage holds, so
// that the senders find their part in the page cache. Each part that may be in
// flight, and one more, is allowed whatever its size.
const aheadBytes = 640 * mebibyte

// UploadParts sends f in parts of partSize bytes to dst and returns all of
// them, in order. The caller completes the upload.
//
// One pass goes through the file in order and computes the SHA-256 of the
// whole and a CRC-32C of each part. The parts behind it are read again from
// the page cache, to be sent and for their MD5, and must have that same CRC.
// So what was sent is what was hashed, however the file changes meanwhile, and
// memory depends neither on the file's nor on the parts' size.
//
// A part of stored, an earlier attempt's, is not sent again if its ETag is the
// MD5 of the file's part, or if it is trusted and its checksum is the file's.
// Such parts are not reported to dst.Stored again.
//
// The first error stops the rest and is returned once everything has come to
// rest; parts that storage took by then have been reported. The error is a
// *FileError, *ChangedError, *StatusError, *StallError, *ETagError, one of a
// connection, that of dst.PartURL with the part's number, or the context's.
// Without error, size, number of parts, every ETag and the whole SHA-256 agree
// with f.
func (e *Engine) UploadParts(ctx context.Context, f File, partSize int64, stored []Part, dst Destination) (Result, error) {
	count := PartCount(f.Size, partSize)
	if partSize < 1 || count > MaxParts {
		return Result{}, fmt.Errorf("%s: %d bytes in parts of %d bytes are not 1 to %d parts", f.Path, f.Size, partSize, MaxParts)
	}
	src, err := openSource(f.Path)
	if err != nil {
		return Result{}, err
	}
	defer src.close()
	if err := src.planned(f.Size); err != nil {
		return Result{}, err
	}

	defer e.lanes.hold()()
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	u := &partsUpload{
		engine: e, file: f, src: src, partSize: partSize, dst: dst,
		fail: cancel, meter: newMeter(f), known: make(map[int][]Part), parts: make([]Part, count),
		ahead: make(chan struct{}, e.ahead(partSize)),
	}
	for _, p := range stored {
		u.known[p.Number] = append(u.known[p.Number], p)
	}
	if err := u.lead(inner); err != nil {
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

// ahead is how many parts may be hashed and not yet stored: those in flight,
// those whose MD5 is being computed, and as many that gather for it meanwhile.
func (e *Engine) ahead(partSize int64) int {
	return max(e.slots+1, int(min(int64(e.slots+2*laneCount), aheadBytes/partSize)))
}

type partsUpload struct {
	engine   *Engine
	file     File
	src      *source
	partSize int64
	dst      Destination
	fail     context.CancelCauseFunc // the first error counts
	meter    *meter
	known    map[int][]Part // parts of an earlier attempt by number
	ahead    chan struct{}
	reading  line
	sending  line
	tasks    sync.WaitGroup

	whole fileSums

	mu    sync.Mutex
	parts []Part // by number less one; Number 0: not stored
}

// lead goes through the file and sets each part going behind it.
func (u *partsUpload) lead(ctx context.Context) error {
	u.whole = newFileSums()
	for number := 1; number <= len(u.parts); number++ {
		if err := u.advance(ctx); err != nil {
			return err
		}
		off := int64(number-1) * u.partSize
		size := min(u.partSize, u.file.Size-off)
		crc, err := u.engine.leadPart(ctx, u.src, off, size, &u.reading, u.whole)
		if err != nil {
			<-u.ahead
			return err
		}
		// A part that is sent ties the sum to the pass by its own checksum and the
		// ETag; one that is not sent needs another tie.
		sum := u.engine.lanes.add(ctx, &partSum{src: u.src, off: off, size: size, withCRC: u.mayReuse(number, size)}, partDelay)
		var first *turn
		if !sum.withCRC {
			first = u.engine.senders.join(&u.sending) // here, for the order of the parts
		}
		u.tasks.Go(func() {
			defer func() { <-u.ahead }()
			if err := u.part(ctx, number, off, size, crc, sum, first); err != nil {
				u.engine.lanes.drop(sum)
				u.fail(err)
			}
		})
	}
	u.engine.lanes.flush()
	if err := u.src.planned(u.file.Size); err != nil {
		return err
	}
	return samePlan(u.file, u.whole.sha256)
}

// advance waits until one part more may be hashed.
func (u *partsUpload) advance(ctx context.Context) error {
	select {
	case u.ahead <- struct{}{}:
		return context.Cause(ctx)
	default:
	}
	if cap(u.ahead) < u.engine.slots+laneCount {
		u.engine.lanes.flush() // the lanes cannot fill up before this goes on
	}
	select {
	case u.ahead <- struct{}{}:
		return context.Cause(ctx)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (e *Engine) leadPart(ctx context.Context, src *source, off, size int64, l *line, whole fileSums) (uint32, error) {
	var crc uint32
	err := e.readThrough(ctx, src, off, size, l, func(chunk []byte) error {
		whole.write(chunk)
		crc = crc32.Update(crc, castagnoli, chunk)
		return nil
	})
	return crc, err
}

func samePlan(f File, whole hash.Hash) error {
	if got := [32]byte(whole.Sum(nil)); got != f.SHA256 {
		return &ChangedError{Path: f.Path, Detail: fmt.Sprintf("its SHA-256 is %x, %x was planned", got, f.SHA256)}
	}
	return nil
}

// part sees to it that storage holds one part. first is its first turn to be
// sent, nil if it may not have to be.
func (u *partsUpload) part(ctx context.Context, number int, off, size int64, crc uint32, sum *partSum, first *turn) error {
	if first == nil {
		if reused, err := u.reuse(ctx, number, size, crc, sum); reused || err != nil {
			return err
		}
		first = u.engine.senders.join(&u.sending)
	}
	p := put{
		op: fmt.Sprintf("send part %d of %s", number, u.file.Name), part: number,
		src: u.src, off: off, size: size, meter: u.meter,
		verify: func(_ context.Context, got uint32) error { return u.sameBytes(number, got, crc) },
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
		part, err := u.attempt(ctx, p, sum, first, failed)
		if err == nil {
			u.keep(part)
			u.dst.Stored(part)
			return nil
		}
		if err := pause(ctx, wait); err != nil {
			return err
		}
		first = u.engine.senders.join(&u.sending)
	}
}

// reuse takes a part of an earlier attempt if it is this file's.
func (u *partsUpload) reuse(ctx context.Context, number int, size int64, crc uint32, sum *partSum) (bool, error) {
	if err := u.engine.lanes.finish(ctx, sum); err != nil {
		return false, err
	}
	if err := u.sameBytes(number, sum.crc, crc); err != nil {
		return false, err
	}
	for _, p := range u.known[number] {
		if p.Size != size || p.ETag == "" {
			continue
		}
		same := sameETag(p.ETag, sum.md5)
		if !same && p.Trusted && p.Checksum != "" {
			own, err := u.checksum(ctx, p, crc)
			if err != nil {
				return false, err
			}
			same = own == p.Checksum
		}
		if same {
			p.MD5 = sum.md5
			u.keep(p)
			u.meter.reuse(size)
			return true, nil
		}
	}
	return false, nil
}

// checksum is the file's part's own, in the algorithm of p.Checksum.
func (u *partsUpload) checksum(ctx context.Context, p Part, crc uint32) (string, error) {
	algorithm, _, _ := strings.Cut(p.Checksum, ":")
	h := newChecksum(algorithm)
	if h == nil {
		return "", nil
	}
	var got uint32
	err := u.engine.readThrough(ctx, u.src, int64(p.Number-1)*u.partSize, p.Size, &line{}, func(chunk []byte) error {
		h.Write(chunk)
		got = crc32.Update(got, castagnoli, chunk)
		return nil
	})
	if err == nil {
		err = u.sameBytes(p.Number, got, crc)
	}
	return algorithm + ":" + base64.StdEncoding.EncodeToString(h.Sum(nil)), err
}

func newChecksum(algorithm string) hash.Hash {
	switch algorithm {
	case "crc64nvme":
		return crc64.New(nvme)
	case "crc32c":
		return crc32.New(castagnoli)
	case "crc32":
		return crc32.NewIEEE()
	case "sha256":
		return sha256.New()
	}
	return nil
}

var nvme = crc64.MakeTable(0x9a6c9329ac4bc9b5)

// Matches compares a checksum of the whole object, as the answer to
// CompleteMultipartUpload has it, with the content. algorithm is "crc64nvme",
// "crc32c", "crc32" or "sha256"; value is the base64 of the object's checksum or,
// as "BASE64-N", of that of its N parts' checksums. known is false if the checksum
// cannot be told: one of the parts' needs those that storage returned for them.
func (r Result) Matches(algorithm, value string) (known, ok bool) {
	sum, count, composite := strings.Cut(value, "-")
	h := newChecksum(algorithm)
	switch {
	case h == nil:
		return false, false
	case composite && count != strconv.Itoa(len(r.Parts)):
		return true, false
	case composite:
		for _, p := range r.Parts {
			encoded, found := strings.CutPrefix(p.Checksum, algorithm+":")
			raw, err := base64.StdEncoding.DecodeString(encoded)
			if !found || err != nil {
				return false, false
			}
			h.Write(raw)
		}
	default:
		h = map[string]hash.Hash{"crc64nvme": r.sums.crc64, "crc32c": r.sums.crc32c, "crc32": r.sums.crc32, "sha256": r.sums.sha256}[algorithm]
	}
	return true, sum == base64.StdEncoding.EncodeToString(h.Sum(nil))
}

// fileSums are the sums of a whole file.
type fileSums struct {
	sha256        hash.Hash
	crc64         hash.Hash64
	crc32c, crc32 hash.Hash32
}

func newFileSums() fileSums {
	return fileSums{sha256.New(), crc64.New(nvme), crc32.New(castagnoli), crc32.NewIEEE()}
}

func (s fileSums) write(chunk []byte) {
	_, _ = s.sha256.Write(chunk)
	_, _ = s.crc64.Write(chunk)
	_, _ = s.crc32c.Write(chunk)
	_, _ = s.crc32.Write(chunk)
}

func (u *partsUpload) mayReuse(number int, size int64) bool {
	for _, p := range u.known[number] {
		if p.Size == size && p.ETag != "" {
			return true
		}
	}
	return false
}

// attempt sends a part once, and verifies it. What goes wrong it tells failed
// before it lets anything else happen.
func (u *partsUpload) attempt(ctx context.Context, p put, sum *partSum, turn *turn, failed func(error)) (Part, error) {
	res, err := u.request(ctx, p, turn, failed)
	if err != nil {
		return Part{}, err
	}
	// From here on the part is stored: it is verified and reported even if the
	// upload has failed meanwhile.
	defer context.AfterFunc(ctx, u.engine.lanes.flush)()
	err = u.engine.lanes.finish(context.WithoutCancel(ctx), sum)
	if err == nil && (res.etag == "" || !res.keyed && !sameETag(res.etag, sum.md5)) {
		u.meter.add(-p.size)
		err = &ETagError{Op: p.op, ETag: res.etag, MD5: sum.md5, Attempts: 1}
	}
	if err != nil {
		failed(err)
		return Part{}, err
	}
	return Part{Number: p.part, Size: p.size, MD5: sum.md5, ETag: res.etag, Checksum: res.checksum}, nil
}

// request makes one PUT, when its turn comes, to an address asked for just before.
func (u *partsUpload) request(ctx context.Context, p put, turn *turn, failed func(error)) (stored, error) {
	if err := u.engine.senders.wait(ctx, turn); err != nil {
		return stored{}, err
	}
	defer u.engine.senders.leave()
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

func (u *partsUpload) sameBytes(number int, got, want uint32) error {
	if got != want {
		return &ChangedError{Path: u.file.Path, Detail: fmt.Sprintf("part %d was written to while it was sent", number)}
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
	r := Result{Parts: u.parts, SHA256: u.file.SHA256, Sent: u.meter.sent.Load(), Reused: u.meter.reused.Load()}
	r.sums = u.whole
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
