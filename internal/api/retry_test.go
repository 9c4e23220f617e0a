package api_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
)

// gaps are the times between the requests.
func gaps(requests []sent) (found []time.Duration) {
	for i := 1; i < len(requests); i++ {
		found = append(found, requests[i].At.Sub(requests[i-1].At))
	}
	return found
}

func TestBackoffGrowsWithJitter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := always(502, "")
		c := config(service)
		c.MaxRetries = 9
		if _, err := newClient(t, c).Regions(t.Context()); err == nil {
			t.Fatal("no error")
		}
		expected := 500 * time.Millisecond
		for i, gap := range gaps(service.requests()) {
			if gap < expected/2 || gap > expected*3/2 {
				t.Errorf("wait %d took %s, want %s ± 50%%", i+1, gap, expected)
			}
			expected = min(2*expected, 30*time.Second)
		}
	})
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status   int
		header   []string
		min, max time.Duration
	}{
		"429, seconds":         {429, []string{"Retry-After", "40"}, 40 * time.Second, 42 * time.Second},
		"503, seconds":         {503, []string{"Retry-After", " 40 "}, 40 * time.Second, 42 * time.Second},
		"429, date":            {429, []string{"Retry-After", "Sat, 01 Jan 2000 00:01:00 GMT"}, time.Minute, 62 * time.Second},
		"503, date":            {503, []string{"Retry-After", "Sat, 01 Jan 2000 00:01:00 GMT"}, time.Minute, 62 * time.Second},
		"clock of the service": {503, []string{"Retry-After", "Fri, 12 Dec 2025 10:00:30 GMT", "Date", "Fri, 12 Dec 2025 10:00:00 GMT"}, 30 * time.Second, 31500 * time.Millisecond},
		"date that has passed": {503, []string{"Retry-After", "Fri, 31 Dec 1999 00:00:00 GMT"}, 0, time.Second},
		"zero":                 {429, []string{"Retry-After", "0"}, 0, time.Second},
		"negative":             {429, []string{"Retry-After", "-5"}, 0, time.Second},
		"no number":            {503, []string{"Retry-After", "soon"}, 0, time.Second},
		"not a number":         {503, []string{"Retry-After", "NaN"}, 0, time.Second},
		"not for 500":          {500, []string{"Retry-After", "40"}, 0, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service := inTurn(with(test.status, "", test.header...), with(200, `{"data":[]}`))
				if _, err := newClient(t, config(service)).Regions(t.Context()); err != nil {
					t.Fatal(err)
				}
				if gap := gaps(service.requests())[0]; gap < test.min || gap > test.max {
					t.Errorf("waited %s, want %s to %s", gap, test.min, test.max)
				}
			})
		})
	}
}

// TestRetryAfterBeyondTheDeadline: a wait that cannot be sat out is not begun.
func TestRetryAfterBeyondTheDeadline(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status     int
		retryAfter string
		timeout    time.Duration
		want       string
	}{
		"429":             {429, "3600", time.Minute, "429 Too Many Requests: slow down: the service asks to wait 1h0m0s before the next call, longer than this operation may still take"},
		"503":             {503, "3600", time.Minute, "503 Service Unavailable: slow down: the service asks to wait 1h0m0s"},
		"huge":            {429, "99999999999999999999999", time.Hour, "asks to wait 24h0m0s"},
		"no deadline":     {429, "86400", 0, "asks to wait 24h0m0s"},
		"backoff by time": {500, "", 100 * time.Millisecond, "500 Internal Server Error: slow down: no time is left for another attempt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service := always(test.status, `{"message":"slow down"}`, "Retry-After", test.retryAfter)
				ctx := t.Context()
				if test.timeout > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, test.timeout)
					defer cancel()
				}
				begun := time.Now()
				_, err := newClient(t, config(service)).Regions(ctx)
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("got %v, want %s", err, test.want)
				}
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Error("the error is not one of a deadline")
				}
				if waited := time.Since(begun); waited != 0 {
					t.Errorf("waited %s, want an end at once", waited)
				}
			})
		})
	}
}

