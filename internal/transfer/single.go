package transfer

import (
	"context"
	"crypto/md5" //nolint:gosec // the ETag of S3 is an MD5
	"crypto/sha256"
	"hash"
	"sync"

	"github.com/minio/crc64nvme"

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
	u := &singleUpload{engine: e, file: f, src: src, address: address, meter: newMeter(f), contentType: contentType, ahead: share{budget: e.ahead}}
	defer u.ahead.close()
	if f.Size <= laneFile {
		defer e.md5.keepServer()()
		u.sum = e.md5.add(ctx, &partSum{section: section{src, 0, f.Size}}, fileDelay)
		defer e.md5.drop(u.sum)
	}
	u.tasks.Go(func() {
		err := u.firstRead(ctx)
		u.hashed.end(err)
	})
	defer u.tasks.Wait()
	defer cancel(nil)
	defer u.meter.finish()
	return u.send(ctx)
}

type singleUpload struct {
	engine      *Engine
	file        File
	src         *source
	address     func(context.Context) (string, error)
	contentType string
	meter       *meter
	reading     queue
	sending     queue
	tasks       sync.WaitGroup

	hashed position // how far the first read is; its end says whether the content is the planned one
	ahead  share
	sent   int64 // the furthest that an attempt has read
	crc    uint64
	md5    [md5.Size]byte
	sum    *partSum // nil if the first read computes the MD5
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
	p := put{
		op: "send " + u.file.Name, section: section{u.src, 0, u.file.Size}, meter: u.meter, contentType: u.contentType,
		admit:  u.admit,
		verify: u.verify,
	}
	tries := u.engine.newRetries()
	untyped := false
	for {
		etag, err := u.attempt(ctx, &p)
		if err == nil {
			return etag, nil
		}
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if mismatch(err) && p.contentType != "" && !untyped {
			tries.attempts++
			p.contentType, untyped = "", true
			continue
		}
		wait, again := tries.after(err)
		if !again {
			return "", tries.tried(err)
		}
		if expired(err) {
			p.url, p.contentType, untyped = "", u.contentType, false
		}
		if err := retry.Sleep(ctx, wait); err != nil {
			return "", err
		}
	}
}

// attempt sends the file once and verifies the object.
func (u *singleUpload) attempt(ctx context.Context, p *put) (string, error) {
	if err := u.engine.senders.acquire(ctx, &u.sending); err != nil {
		return "", err
	}
	res, err := func() (stored, error) {
		defer u.engine.senders.release()
		if p.url == "" {
			address, err := u.address(ctx)
			if err != nil {
				return stored{}, err
			}
			p.url = address
		}
		return u.engine.send(ctx, *p)
	}()
	if err != nil {
		return "", err
	}
	if err := u.compare(ctx, *p, res); err != nil {
		u.meter.add(-p.size)
		return "", err
	}
	return res.etag, nil
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
func (u *singleUpload) compare(ctx context.Context, p put, res stored) error {
	if _, err := u.engine.compare(ctx, p, res.checksums, u.crc); err != nil {
		return err
	}
	if res.etag == "" || res.keyed {
		return nil
	}
	if err := u.summed(ctx); err != nil {
		return err
	}
	if !sameETag(res.etag, u.md5) {
		return &ETagError{Op: p.op, ETag: res.etag, MD5: u.md5, Attempts: 1}
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
