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
		for value, want := range map[string]time.Duration{
			"":                              0,
			" 40 ":                          40 * time.Second,
			"1.5":                           1500 * time.Millisecond,
			"-5":                            0,
			"NaN":                           0,
			"99999999999999999999999":       1e9 * time.Second,
			"soon":                          0,
			"Sat, 01 Jan 2000 00:01:00 GMT": time.Minute,
			"Fri, 31 Dec 1999 00:00:00 GMT": 0,
		} {
			if got := retry.After(http.Header{"Retry-After": {value}}); got != want {
				t.Errorf("%q: got %s, want %s", value, got, want)
			}
		}
	})
}

func TestSleep(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		if err := retry.Sleep(t.Context(), time.Hour); err != nil || time.Since(begun) != time.Hour {
			t.Errorf("it ended after %s: %v", time.Since(begun), err)
		}
		cause := errors.New("the user has had enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(cause) })
		if err := retry.Sleep(ctx, time.Hour); !errors.Is(err, cause) || time.Since(begun) > time.Hour+time.Second {
			t.Errorf("it ended after %s: %v", time.Since(begun), err)
		}
	})
}

// TestAttempts makes attempts that all fail alike, each of which takes a second, until there is none
// after it.
func TestAttempts(t *testing.T) {
	t.Parallel()
	reached := &retry.Host{}
	reached.Reached()
	for name, test := range map[string]struct {
		failure     retry.Failure
		deadline    bool
		least, most time.Duration
	}{
		"done":                    {failure: retry.Failure{Kind: retry.Done}, most: time.Second},
		"final":                   {failure: retry.Failure{Kind: retry.Final}, most: time.Second},
		"failed":                  {failure: retry.Failure{Kind: retry.Failed, After: 4 * time.Second}, least: 14 * time.Second, most: 19 * time.Second},
		"never reached":           {failure: retry.Failure{Kind: retry.Unreached, Host: &retry.Host{}}, least: retry.FirstContact, most: 12 * time.Second},
		"reached before":          {failure: retry.Failure{Kind: retry.Unreached, Host: reached}, least: retry.Outage, most: retry.Outage + 2*time.Second},
		"busy":                    {failure: retry.Failure{Kind: retry.Busy}, least: retry.Outage, most: retry.Outage + 24*time.Second},
		"asked to wait too long":  {failure: retry.Failure{Kind: retry.Busy, After: time.Hour}, most: time.Second},
		"busy, and there is time": {failure: retry.Failure{Kind: retry.Busy}, deadline: true, least: 59 * time.Minute, most: time.Hour + time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if test.deadline {
					limited, cancel := context.WithTimeout(ctx, time.Hour)
					defer cancel()
					ctx = limited
				}
				begun, attempts := time.Now(), retry.NewAttempts(3)
				for again := true; again; {
					var wait time.Duration
					test.failure.Began = time.Now()
					time.Sleep(time.Second)
					if wait, again = attempts.Next(ctx, test.failure); again {
						time.Sleep(wait)
					}
				}
				if took := time.Since(begun); took < test.least || took > test.most {
					t.Errorf("attempts took %s, want %s to %s", took, test.least, test.most)
				}
			})
		})
	}
}

func TestOfStatus(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status int
		after  time.Duration
		want   retry.Kind
	}{
		{400, 0, retry.Final},
		{408, 0, retry.Failed},
		{429, 0, retry.Busy},
		{500, 0, retry.Failed},
		{501, 0, retry.Final},
		{503, 0, retry.Failed},
		{503, time.Second, retry.Busy},
		{524, 0, retry.Failed},
	} {
		if got := retry.OfStatus(test.status, test.after); got != test.want {
			t.Errorf("%d after %s: got %d, want %d", test.status, test.after, got, test.want)
		}
	}
}

func TestPermanent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  error
		want bool
	}{
		{retry.PermanentError("not sent"), true},
		{&tls.CertificateVerificationError{Err: errors.New("expired")}, true},
		{tls.RecordHeaderError{Conn: &net.TCPConn{}}, true},
		{tls.RecordHeaderError{}, false},
		{fmt.Errorf("dial: %w", &net.DNSError{IsNotFound: true}), true},
		{&net.DNSError{IsTemporary: true}, false},
		{errors.New("connection refused"), false},
	} {
		if got := retry.Permanent(test.err); got != test.want {
			t.Errorf("%v: got %v", test.err, got)
		}
	}
}
