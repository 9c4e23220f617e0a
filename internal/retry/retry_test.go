package retry_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

func TestIntervals(t *testing.T) {
	t.Parallel()
	interval := retry.Intervals()
	expected := 500 * time.Millisecond
	for i := range 12 {
		if got := interval(); got < expected/2 || got > expected*3/2 {
			t.Errorf("interval %d is %s, want %s ± 50 %%", i+1, got, expected)
		}
		expected = min(2*expected, 15*time.Second)
	}
}

func TestAfter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // the time is midnight UTC 2000-01-01
		for _, test := range []struct {
			value, date string
			want        time.Duration
		}{
			{"", "", 0},
			{" 40 ", "", 40 * time.Second},
			{"1.5", "", 1500 * time.Millisecond},
			{"0", "", 0},
			{"-5", "", 0},
			{"NaN", "", 0},
			{"99999999999999999999999", "", 24 * time.Hour},
			{"soon", "", 0},
			{"Sat, 01 Jan 2000 00:01:00 GMT", "", time.Minute},
			{"Fri, 31 Dec 1999 00:00:00 GMT", "", 0},
			{"Sat, 01 Jan 2050 00:00:00 GMT", "", 24 * time.Hour},
			{"Fri, 12 Dec 2025 10:00:30 GMT", "Fri, 12 Dec 2025 10:00:00 GMT", 30 * time.Second},
		} {
			if got := retry.After(http.Header{"Retry-After": {test.value}, "Date": {test.date}}); got != test.want {
				t.Errorf("%q at %q: got %s, want %s", test.value, test.date, got, test.want)
			}
		}
	})
}

func TestSleep(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		if err := retry.Sleep(t.Context(), time.Hour); err != nil || time.Since(begun) != time.Hour {
			t.Errorf("got %v after %s", err, time.Since(begun))
		}
		cause := errors.New("cause")
		ctx, cancel := context.WithCancelCause(t.Context())
		if err := retry.Sleep(ctx, 0); err != nil {
			t.Error(err)
		}
		time.AfterFunc(time.Minute, func() { cancel(cause) })
		begun = time.Now()
		if err := retry.Sleep(ctx, time.Hour); !errors.Is(err, cause) || time.Since(begun) != time.Minute {
			t.Errorf("got %v after %s", err, time.Since(begun))
		}
		if err := retry.Sleep(ctx, 0); !errors.Is(err, cause) {
			t.Errorf("got %v", err)
		}
	})
}

func TestPermanent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  error
		want bool
	}{
		{&tls.CertificateVerificationError{}, true},
		{fmt.Errorf("PUT: %w", tls.RecordHeaderError{Conn: &net.TCPConn{}}), true},
		{tls.RecordHeaderError{}, false},
		{&net.OpError{Err: retry.PermanentError("no")}, true},
		{net.ErrClosed, false},
		{nil, false},
	} {
		if got := retry.Permanent(test.err); got != test.want {
			t.Errorf("%v: got %t", test.err, got)
		}
	}
}
