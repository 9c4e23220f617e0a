package wire

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// longestWait limits one wait of a call whose context has no deadline.
const longestWait = 10 * time.Minute

// wait is a wait before a request.
type wait struct {
	length time.Duration
	asked  bool // by the service
}

// sleep waits. It fails at once if ctx would end before the wait.
func (w wait) sleep(ctx context.Context) error {
	if w.outlasts(ctx) {
		return &waitError{w}
	}
	length := w.length
	if w.asked {
		// Callers that wait for the same moment must not send their requests all at once.
		length += time.Duration(rand.Int64N(int64(min(length/10, time.Second)) + 1)) // #nosec G404 -- jitter
	}
	if retry.Sleep(ctx, length) != nil {
		return ended(ctx)
	}
	return nil
}

func (w wait) outlasts(ctx context.Context) bool {
	if deadline, ok := ctx.Deadline(); ok {
		return time.Until(deadline) <= w.length
	}
	return w.length > longestWait
}

// waitError ends a call whose next request would come too late.
type waitError struct{ wait }

func (e *waitError) Error() string {
	length := e.length.Round(time.Second)
	if e.asked {
		return fmt.Sprintf("the service asks to wait %s before the next call, longer than this operation may still take", length)
	}
	return fmt.Sprintf("no time is left for another attempt, which would come in %s", max(length, time.Second))
}

func (e *waitError) Unwrap() error { return context.DeadlineExceeded }
