package transfer

import (
	"cmp"
	"context"
	"crypto/md5" //nolint:gosec // the ETag of S3 is an MD5
	"crypto/sha256"
	"hash"
	"sync"
	"time"

	"github.com/minio/crc64nvme"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// laneFile is the largest file in bytes whose MD5 is computed with those of other files. Larger files
// are limited by the network, so their MD5 is computed while they are sent.
const laneFile = 64 * mebibyte

// UploadSingle sends f with one PUT and returns the ETag as the header had it,
// "" if storage sent none. Content-Length is always set; Content-Type is
// contentType, or not set if that is "".
//
// The last bytes are withheld until two things are known: the SHA-256 of the whole file is the planned
// one, and all bytes sent are those that were hashed. Otherwise the connection is closed, so that no
// object is made, and the error is a *ChangedError.
//
// address is called before the first attempt. A retry uses the same address, so that a lost response
// does not lead to a second object. Only when storage refused the address (403) is address called
// again, so the object is at the address returned last. When storage says that the signature does not
// match, the same address is tried once without Content-Type first.
//
// The other errors are those of UploadParts. An error of address is returned as it is.
func (e *Engine) UploadSingle(ctx context.Context, f File, address func(context.Context) (string, error), contentType string) (etag string, err error) {
	src, err := e.source(f)
	if err != nil {
		return "", err
	}
	defer src.close()
	if err := src.planned(f.Size); err != nil {
		return "", err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	u := &singleUpload{engine: e, file: f, src: src, address: address, contentType: contentType, tries: e.newRetries(), puts: e.schedule.newUpload(), ahead: share{budget: e.schedule.ahead}}
	u.put = put{
		op: "send " + f.Name, section: section{src, 0, f.Size}, meter: newMeter(f, 1, e.schedule.adaption), contentType: contentType,
		admit:  u.admit,
		verify: u.verify,
	}
	defer u.ahead.close()
	if f.Size <= laneFile {
		defer e.md5.keepServer()()
		u.sum = e.md5.add(ctx, &partSum{section: section{src, 0, f.Size}, wanted: true})
		defer e.md5.drop(u.sum)
	}
	u.tasks.Go(func() {
		err := u.firstRead(ctx)
		u.hashed.end(err)
	})
	defer u.tasks.Wait()
	defer cancel(nil)
	defer u.put.meter.finish()
	return u.send(ctx)
}

type singleUpload struct {
	engine      *Engine
	file        File
	src         *source
	address     func(context.Context) (string, error)
	contentType string // asked for
	reading     queue
	puts        *queue // in the schedule
	tasks       sync.WaitGroup

	hashed position // how far the first read is; its end says whether the content is the planned one
	ahead  share
	sent   int64 // the furthest that an attempt has read
	crc    uint64
	md5    [md5.Size]byte
	sum    *partSum // nil if the first read computes the MD5

	put     put // the next attempt; without URL if it needs a new one
	tries   *retries
	untyped bool          // an attempt without Content-Type was made
	wait    time.Duration // before the next attempt
	final   bool          // there is no next attempt
}

// firstRead reads the file in order, a limited number of bytes ahead of the sender.
func (u *singleUpload) firstRead(ctx context.Context) error {
	whole := sha256.New()
	var sum hash.Hash
	if u.sum == nil {
		sum = md5.New() //nolint:gosec // see above
	}
	for off := int64(0); off < u.file.Size; {
		size := min(u.file.Size-off, turnBytes)
		if err := u.engine.reserve(ctx, &u.ahead, size); err != nil {
			return err
		}
		err := u.engine.readThrough(ctx, section{u.src, off, size}, &u.reading, func(chunk []byte) error {
			whole.Write(chunk)
			u.crc = crc64nvme.Update(u.crc, chunk)
			if sum != nil {
				sum.Write(chunk)
			}
			off += int64(len(chunk))
			u.hashed.advance(off)
			return nil
		})
		if err != nil {
			return err
		}
	}
	if sum != nil {
		sum.Sum(u.md5[:0])
	}
	return samePlan(u.file, whole)
}

// send makes attempts until one succeeds.
func (u *singleUpload) send(ctx context.Context) (string, error) {
	for {
		etag, err := u.attempt(ctx)
		switch {
		case err == nil:
			return etag, nil
		case ctx.Err() != nil:
			return "", context.Cause(ctx)
		case u.final:
			return "", u.tries.tried(err)
		}
		if err := retry.Sleep(ctx, u.wait); err != nil {
			return "", err
		}
	}
}

// attempt sends the file once and verifies the object.
func (u *singleUpload) attempt(ctx context.Context) (etag string, err error) {
	var res stored
	ended := u.engine.schedule.run(ctx, u.engine.schedule.enqueue(u.puts), u.target, func(url string, failed error) bool {
		if u.put.url, err = url, failed; err == nil {
			res, err = u.engine.newRequest(u.put).send(ctx)
		}
		return err != nil && u.failed(err)
	})
	if err := cmp.Or(ended, err); err != nil {
		return "", err
	}
	if err := u.compare(ctx, res); err != nil {
		u.put.meter.add(-u.file.Size)
		u.failed(err)
		return "", err
	}
	return res.etag, nil
}

// target returns the address of the latest attempt, if it may be used again, or else a new one.
func (u *singleUpload) target(ctx context.Context) (string, error) {
	if u.put.url != "" {
		return u.put.url, nil
	}
	return u.address(ctx)
}

// failed decides whether, when and how there is another attempt, and reports whether it is at once.
func (u *singleUpload) failed(err error) (now bool) {
	if mismatch(err) && u.put.contentType != "" && !u.untyped {
		u.tries.attempts++
		u.put.contentType, u.untyped = "", true
		return true
	}
	wait, again := u.tries.after(err)
	if mismatch(err) {
		u.put.contentType = u.contentType // without it is no better
	}
	if expired(err) {
		u.put.url = ""
	}
	u.wait, u.final = wait, !again
	return again && wait == 0
}

// admit waits until the first read has passed off, and returns how many of the n bytes there it has
// passed.
func (u *singleUpload) admit(ctx context.Context, off int64, n int) (int, error) {
	at, err := u.hashed.waitFor(ctx, off+1)
	if err != nil {
		return 0, err
	}
	n = int(min(int64(n), at-off))
	if passed := off + int64(n) - u.sent; passed > 0 {
		u.sent += passed
		u.ahead.release(passed)
	}
	return n, nil
}

// compare compares the checksums and the ETag that storage returned with the content.
func (u *singleUpload) compare(ctx context.Context, res stored) error {
	if _, err := u.engine.compare(ctx, u.put, res.checksums, u.crc); err != nil {
		return err
	}
	valid := redact.ValidETag(res.etag)
	if valid && (res.etag == "" || res.keyed) {
		return nil
	}
	if err := u.summed(ctx); err != nil {
		return err
	}
	if !valid || !sameETag(res.etag, u.md5) {
		return u.engine.newETagError(u.put, res.etag, u.md5)
	}
	return nil
}

// verify waits until the SHA-256 is known to be the planned one, and compares the CRC of what was read
// for this attempt with that of the first read.
func (u *singleUpload) verify(ctx context.Context, crc uint64) error {
	if err := u.hashed.waitEnd(ctx); err != nil {
		return err
	}
	if err := u.src.planned(u.file.Size); err != nil {
		return err
	}
	return u.sameBytes(crc)
}

func (u *singleUpload) summed(ctx context.Context) error {
	if u.sum == nil {
		return nil // the first read has computed it
	}
	if err := u.engine.md5.wait(ctx, u.sum); err != nil {
		return err
	}
	u.md5 = u.sum.md5
	return u.sameBytes(u.sum.crc)
}

func (u *singleUpload) sameBytes(crc uint64) error {
	if crc != u.crc {
		return &ChangedError{Path: u.file.Path, Detail: "it was written to while it was sent"}
	}
	return nil
}
