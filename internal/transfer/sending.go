package transfer

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/digest"
	"github.com/vodlive/terraform-provider-vodlive/internal/pace"
	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

const (
	// grace is how long the PUTs in flight may go on when an upload has failed or was cancelled,
	// together with the proof of what they have stored: such a part need not be sent again.
	// Pipelines kill a cancelled run after ten seconds.
	grace = 4 * time.Second
	// freeRefusals is how many refused addresses (403) of one part do not count as retries. An
	// address may have expired while its part waited for a slot.
	freeRefusals = 2
)

// fileUpload is what all that is sent of a file has in common.
type fileUpload struct {
	engine  *Engine
	file    File
	content *digest.Content
	meter   *meter
	pace    *pace.Sender
	fail    context.CancelCauseFunc // stops the upload; the first error counts
	late    context.Context         // for what is in flight: ends some time after the upload has failed

	hasMD5s atomic.Bool // storage has answered with an ETag that is an MD5

	mu     sync.Mutex
	latest error // of a PUT, unless another one has succeeded since
}

// begin returns the upload's context. end closes the content, too.
func (e *Engine) begin(ctx context.Context, f File, content *digest.Content) (u *fileUpload, inner context.Context, end func()) {
	inner, fail := context.WithCancelCause(ctx)
	late, over := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(inner, func() {
		if retry.Sleep(late, grace) == nil {
			over(context.Cause(inner))
		}
	})
	u = &fileUpload{engine: e, file: f, content: content, meter: &meter{file: f}, pace: e.pace.Sender(f.Size), fail: fail, late: late}
	return u, inner, func() {
		u.meter.finish()
		u.pace.Close()
		content.Close()
		stop()
		over(nil)
		fail(nil)
	}
}

// note keeps how a PUT has ended; nil: well.
func (u *fileUpload) note(err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.latest = err
}

// why returns why an upload has ended, and with a time limit what failed until then.
func (u *fileUpload) why(ctx context.Context, err error) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.latest == nil || !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return err
	}
	return &TimeLimitError{Limit: err, Latest: u.latest}
}

// proof says how storage proves that it has what was sent, where neither its ETags nor checksums
// do, as with KMS and in stores whose ETags are not MD5s: PUTs say the MD5 of their content, and
// storage refuses any other. It may refuse the header, because the address is not signed for it.
// Then nothing proves it.
type proof struct{ isWanted, isRefused atomic.Bool }

// errUnproved says that storage may have stored anything.
var errUnproved = errors.New("nothing proves what is stored")

// sending is a part, or a whole file, on its way to storage: PUTs until one of them has stored it.
type sending struct {
	of          *fileUpload
	op          string                                         // for errors: "send part 3 of a.mp4"
	part        int                                            // 0: a single PUT
	contentType string                                         // "": not sent
	section     func(context.Context) (*digest.Section, error) // waits until it is read
	address     func(context.Context) (string, error)

	url      string // of a single PUT
	failures int    // PUTs that have failed
	refusals int    // refused addresses
	attempts *retry.Attempts
}

func (u *fileUpload) sending(op string, part int) *sending {
	return &sending{of: u, op: op, part: part, attempts: retry.NewAttempts(u.engine.retries)}
}

// run makes PUTs until one succeeds. The error is why the upload has stopped.
func (s *sending) run(ctx context.Context, turn *pace.Turn) (part Part, err error) {
	for {
		var wait time.Duration
		ended := turn.Run(ctx, s.target, func(url string, failed error) (now bool) {
			part, err = s.attempt(ctx, turn, url, failed)
			if err == nil || ctx.Err() != nil { // then the error may be that of another part
				return false
			}
			var again bool
			if wait, again = s.next(ctx, err); !again {
				s.of.fail(err) // while the slot is held, so that no further part begins
			}
			return again && wait == 0
		})
		switch {
		case ended != nil:
			return Part{}, ended
		case err == nil:
			return part, nil
		}
		if err := retry.Sleep(ctx, wait); err != nil {
			return Part{}, err
		}
		if turn, err = s.of.pace.Next(ctx); err != nil {
			return Part{}, err
		}
	}
}

// target returns the address of the next PUT: a new one for a part. A single PUT keeps its address,
// so that a lost response does not lead to a second object.
func (s *sending) target(ctx context.Context) (string, error) {
	if s.part == 0 && s.url != "" {
		return s.url, nil
	}
	return s.address(ctx)
}

