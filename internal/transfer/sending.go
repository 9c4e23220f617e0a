package transfer

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"maps"
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
	// lateSums is how long the verification of what is stored may go on after an upload has failed
	// or was cancelled, and, if it was cancelled, how long parts may go on that are about to be
	// stored. A part that is verified need not be sent again. Most verifications take less; that of
	// 5 GiB takes ten seconds, which is too long: pipelines kill a cancelled run after as many.
	lateSums = 4 * time.Second
	// landing is the part of lateSums in which parts may be sent, with what the goodput is expected
	// to be.
	landing = 3 * time.Second
	// longestAfter is the longest Retry-After that is honoured.
	longestAfter = 5 * time.Minute
	// freeRefusals is how many refused addresses (403) do not count as retries. An address may have
	// expired while its part waited for a slot.
	freeRefusals = 2
	// doubt is the wait before a PUT is repeated, once, that was refused for good.
	doubt = 2 * time.Second
)

// fileUpload is what all that is sent of a file has in common.
type fileUpload struct {
	engine  *Engine
	file    File
	content *digest.Content
	meter   *meter
	pace    *pace.Sender
	fail    context.CancelCauseFunc // stops the upload; the first error counts
	late    context.Context         // for what may still be stored; ends some time after the upload has failed

	mu     sync.Mutex
	flying map[*flights]flying // parts in flight
	latest error               // of an attempt, unless another one has succeeded since

	md5s, keyed atomic.Bool // whether storage has answered with ETags that are MD5s, and with others
}

// begin returns the upload's context. end closes the content, too.
func (u *fileUpload) begin(ctx context.Context, e *Engine, f File, partSize int64, content *digest.Content) (inner context.Context, end func()) {
	inner, fail := context.WithCancelCause(ctx)
	late, over := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(inner, func() {
		u.land(ctx.Err() != nil, context.Cause(inner))
		if retry.Sleep(late, lateSums) == nil {
			over(context.Cause(inner))
		}
	})
	u.engine, u.file, u.content, u.fail, u.late = e, f, content, fail, late
	u.meter, u.pace = newMeter(f.Name, f.Size, f.Progress), e.pace.Sender(f.Size, min(f.Size, partSize))
	return inner, func() {
		u.meter.finish()
		u.pace.Close()
		content.Close()
		stop()
		over(nil)
		fail(nil)
	}
}

// attempted notes how an attempt ended; nil: well.
func (u *fileUpload) attempted(err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.latest = err
}

// ended returns why an upload has ended, and with a time limit what failed until then.
func (u *fileUpload) ended(ctx context.Context, why error) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.latest == nil || !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return why
	}
	return &TimeLimitError{Limit: why, Latest: u.latest}
}

// flying is a part in flight.
type flying struct {
	began time.Time
	stop  context.CancelCauseFunc
}

// fly returns the context for the PUTs of a part, which can go on with it when the upload is
// cancelled. The caller must call landed.
func (u *fileUpload) fly(ctx context.Context, fs *flights) (own context.Context, landed func(), err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	if u.flying == nil {
		u.flying = make(map[*flights]flying)
	}
	own, stop := context.WithCancelCause(u.late)
	u.flying[fs] = flying{time.Now(), stop}
	return own, func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		delete(u.flying, fs)
		stop(nil)
	}, nil
}

// land ends the parts in flight, but if the upload was cancelled, those that can be stored soon go
// on: those that are sent, and those of which least is left, as many as the goodput carries.
func (u *fileUpload) land(cancelled bool, cause error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	var goodput float64
	for fs, f := range u.flying {
		goodput += float64(fs.handed()) / time.Since(f.began).Seconds()
	}
	left := func(fs *flights) int64 { return fs.size - fs.handed() }
	carries := int64(goodput * landing.Seconds())
	for _, fs := range slices.SortedFunc(maps.Keys(u.flying), func(a, b *flights) int { return cmp.Compare(left(a), left(b)) }) {
		carries -= left(fs)
		if !cancelled || !fs.lands(carries >= 0 && fs.handed() > 0) {
			u.flying[fs].stop(cause)
		}
	}
}

// etagsAreMD5s reports whether all ETags so far were MD5s.
func (u *fileUpload) etagsAreMD5s() bool { return u.md5s.Load() && !u.keyed.Load() }

// proof says how storage proves that it has what was sent, where neither its ETags nor checksums
// do, as with KMS and in stores whose ETags are no MD5s: PUTs say the MD5 of their content, and
// storage refuses any other. It may refuse the header, because the signature of the address does
// not have it. Then nothing proves it.
type proof struct{ wanted, refused atomic.Bool }

func (p *proof) asked() bool { return p.wanted.Load() && !p.refused.Load() }

// errUnproved says that storage may have stored anything.
var errUnproved = errors.New("nothing proves what is stored")

// sending is a part, or a whole file, on its way to storage: attempts until one of them has stored
// it.
type sending struct {
	put      // the next attempt
	of       *fileUpload
	size     int64                                          // bytes
	content  func(context.Context) (*digest.Section, error) // waits until it is read
	address  func(context.Context) (string, error)
	asked    string // for as Content-Type
	untyped  bool   // an attempt without it was made, as it would be made now otherwise
	failures int    // attempts that have failed
	refused  int    // times that the address was
	doubted  bool   // a refusal was doubted
	attempts *retry.Attempts
	wait     time.Duration // before the next attempt
}

func (u *fileUpload) sending(p put, size int64) *sending {
	p.sent = func(n int64) {
		u.pace.Sent(n)
		u.meter.tick()
	}
	return &sending{put: p, of: u, size: size, asked: p.contentType, attempts: retry.NewAttempts(u.engine.retries)}
}

