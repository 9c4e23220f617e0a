package wire

import (
	"context"
	"fmt"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// server is what the calls to one address have in common.
type server struct {
	limiter *retry.Limiter
	host    retry.Host
}

// pace tells all calls to the address how an attempt ended.
func (x *exchange) pace(began time.Time, f fault, res *response) retry.Failure {
	failed := retry.Failure{Kind: f.kind}
	if res == nil {
		return failed
	}
	failed.After = retry.After(res.header)
	if f.kind == retry.Busy {
		failed.Refused = x.Endpoint.server.limiter.Refused(began, failed.After)
	} else {
		x.Endpoint.server.limiter.Accepted(began)
	}
	return failed
}

// longestWait limits one wait of a call whose context has no deadline.
const longestWait = 10 * time.Minute

// askedToWait fails if the service wants no calls for longer than ctx lasts.
func askedToWait(ctx context.Context, length time.Duration) error {
	if length == 0 || hasTime(ctx, length) {
		return nil
	}
	text := fmt.Sprintf("the service asks to wait %s before the next call, longer than this operation may still take", length.Round(time.Second))
	return final(text, context.DeadlineExceeded)
}

func hasTime(ctx context.Context, length time.Duration) bool {
	deadline, limited := ctx.Deadline()
	return limited && time.Until(deadline) > length || !limited && length <= longestWait
}

// wait waits before the next attempt. It fails at once if ctx would end before it.
func wait(ctx context.Context, length time.Duration) error {
	if !hasTime(ctx, length) {
		text := fmt.Sprintf("no time is left for another attempt, which would come in %s", max(length.Round(time.Second), time.Second))
		return final(text, context.DeadlineExceeded)
	}
	return retry.Sleep(ctx, length)
}
