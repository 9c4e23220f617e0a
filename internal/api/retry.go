package api

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"
)

const (
	firstWait   = 500 * time.Millisecond
	longestWait = 30 * time.Second
)

// retry repeats the attempt as the policy allows.
func (c *Client) retry(next handler) handler {
	return func(ctx context.Context, x *exchange) (*answer, error) {
		pace := newPace(ctx)
		var last *answer
		var failed error
		attempt := func() (bool, error) {
			last, failed = next(ctx, x)
			found := faultOf(x, last, failed)
			x.ambiguous = x.ambiguous || ambiguous(found, last)
			if found == faultNone {
				return true, nil
			}
			if failed == nil && last.ok() {
				failed = c.unusable(last)
			}
			if !mayRepeat(x.op, found) || ctx.Err() != nil {
				return false, backoff.Permanent(errAttempt)
			}
			pace.asked = 0
			if last != nil && found&(faultThrottled|faultUnavailable) != 0 {
				pace.asked = retryAfter(last.header)
			}
			return false, errAttempt
		}
		tries := uint(c.retries) + 1 // #nosec G115 -- New refuses a negative number
		done, err := backoff.Retry(ctx, attempt, backoff.WithBackOff(pace),
			backoff.WithMaxTries(tries), backoff.WithMaxElapsedTime(0))
		switch {
		case done:
			return last, nil
		case pace.tooLate != nil:
			return last, and(failed, pace.tooLate)
		case !errors.Is(err, errAttempt) && !endedBy(failed, ctx.Err()):
			return last, and(failed, fmt.Errorf("it was not tried again: %w", ended(ctx)))
		}
		return last, failed
	}
}

// errAttempt tells the retry library that an attempt failed; how, is kept
// beside it.
var errAttempt = errors.New("attempt failed")

// and adds to a failure, if there is one, why it was not tried again.
func and(failed, why error) error {
	if failed == nil {
		return why
	}
	return fmt.Errorf("%w; %w", failed, why)
}

func endedBy(failed, end error) bool { return end != nil && errors.Is(failed, end) }

// ended is why a context ended, in words.
func ended(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return &callError{fault: faultFinal, text: "the operation was cancelled", cause: ctx.Err()}
	}
	return &callError{fault: faultFinal, text: "the time for the operation is over", cause: ctx.Err()}
}

// faultOf names the fault of an attempt.
func faultOf(x *exchange, a *answer, err error) fault {
	var f *callError
	switch {
	case errors.As(err, &f):
		return f.fault
	case err != nil:
		return faultFinal
	case storageCode(x.op, a) != "":
		return faultStorage
	}
	return judge(a, x.noContent)
}

// pace says how long to wait between attempts: exponentially longer, with
// jitter, and at least what the service asked for.
type pace struct {
	backoff.ExponentialBackOff
	outlasts func(time.Duration) bool // tells whether the call ends before such a wait
	asked    time.Duration            // by the last answer's Retry-After
	tooLate  error                    // the next attempt would come after the call has ended
}

func newPace(ctx context.Context) *pace {
	over := func(wait time.Duration) bool { return outlasts(ctx, wait) }
	return &pace{outlasts: over, ExponentialBackOff: backoff.ExponentialBackOff{
		InitialInterval: firstWait, MaxInterval: longestWait,
		Multiplier: 2, RandomizationFactor: backoff.DefaultRandomizationFactor,
	}}
}

func (p *pace) NextBackOff() time.Duration {
	wait := p.ExponentialBackOff.NextBackOff()
	asked := p.asked > wait
	if asked {
		wait = p.asked
	}
	if p.outlasts(wait) {
		p.tooLate = &waitError{wait: wait, asked: asked}
		return backoff.Stop
	}
	if asked {
		wait += spread(wait)
	}
	return wait
}
