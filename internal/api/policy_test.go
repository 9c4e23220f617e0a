package api_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire/wiretest"
)

// TestRetryPolicy makes every call with every fault, once and for ever, and checks how often it is
// sent and how it ends.
func TestRetryPolicy(t *testing.T) {
	t.Parallel()
	const retries = 3
	type handler = func(*http.Request) (*http.Response, error)
	faults := []struct {
		name string
		with func(good string) handler
		// once and repeated tell whether the fault is repeated for the calls
		// that must not be processed twice, and for the others.
		once, repeated bool
		ambiguous      bool
		status         int
	}{
		{"connection not made", func(string) handler { return wiretest.Refused }, true, true, false, 0},
		{"429", func(string) handler { return wiretest.With(429, "") }, true, true, false, 429},
		{"429 with Retry-After", func(string) handler { return wiretest.With(429, "", "Retry-After", "3") }, true, true, false, 429},
		{"503", func(string) handler { return wiretest.With(503, "") }, false, true, true, 503},
		{"503 with Retry-After", func(string) handler { return wiretest.With(503, "", "Retry-After", "3") }, false, true, true, 503},
		{"500", func(string) handler { return wiretest.With(500, `{"message":"x"}`) }, false, true, true, 500},
		{"502", func(string) handler { return wiretest.With(502, "<html>") }, false, true, true, 502},
		{"408", func(string) handler { return wiretest.With(408, "") }, false, true, true, 408},
		{"504", func(string) handler { return wiretest.With(504, "") }, false, true, true, 504},
		{"time-out", func(string) handler { return wiretest.Hanging }, false, true, true, 0},
		{"broken connection", func(string) handler { return wiretest.Failing(io.EOF) }, false, true, true, 0},
		{"answer breaks off", func(good string) handler { return wiretest.BreakingOff(200, good[:len(good)/2]) }, false, true, true, 200},
		{"answer cut, cleanly closed", func(good string) handler { return wiretest.With(200, good[:len(good)/2]) }, false, true, true, 200},
		{"answer is not JSON", func(string) handler { return wiretest.With(200, "<html>hello</html>") }, false, true, true, 200},
		{"answer is empty", func(string) handler { return wiretest.With(200, "") }, false, true, true, 200},
		// Not fixed by a retry.
		{"400", func(string) handler { return wiretest.With(400, "") }, false, false, false, 400},
		{"403", func(string) handler { return wiretest.With(403, "") }, false, false, false, 403},
		{"404", func(string) handler { return wiretest.With(404, "") }, false, false, false, 404},
		{"409", func(string) handler { return wiretest.With(409, "") }, false, false, false, 409},
		{"501", func(string) handler { return wiretest.With(501, "") }, false, false, true, 501},
		{"redirect elsewhere", func(string) handler { return wiretest.With(307, "", "Location", "https://else.example.com/") }, false, false, false, 307},
	}
	for _, call := range calls {
		for _, fault := range faults {
			if call.name == "multipart-complete" && fault.name == "time-out" {
				continue // it has no time-out of its own: TestCompleteHasNoRequestTimeout
			}
			repeated := fault.repeated
			if call.once {
				repeated = fault.once
			}
			t.Run(call.name+"/"+fault.name+"/once", func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					service := wiretest.InTurn(fault.with(call.good), wiretest.With(200, call.good))
					err := call.run(t.Context(), newClient(t, config(service)))
					want := 1
					if repeated {
						want = 2
					}
					if got := len(service.Requests()); got != want {
						t.Errorf("made %d requests, want %d (error: %v)", got, want, err)
					}
					if (err == nil) != repeated {
						t.Errorf("got error %v, want one: %t", err, !repeated)
					}
				})
			})
			t.Run(call.name+"/"+fault.name+"/for ever", func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					service := wiretest.InTurn(fault.with(call.good))
					c := config(service)
					c.MaxRetries = retries
					err := call.run(t.Context(), newClient(t, c))
					least, most := 1, 1
					if repeated {
						least, most = 1+retries, 1+retries
					}
					if repeated && (fault.name == "connection not made" || strings.HasPrefix(fault.name, "429") || strings.HasPrefix(fault.name, "503")) {
						most = 150 // these are repeated for a time, not so often
					}
					got := len(service.Requests())
					if got < least || got > most {
						t.Errorf("made %d requests, want %d to %d", got, least, most)
					}
					e := asError(t, err)
					if e.Attempts != got || e.Status != fault.status {
						t.Errorf("error tells %d attempts and status %d, want %d and %d", e.Attempts, e.Status, got, fault.status)
					}
					ambiguous := fault.ambiguous && call.post
					if api.MayHaveBeenProcessed(err) != ambiguous {
						t.Errorf("may have been processed: %t, want %t (%v)", !ambiguous, ambiguous, err)
					}
					if api.NotFound(err) != (fault.status == 404) {
						t.Errorf("not found: %t (%v)", api.NotFound(err), err)
					}
				})
			})
		}
	}
}

func TestNoRetries(t *testing.T) {
	t.Parallel()
	service := wiretest.Always(500, "")
	c := config(service)
	c.MaxRetries = 0
	if _, err := newClient(t, c).Regions(t.Context()); err == nil {
		t.Fatal("no error")
	}
	if got := len(service.Requests()); got != 1 {
		t.Fatalf("made %d requests, want 1", got)
	}
}

// TestAmbiguityIsKept expects that a refusal does not settle what an earlier attempt left open.
func TestAmbiguityIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := wiretest.InTurn(wiretest.Failing(io.EOF), wiretest.With(404, `{"message":"no such upload"}`))
		_, err := newClient(t, config(service)).CompleteMultipartUpload(t.Context(), "k", "u", []api.CompletedPart{{Number: 1, ETag: "e"}})
		if !api.MayHaveBeenProcessed(err) || !api.NotFound(err) {
			t.Fatalf("got %v; want a 404 of a call that may have been processed", err)
		}
	})
}