// attempt sends the content once, and verifies what is stored. failed is why there is no address.
func (s *sending) attempt(ctx context.Context, turn *pace.Turn, url string, failed error) (Part, error) {
	if failed != nil {
		return Part{}, failed
	}
	s.url = url
	section, err := s.section(ctx)
	if err != nil {
		return Part{}, err
	}
	p := put{op: s.op, part: s.part, url: url, contentType: s.contentType, section: section, handOver: s.of.handOver}
	if proof := &s.of.engine.proof; proof.isWanted.Load() && !proof.isRefused.Load() {
		sum, err := section.MD5(ctx)
		if err != nil {
			return Part{}, err
		}
		p.md5 = base64.StdEncoding.EncodeToString(sum[:])
	}
	if ctx.Err() != nil {
		return Part{}, context.Cause(ctx)
	}
	won := (&race{sender: &s.of.engine.sender, put: p, address: s.address, turn: turn}).run(ctx, s.of.late)
	if _, ok := errors.AsType[putError](won.err); ok {
		s.of.note(won.err)
	}
	if won.err != nil {
		return Part{}, won.err
	}
	part, err := s.verify(section, won)
	if err != nil {
		s.of.meter.handOver(-section.Size)
		return Part{}, err
	}
	s.of.note(nil)
	s.of.pace.Stored(section.Size, time.Since(won.began))
	return part, nil
}

func (u *fileUpload) handOver(n int64) {
	if n > 0 {
		u.pace.Sent(n)
	}
	u.meter.handOver(n)
}

// verify compares the ETag and the checksums that storage returned with the content. Of a single
// PUT, the status says enough where the ETag is missing.
func (s *sending) verify(section *digest.Section, won finisher) (part Part, err error) {
	got := won.stored
	part = Part{Number: s.part, Size: section.Size, ETag: got.etag}
	if !parse.ValidETag(got.etag) {
		return Part{}, won.otherContent("an ETag of %d bytes that is not at most 1 KiB of visible ASCII characters", len(got.etag))
	}
	if s.part > 0 && got.etag == "" {
		return Part{}, won.otherContent("without an ETag")
	}
	if got.etag != "" {
		if part.MD5, err = section.MD5(s.of.late); err != nil {
			return Part{}, err
		}
		if !part.ETagIsMD5() && !got.isKeyed && s.of.hasMD5s.Load() { // the ETags of other parts are MD5s
			return Part{}, won.otherContent("the ETag %s, the content's MD5 is %x", won.mask(got.etag), part.MD5)
		}
	}
	for _, c := range got.checksums {
		algorithm, value, _ := strings.Cut(c, ":")
		want, err := section.Checksum(s.of.late, algorithm)
		if err != nil {
			return Part{}, err
		}
		if value != want {
			return Part{}, won.otherContent("the %s checksum %s, the content's is %s", strings.ToUpper(algorithm), won.mask(value), want)
		}
		if part.Checksum == "" {
			part.Checksum = c
		}
	}
	err = s.prove(&part, won)
	return part, err
}

// otherContent says that storage has other content than was sent.
func (r *request) otherContent(format string, args ...any) error {
	return &ChecksumError{failedPut: r.failed(), message: fmt.Sprintf(format, args...)}
}

// prove returns errUnproved if the PUT must be made again with the MD5 of its content.
func (s *sending) prove(part *Part, won finisher) error {
	proof := &s.of.engine.proof
	switch {
	case part.ETag != "" && part.ETagIsMD5():
		s.of.hasMD5s.Store(true)
		return nil
	case part.Checksum != "", won.md5 != "":
		return nil
	case part.ETag == "", proof.isRefused.Load():
		part.Unproved = true
		return nil
	}
	proof.isWanted.Store(true)
	return errUnproved
}

// next decides whether there is another PUT after a failed one, and how long to wait before it.
func (s *sending) next(ctx context.Context, err error) (wait time.Duration, again bool) {
	if errors.Is(err, errUnproved) {
		return 0, true
	}
	s.failures++
	if status, ok := errors.AsType[*StatusError](err); ok && s.mayHelp(status) {
		return 0, true
	}
	wait, again = s.attempts.Next(ctx, s.failure(err))
	if e, ok := errors.AsType[putError](err); ok && !again {
		e.common().Attempts = s.failures
	}
	return wait, again
}

// mayHelp changes the next PUT after a refusal, and reports whether it has: a PUT at once may not
// be refused. It leaves out headers for which the address may not be signed, or asks for a fresh
// address.
func (s *sending) mayHelp(refusal *StatusError) bool {
	proof := &s.of.engine.proof
	switch {
	case refusal.isMismatch() && s.contentType != "" && !slices.Contains(signedHeaders(s.url), "content-type"):
		s.contentType = ""
	case refusal.isMismatch() && proof.isWanted.Load() && !proof.isRefused.Load():
		proof.isRefused.Store(true)
	case refusal.isOfAddress() && s.refusals < freeRefusals:
		s.refusals++
		s.url = ""
	default:
		return false
	}
	return true
}

// failure describes a failed PUT.
func (s *sending) failure(err error) retry.Failure {
	f := retry.Failure{Kind: kindOf(err), Began: time.Now()}
	if e, ok := errors.AsType[*StatusError](err); ok {
		f.After, f.Began = e.retryAfter, e.began
	}
	if e, ok := errors.AsType[*ConnectionError](err); ok && f.Kind == retry.Unreached {
		f.Host, f.Began = s.of.engine.sender.host(s.url), e.began
	}
	return f
}
