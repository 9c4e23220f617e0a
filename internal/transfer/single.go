package transfer

import (
	"cmp"
	"context"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/digest"
	"github.com/vodlive/terraform-provider-vodlive/internal/pace"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// UploadSingle sends f with one PUT and returns the ETag as the header had it,
// "" if storage sent none. Content-Length is always set; Content-Type is
// contentType, or not set if that is "".
//
// The SHA-256 is computed on the way. The last bytes are withheld unless it is the planned one: then the
// connection is closed, so that no object is made, and the error is a *ChangedError.
//
// address is called before the first attempt. A retry uses the same address, so that a lost response
// does not lead to a second object. Only when storage refused the address (403) is address called
// again, so the object is at the address returned last. When storage says that the signature does not
// match, the same address is tried once without Content-Type first.
//
// The other errors are those of UploadParts. An error of address is returned as it is.
func (e *Engine) UploadSingle(ctx context.Context, f File, address func(context.Context) (string, error), contentType string) (etag string, err error) {
	var content *digest.Content
	if f.Content != nil {
		content, err = e.reader.Bytes(f.Name, f.Content, f.SHA256)
	} else {
		content, err = e.reader.Open(f.Path, f.Size, f.SHA256)
	}
	if err != nil {
		return "", err
	}
	defer content.Close()
	section := content.Whole()
	defer section.Drop()
	u := &singleUpload{engine: e, address: address, contentType: contentType, tries: newRetries(e.retries), pace: e.pace.Upload(f.Size), meter: newMeter(f.Name, f.Size, f.Progress)}
	defer u.pace.Close()
	defer u.meter.finish()
	u.put = put{
		op: "send " + f.Name, section: section, contentType: contentType,
		sent: func(n int64) { u.pace.Sent(n); u.meter.tick() }, last: func() error { return nil },
	}
	return u.send(ctx)
}

type singleUpload struct {
	engine      *Engine
	address     func(context.Context) (string, error)
	contentType string // asked for
	pace        *pace.Upload
	meter       *meter

	put     put // the next attempt; without URL if it needs a new one
	tries   *retries
	untyped bool          // an attempt without Content-Type was made
	wait    time.Duration // before the next attempt
	final   bool          // there is no next attempt
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
	turn, err := u.pace.Next(ctx)
	if err != nil {
		return "", err
	}
	var res stored
	ended := turn.Run(ctx, u.target, func(url string, failed error) bool {
		if u.put.url, err = url, failed; err == nil {
			res, err = u.request(ctx)
		}
		return err != nil && u.failed(err)
	})
	if err := cmp.Or(ended, err); err != nil {
		return "", err
	}
	if err := u.compare(ctx, res); err != nil {
		u.failed(err)
		return "", err
	}
	return res.etag, nil
}

func (u *singleUpload) request(ctx context.Context) (res stored, err error) {
	r := u.engine.sender.newRequest(u.put)
	var stored int64
	end := u.meter.follow(r.handed.Load)
	defer func() { end(stored) }()
	if res, err = r.send(ctx); err == nil {
		stored = u.put.section.Size
		return res, nil
	}
	_, remote := r.state()
	u.put.avoidAfter(err, remote)
	return res, err
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

// compare compares the checksums and the ETag that storage returned with the content.
func (u *singleUpload) compare(ctx context.Context, res stored) error {
	if _, err := u.engine.sender.compare(ctx, u.put, res.checksums); err != nil {
		return err
	}
	valid := redact.ValidETag(res.etag)
	if valid && (res.etag == "" || res.keyed) {
		return nil
	}
	sum, err := u.put.section.MD5(ctx)
	if err != nil {
		return err
	}
	if !valid || !sameETag(res.etag, sum) {
		return u.engine.sender.newETagError(u.put, res.etag, sum)
	}
	return nil
}
