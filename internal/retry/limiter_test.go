package retry_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// anyWait allows every wait that a server asks for.
func anyWait(time.Duration) error { return nil }

// TestLimiterFindsTheRate has servers with token buckets. At most a tenth of the requests may be
// refused, and at least four fifths of the bucket must be used.
func TestLimiterFindsTheRate(t *testing.T) {
	t.Parallel()
	for _, load := range []struct {
		requests int64
		callers  int
	}{{79, 4}, {400, 14}} { // a file of 77 parts, and a folder
		for _, perSecond := range []float64{2, 3, 10, 50} {
			for _, trip := range []time.Duration{20 * time.Millisecond, 80 * time.Millisecond} {
				bubble.Run(t, fmt.Sprintf("%d requests, %.0f a second, %s", load.requests, perSecond, trip), func(t *testing.T) {
					bucket, l := rate.NewLimiter(rate.Limit(perSecond), 5), retry.NewLimiter()
					var left, refused atomic.Int64
					left.Store(load.requests)
					begun := time.Now()
					var callers sync.WaitGroup
					for range load.callers {
						callers.Go(func() {
							for left.Add(-1) >= 0 {
								for !request(t, l, bucket, trip) {
									refused.Add(1)
								}
							}
						})
					}
					callers.Wait()
					took := time.Since(begun).Seconds()
					if share := float64(refused.Load()) / float64(load.requests+refused.Load()); share > 0.1 {
						t.Errorf("%d refused, %.1f %%", refused.Load(), 100*share)
					}
					// A second is too short to find out that 50 are allowed.
					could := min(perSecond, float64(load.callers)/trip.Seconds())*took + 5
					if used := float64(load.requests) / could; used < 0.8 && took > 5 {
						t.Errorf("%.0f %% of the bucket used in %.1f s", 100*used, took)
					}
				})
			}
		}
	}
}

// request makes a request to a server with a token bucket, and reports whether it was accepted.
func request(t *testing.T, l *retry.Limiter, bucket *rate.Limiter, trip time.Duration) bool {
	t.Helper()
	began, err := l.Wait(t.Context(), anyWait)
	if err != nil {
		t.Error(err)
	}
	time.Sleep(trip / 2)
	accepted := bucket.Allow()
	time.Sleep(trip / 2)
	if accepted {
		l.Accepted(began)
	} else {
		l.Refused(began, 0)
	}
	return accepted
}

// TestLimiterFollowsTheRate: a server that allows more than before is used again within half a
// minute.
func TestLimiterFollowsTheRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, bucket := retry.NewLimiter(), rate.NewLimiter(2, 5)
		for begun := time.Now(); time.Since(begun) < time.Minute; {
			request(t, l, bucket, 20*time.Millisecond)
		}
		bucket.SetLimit(1000)
		time.Sleep(time.Second)
		for begun := time.Now(); time.Since(begun) < 2*time.Minute; {
			request(t, l, bucket, 20*time.Millisecond)
		}
		n := 0
		for begun := time.Now(); time.Since(begun) < 10*time.Second; n++ {
			request(t, l, bucket, 20*time.Millisecond)
		}
		if n < 400 {
			t.Errorf("%d requests in ten seconds, where 500 fit", n)
		}
	})
}

func TestLimiterHoldsRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, begun := retry.NewLimiter(), time.Now()
		l.Refused(begun, time.Minute)
		if since := l.Refused(begun, 0); since != 0 {
			t.Errorf("refused for %s", since)
		}
		tooLong := errors.New("too long")
		if _, err := l.Wait(t.Context(), func(held time.Duration) error {
			if held != time.Minute {
				t.Errorf("held for %s", held)
			}
			return tooLong
		}); err != tooLong || time.Since(begun) != 0 { //nolint:errorlint // it is the same
			t.Errorf("%v after %s", err, time.Since(begun))
		}
		cancelled, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err := l.Wait(cancelled, anyWait); err != context.Canceled || time.Since(begun) != time.Second { //nolint:errorlint // it is the cause
			t.Errorf("%v after %s", err, time.Since(begun))
		}
		if _, err := l.Wait(t.Context(), anyWait); err != nil || time.Since(begun) < time.Minute {
			t.Errorf("%v after %s", err, time.Since(begun))
		}
		if since := l.Refused(time.Now(), 0); since < time.Minute {
			t.Errorf("refused for %s", since)
		}
		l.Accepted(time.Now())
		if since := l.Refused(time.Now(), 0); since != 0 {
			t.Errorf("refused for %s after an accepted request", since)
		}
	})
}