// TestRateLimitHoldsEveryCall: one 429 with Retry-After slows all calls to that
// address, and none to the other.
func TestRateLimitHoldsEveryCall(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		oneURL bool
	}{{"two addresses", false}, {"one address", true}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service := &fakeService{answer: func(n int, r *http.Request) (*http.Response, error) {
					if n == 1 {
						return response(429, "", "Retry-After", "60"), nil
					}
					for _, call := range calls {
						if call.name == "get-session" && strings.HasSuffix(r.URL.Path, "/s-1") || call.name == "batch" && r.Method == http.MethodPost {
							return response(200, call.good), nil
						}
					}
					return response(200, `{"data":[]}`), nil
				}}
				c := config(service)
				if test.oneURL {
					c.VODBaseURL = c.LiveBaseURL + "/"
				}
				client := newClient(t, c)
				begun := time.Now()
				var wg sync.WaitGroup
				took := make([]time.Duration, 12)
				run := func(i int, call func() error) {
					wg.Go(func() {
						if err := call(); err != nil {
							t.Error(err)
						}
						took[i] = time.Since(begun)
					})
				}
				run(0, func() error { _, err := client.Regions(t.Context()); return err })
				synctest.Wait()
				for i := range 10 {
					run(i+1, func() error { _, err := client.GetSession(t.Context(), "s-1"); return err })
				}
				run(11, func() error { _, err := client.SubmitBatch(t.Context(), []string{"k"}, []string{"m"}); return err })
				wg.Wait()
				if n := len(service.requests()); n != 13 {
					t.Errorf("made %d requests, want 13", n)
				}
				for i, d := range took {
					held := i < 11 || test.oneURL
					if held && (d < time.Minute || d > 62*time.Second) || !held && d != 0 {
						t.Errorf("call %d took %s", i, d)
					}
				}
			})
		})
	}
}

func TestRateLimitEndsWaitingCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := inTurn(with(429, "", "Retry-After", "60"), with(200, `{"data":[]}`))
		client := newClient(t, config(service))
		var first sync.WaitGroup
		first.Go(func() {
			if _, err := client.Regions(t.Context()); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()

		short, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		begun := time.Now()
		_, err := client.Regions(short)
		if e := asError(t, err); time.Since(begun) != 0 || e.Attempts != 0 || !strings.Contains(err.Error(), "asks to wait 1m0s") {
			t.Errorf("after %s: %v", time.Since(begun), err)
		}
		cancelled, cancel := context.WithCancel(t.Context())
		time.AfterFunc(5*time.Second, cancel)
		_, err = client.CreateSession(cancelled, api.SessionSpec{Name: "n"})
		if !errors.Is(err, context.Canceled) || time.Since(begun) != 5*time.Second || api.MayHaveBeenProcessed(err) {
			t.Errorf("after %s: %v", time.Since(begun), err)
		}
		first.Wait()
	})
}

func TestCancelEndsWaitsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := always(503, `{"message":"busy"}`, "Retry-After", "300")
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(7*time.Second, cancel)
		begun := time.Now()
		_, err := newClient(t, config(service)).Regions(ctx)
		if !errors.Is(err, context.Canceled) || time.Since(begun) != 7*time.Second {
			t.Errorf("after %s: %v", time.Since(begun), err)
		}
		if want := "503 Service Unavailable: busy: it was not tried again: the operation was cancelled"; !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	})
}

// TestRequestTimeout: each attempt has its own time, the call only that of its
// context.
func TestRequestTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := &fakeService{answer: func(n int, r *http.Request) (*http.Response, error) {
			if n <= 2 {
				return hanging(r)
			}
			return response(200, `{"data":["eu"]}`), nil
		}}
		c := config(service)
		c.RequestTimeout = 12 * time.Second
		begun := time.Now()
		if _, err := newClient(t, c).Regions(t.Context()); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(begun); d < 24*time.Second || d > 27*time.Second {
			t.Errorf("took %s, want twice 12 s and two waits", d)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		service := always(200, "")
		service.answer = func(_ int, r *http.Request) (*http.Response, error) { return hanging(r) }
		ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
		defer cancel()
		begun := time.Now()
		_, err := newClient(t, config(service)).Regions(ctx)
		if d := time.Since(begun); d > 40*time.Second {
			t.Errorf("took %s, longer than its context", d)
		}
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "the time for the operation is over: the request was sent but not answered") {
			t.Errorf("got %v", err)
		}
		if n := len(service.requests()); n != 2 {
			t.Errorf("made %d requests, want 2 of 30 s at most", n)
		}
	})
}