// run makes attempts until one succeeds. The error is why the upload has stopped.
func (s *sending) run(ctx context.Context, turn *pace.Turn) (Part, error) {
	for {
		part, err := s.attempt(ctx, turn)
		if _, failed := errors.AsType[putError](err); failed || err == nil {
			s.of.attempted(err)
		}
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
	fs := &flights{sender: &s.of.engine.sender, turn: turn, size: s.size, address: s.address, md5s: s.of.etagsAreMD5s}
	end := s.of.meter.follow(fs.handed)
	defer func() { end(part.Size) }()
	var res stored
	ended := turn.Run(ctx, s.target, fs.progress, func(url string, failed error) bool {
		if s.url, err = url, failed; err == nil {
			s.section, err = s.content(ctx)
		}
		if err == nil {
			err = s.announce(ctx)
		}
		if err == nil {
			res, err = s.send(ctx, fs)
		}
		if err == nil && res.keyed && len(res.checksums) == 0 { // while the slot is held, so that the next PUT knows
			s.of.engine.proof.wanted.Store(true)
		}
		// The slot is still held, so nothing further starts after a final failure.
		return err != nil && s.failed(ctx, err)
	})
	if err := cmp.Or(ended, err); err != nil {
		return Part{}, err
	}
	// It is stored, so it is verified even if the upload has failed meanwhile.
	part, err = s.verify(s.of.late, res)
	if err == nil && part.ETag != "" && !s.proved(part) {
		s.of.engine.proof.wanted.Store(true)
		s.wait = 0
		return Part{}, errUnproved
	}
	if err != nil {
		s.failed(ctx, err)
		return Part{}, err
	}
	part.Unproved = !part.ETagIsMD5() && part.Checksum == "" && s.md5 == ""
	return part, nil
}

func (s *sending) send(ctx context.Context, fs *flights) (res stored, err error) {
	own, landed, err := s.of.fly(ctx, fs)
	if err != nil {
		return stored{}, err
	}
	defer landed()
	return fs.send(own, s.put)
}

// announce has the next PUT say the MD5 of its content, if that is the only proof.
func (s *sending) announce(ctx context.Context) error {
	s.md5 = ""
	if !s.of.engine.proof.asked() {
		return nil
	}
	sum, err := s.section.MD5(ctx)
	s.md5 = base64.StdEncoding.EncodeToString(sum[:])
	return err
}

// proved reports whether storage has proved that it has the content, or refuses to.
func (s *sending) proved(part Part) bool {
	return part.ETagIsMD5() || part.Checksum != "" || s.md5 != "" || s.of.engine.proof.refused.Load()
}

// target returns the address of the next attempt: a new one for a part. A single PUT keeps the
// address that it has, so that a lost response does not lead to a second object.
func (s *sending) target(ctx context.Context) (string, error) {
	if s.part == 0 && s.url != "" {
		return s.url, nil
	}
	url, err := s.address(ctx)
	if err != nil {
		s.of.attempted(err)
	}
	return url, err
}

// failed decides whether, when and how there is another attempt, and reports whether it is at once.
// If there is none, it stops the upload. It does nothing once that has stopped: err may be another
// part's.
func (s *sending) failed(ctx context.Context, err error) (now bool) {
	if ctx.Err() != nil {
		return false
	}
	s.wait = 0
	if errors.Is(err, errSurplus) {
		return false
	}
	s.failures++
	if mismatch(err) && s.contentType != "" && !s.untyped {
		s.contentType, s.untyped = "", true
		return true
	}
	if mismatch(err) {
		s.contentType = s.asked // without it is no better
	}
	if mismatch(err) && s.md5 != "" {
		s.of.engine.proof.refused.Store(true)
		s.untyped = false
		return true
	}
	if expired(err) {
		s.url = ""
	}
	failed := s.failure(err)
	deadline, limited := ctx.Deadline()
	switch {
	case failed.Kind == retry.Failed && expired(err) && s.refused < freeRefusals:
		s.refused++
		return true
	case failed.Kind == retry.Final && doubtful(err) && !s.doubted:
		s.doubted, s.url, s.wait = true, "", doubt
		return false
	case mismatch(err), failed.Kind == retry.Busy && limited && time.Until(deadline) <= failed.After:
		failed.Kind = retry.Final
	}
	wait, again := s.attempts.Next(ctx, failed)
	if !again {
		if e, ok := errors.AsType[putError](err); ok {
			e.common().Attempts = s.failures
		}
		s.of.fail(err)
	}
	s.wait = min(wait, longestAfter)
	return false
}

// failure describes a failed attempt.
func (s *sending) failure(err error) retry.Failure {
	f := retry.Failure{Kind: kindOf(err), Began: time.Now()}
	if e, ok := errors.AsType[*StatusError](err); ok {
		f.After, f.Began = e.retryAfter, e.began
	}
	if e, ok := errors.AsType[*ConnectionError](err); ok && f.Kind == retry.Unreached {
		name, host := s.of.engine.sender.host(s.url)
		f.Host, f.Began, f.Text = host, e.began, "waiting for "+name+": "+e.message
	}
	return f
}

// verify compares the ETag and the checksums that storage returned with the content. Of a single
// PUT, the status tells enough where the ETag is missing.
func (s *sending) verify(ctx context.Context, res stored) (part Part, err error) {
	part = Part{
		Number: s.part, Size: s.section.Size, ETag: res.etag,
		Sent: true, Repeated: res.repeated || s.failures > 0,
	}
	valid := parse.ValidETag(res.etag)
	if s.part > 0 || !valid || res.etag != "" {
		if part.MD5, err = s.section.MD5(ctx); err != nil {
			return Part{}, err
		}
		if !valid || res.etag == "" || !part.ETagIsMD5() && !res.keyed && s.of.md5s.Load() {
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
