package transfer

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/digest"
	"github.com/vodlive/terraform-provider-vodlive/internal/pace"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

const (
	// lateSums is how long the verification of what is stored may go on after an upload has failed or was
	// cancelled. A part that is verified need not be sent again. Most parts take less; one of 5 GiB takes
	// ten seconds, which is too long: pipelines kill a cancelled run after as many.
	lateSums = 4 * time.Second
	// longestAfter is the longest Retry-After that is honoured.
	longestAfter = 5 * time.Minute
	// freeRefusals is how many refused addresses (403) do not count as retries. An address may have
	// expired while its part waited for a slot.
	freeRefusals = 2
)

// upload is what all that is sent of a file has in common.
type upload struct {
	engine  *Engine
	file    File
	content *digest.Content
	meter   *meter
	pace    *pace.Upload
	fail    context.CancelCauseFunc // stops the upload; the first error counts
	late    context.Context         // for verifying what is stored; ends some time after the upload has failed

	md5s, keyed atomic.Bool // whether storage has answered with ETags that are MD5s, and with others
}

// begin returns the upload's context. end closes the content, too.
func (u *upload) begin(ctx context.Context, e *Engine, f File, content *digest.Content) (inner context.Context, end func()) {
	inner, fail := context.WithCancelCause(ctx)
	late, over := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(inner, func() {
		if retry.Sleep(late, lateSums) == nil {
			over(context.Cause(inner))
		}
	})
	u.engine, u.file, u.content, u.fail, u.late = e, f, content, fail, late
	u.meter, u.pace = newMeter(f.Name, f.Size, f.Progress), e.pace.Upload(f.Size)
	return inner, func() {
		u.meter.finish()
		u.pace.Close()
		content.Close()
		stop()
		over(nil)
		fail(nil)
	}
}

// etagsAreMD5s reports whether all ETags so far were MD5s.
func (u *upload) etagsAreMD5s() bool { return u.md5s.Load() && !u.keyed.Load() }

// sending is a part, or a whole file, on its way to storage: attempts until one of them has stored it.
type sending struct {
	put      // the next attempt
	of       *upload
	address  func(context.Context) (string, error)
	asked    string // for as Content-Type
	untyped  bool   // an attempt without it was made
	attempts int    // that have failed
	refused  int    // times that the address was
	retries  int    // left
	interval func() time.Duration
	wait     time.Duration // before the next attempt
}

func (u *upload) sending(p put) *sending {
	p.sent = func(n int64) {
		u.pace.Sent(n)
		u.meter.tick()
	}
	return &sending{put: p, of: u, asked: p.contentType, retries: u.engine.retries, interval: retry.Intervals()}
}

// run makes attempts until one succeeds. The error is why the upload has stopped.
func (s *sending) run(ctx context.Context, turn *pace.Turn) (Part, error) {
	for {
		part, err := s.attempt(ctx, turn)
		if err == nil {
			return part, nil
		}
		if err := retry.Sleep(ctx, s.wait); err != nil {
			return Part{}, err
		}
		if turn, err = s.of.pace.Next(ctx); err != nil {
			return Part{}, err
		}
	}
}

// attempt sends the content once, when it is its turn, and verifies what is stored.
func (s *sending) attempt(ctx context.Context, turn *pace.Turn) (part Part, err error) {
	fs := &flights{sender: &s.of.engine.sender, turn: turn, address: s.address, md5s: s.of.etagsAreMD5s}
	end := s.of.meter.follow(fs.handed)
	defer func() { end(part.Size) }()
	var res stored
	ended := turn.Run(ctx, s.target, func(url string, failed error) bool {
		if s.url, err = url, failed; err == nil {
			res, s.avoid, err = fs.send(ctx, s.put)
		}
		// The slot is still held, so nothing further starts after a final failure.
		return err != nil && s.failed(ctx, err)
	})
	if err := cmp.Or(ended, err); err != nil {
		return Part{}, err
	}
	// It is stored, so it is verified even if the upload has failed meanwhile.
	part, err = s.verify(s.of.late, res)
	if err != nil {
		s.failed(ctx, err)
		return Part{}, err
	}
	return part, nil
}

// target returns the address of the next attempt: a new one for a part. A single PUT keeps the address that it has,
// so that a lost response does not lead to a second object.
func (s *sending) target(ctx context.Context) (string, error) {
	if s.part == 0 && s.url != "" {
		return s.url, nil
	}
	return s.address(ctx)
}

// failed decides whether, when and how there is another attempt, and reports whether it is at once. If there is
// none, it stops the upload. It does nothing once that has stopped: err may be another part's.
func (s *sending) failed(ctx context.Context, err error) (now bool) {
	if ctx.Err() != nil {
		return false
	}
	s.attempts++
	s.wait = 0
	if mismatch(err) && s.contentType != "" && !s.untyped {
		s.contentType, s.untyped = "", true
		return true
	}
	if mismatch(err) {
		s.contentType = s.asked // without it is no better
	}
	if expired(err) {
		s.url = ""
	}
	switch {
	case transient(err) && expired(err) && s.refused < freeRefusals:
		s.refused++
		return true
	case !transient(err), mismatch(err), s.retries <= 0:
		if e, ok := errors.AsType[putError](err); ok {
			e.common().Attempts = s.attempts
		}
		s.of.fail(err)
		return false
	}
	s.retries--
	s.wait = s.interval()
	if e, ok := errors.AsType[*StatusError](err); ok {
		s.wait = max(s.wait, min(e.retryAfter, longestAfter))
	}
	return false
}

// verify compares the ETag and the checksums that storage returned with the content. Of a single PUT, the status
// tells enough where the ETag is missing or no MD5.
func (s *sending) verify(ctx context.Context, res stored) (part Part, err error) {
	part = Part{
		Number: s.part, Size: s.section.Size, ETag: res.etag,
		Sent: true, Repeated: res.repeated || s.attempts > 0,
	}
	valid := redact.ValidETag(res.etag)
	if s.part > 0 || !valid || res.etag != "" && !res.keyed {
		if part.MD5, err = s.section.MD5(ctx); err != nil {
			return Part{}, err
		}
		if !valid || res.etag == "" || !part.ETagIsMD5() && !res.keyed {
			return Part{}, &ETagError{failedPut: failedPut{Op: s.op}, ETag: res.etag, MD5: part.MD5, masked: s.mask(res.etag)}
		}
		if part.ETagIsMD5() {
			s.of.md5s.Store(true)
		} else {
			s.of.keyed.Store(true)
		}
	}
	part.Checksum, err = s.compare(ctx, res.checksums)
	return part, err
}

// compare requires that all checksums in the answer to a PUT are the content's. It returns the one
// to record, "" if there was none.
func (s *sending) compare(ctx context.Context, returned []string) (string, error) {
	for _, c := range returned {
		algorithm, value, _ := strings.Cut(c, ":")
		want, err := s.section.Checksum(ctx, algorithm)
		if err != nil {
			return "", err
		}
		if value != want {
			return "", &ChecksumError{failedPut: failedPut{Op: s.op}, Algorithm: algorithm, Returned: s.mask(value), Content: want}
		}
	}
	return append(returned, "")[0], nil
}

func (s *sending) mask(text string) string { return s.of.engine.sender.masker(s.put)(text) }