// TestCompleteHasNoRequestTimeout: storage may take minutes to assemble many parts.
func TestCompleteHasNoRequestTimeout(t *testing.T) {
	t.Parallel()
	complete := func(ctx context.Context, t *testing.T, answer func(*http.Request) (*http.Response, error)) error {
		c := config(inTurn(answer))
		c.RequestTimeout = 12 * time.Second
		_, err := newClient(t, c).CompleteMultipartUpload(ctx, "k", "u", []api.CompletedPart{{Number: 1, ETag: "e"}})
		return err
	}
	synctest.Test(t, func(t *testing.T) {
		err := complete(t.Context(), t, func(*http.Request) (*http.Response, error) {
			time.Sleep(time.Hour)
			return response(200, `{"data":{"Key":"k","ETag":"e"}}`), nil
		})
		if err != nil {
			t.Errorf("an answer after an hour: %v", err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		begun := time.Now()
		err := complete(ctx, t, hanging)
		if d := time.Since(begun); d != time.Hour || !errors.Is(err, context.DeadlineExceeded) || !api.MayHaveBeenProcessed(err) {
			t.Errorf("no answer: %v after %s", err, d)
		}
	})
}

// TestStorageRefusalIsFinal: S3's own words mean that nothing was done, under whatever status the service passes them
// on, so the call is neither repeated nor left open.
func TestStorageRefusalIsFinal(t *testing.T) {
	t.Parallel()
	const gone = "The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed."
	for name, test := range map[string]struct {
		status int
		body   string
		code   string
	}{
		"the sentence, 400":  {400, `{"message":"` + gone + `"}`, api.StorageNoSuchUpload},
		"the sentence, 500":  {500, `{"message":"` + gone + `"}`, api.StorageNoSuchUpload},
		"the sentence, 502":  {502, gone, api.StorageNoSuchUpload},
		"XML, 404":           {404, "<Error><Code>NoSuchUpload</Code><Message>" + gone + "</Message></Error>", api.StorageNoSuchUpload},
		"the code, 503":      {503, `{"error":{"code":"NoSuchUpload"}}`, api.StorageNoSuchUpload},
		"a part, 400":        {400, `{"code":"InvalidPart"}`, api.StorageInvalidPart},
		"a part, 500":        {500, `{"message":"One or more of the specified parts could not be found."}`, api.StorageInvalidPart},
		"a small part, 500":  {500, `{"message":"EntityTooSmall: Your proposed upload is smaller than the minimum allowed size"}`, api.StorageEntityTooSmall},
		"other words, 400":   {400, `{"message":"no"}`, ""},
		"no words at all":    {404, "", ""},
		"success, same word": {200, `{"data":{"Key":"NoSuchUpload.mp4","ETag":"e"}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service := always(test.status, test.body)
				_, err := newClient(t, config(service)).CompleteMultipartUpload(t.Context(), "k", "u", []api.CompletedPart{{Number: 1, ETag: "e"}})
				if n := len(service.requests()); n != 1 {
					t.Errorf("%d requests, want 1", n)
				}
				if test.status == 200 {
					if err != nil {
						t.Error(err)
					}
					return
				}
				if e := asError(t, err); e.StorageCode != test.code || e.MayHaveBeenProcessed {
					t.Errorf("code %q, may have been processed: %t", e.StorageCode, e.MayHaveBeenProcessed)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		service := inTurn(failing(errors.New("connection reset")), with(500, `{"message":"`+gone+`"}`))
		_, err := newClient(t, config(service)).CompleteMultipartUpload(t.Context(), "k", "u", []api.CompletedPart{{Number: 1, ETag: "e"}})
		if e := asError(t, err); e.StorageCode != api.StorageNoSuchUpload || !e.MayHaveBeenProcessed {
			t.Errorf("after a lost answer: code %q, may have been processed: %t", e.StorageCode, e.MayHaveBeenProcessed)
		}
	})
}
