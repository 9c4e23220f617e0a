package transfer

import (
	"context"
	"time"

	"golang.org/x/time/rate"

	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// maxBurst keeps the pace even on fast lines: it is some thirty writes of the transport.
const maxBurst = 1 << 20

const (
	// longestPut is how long a part should be in flight at most where the bandwidth is limited: if
	// the run is interrupted, what its PUTs have sent is lost.
	longestPut = 16 * time.Second
	// slotsLeast is how many PUTs are in flight however low the bandwidth is, and slotsMost for how
	// many of them the bandwidth decides.
	slotsLeast, slotsMost = 2, 14
)

// slotsFor returns how many parts a bandwidth carries in time; 0: any number.
func slotsFor(bytesPerSecond int64) int {
	slots := bytesPerSecond * int64(longestPut/time.Second) / MinPartSize
	if bytesPerSecond <= 0 || slots > slotsMost {
		return 0
	}
	return int(max(slots, slotsLeast))
}

// newThrottle limits the bytes per second of all uploads together; nil: no limit.
func newThrottle(bytesPerSecond int64) *rate.Limiter {
	if bytesPerSecond <= 0 {
		return nil
	}
	// A tenth of a second's worth: 0.2 % of a minute's.
	return rate.NewLimiter(rate.Limit(bytesPerSecond), int(min(max(bytesPerSecond/10, 1), maxBurst)))
}

// take waits until some bytes, at most n, may be sent and says how many.
func take(ctx context.Context, throttle *rate.Limiter, n int) (int, error) {
	if throttle == nil {
		return n, nil
	}
	n = min(n, throttle.Burst())
	// Not WaitN: it fails at once if a deadline comes first. Then ctx does not have a cause yet,
	// which says whose deadline it is and what to do.
	if err := retry.Sleep(ctx, throttle.ReserveN(time.Now(), n).Delay()); err != nil {
		return 0, err // what was reserved is a tenth of a second's worth at most
	}
	return n, nil
}
