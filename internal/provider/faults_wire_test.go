package provider_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestRateLimitSlowsEveryCallToAnAddress: what one call was asked to wait, the next calls to that
// address wait, whatever they are; those to another address do not.
func TestRateLimitSlowsEveryCallToAnAddress(t *testing.T) {
	t.Parallel()
	const wait = time.Minute
	for name, value := range map[string]func() string{
		"seconds": func() string { return "60" },
		"date":    func() string { return time.Now().Add(wait).UTC().Format(http.TimeFormat) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := acctest.NewWorld(t, simulator.Options{})
				p := w.Provider(attrs{"max_retries": 0})
				w.Fail(simulator.Fault{Call: simulator.CallRegions, Times: 1, Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {value()}}})
				refused := time.Now()
				var first sync.WaitGroup
				first.Go(func() {
					if diags := read(p, "vodlive_regions", nil); len(diags) > 0 {
						t.Error(diags)
					}
				})
				defer first.Wait()
				synctest.Wait()
				if diags := upload(t, p, "single"); len(diags) > 0 {
					t.Fatal(diags)
				}
				if took := time.Since(refused); took > time.Second {
					t.Errorf("calls to another address took %s", took)
				}
				if diags := read(p, "vodlive_live_sessions", nil); len(diags) > 0 {
					t.Fatal(diags)
				}
				if took := time.Since(refused); took < wait || took > wait+5*time.Second {
					t.Errorf("another call to that address came after %s, want about %s", took, wait)
				}
			})
		})
	}
}

// TestRedirectsTakeNoCredentialAway sends every call elsewhere: the address named there must
// receive nothing.
func TestRedirectsTakeNoCredentialAway(t *testing.T) {
	t.Parallel()
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		elsewhere.Add(1)
		http.Error(w, "not here", http.StatusNotFound)
	}))
	t.Cleanup(func() {
		other.Close()
		if n := elsewhere.Load(); n > 0 {
			t.Errorf("%d requests followed a redirect to another host", n)
		}
	})
	for target, location := range map[string]string{
		"another port":     other.URL,
		"another name":     strings.Replace(other.URL, "127.0.0.1", "localhost", 1),
		"plain http":       "http://192.0.2.1",
		"with credentials": strings.Replace(other.URL, "//", "//user:pass@", 1),
	} {
		for _, status := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
			for call, carrier := range map[string]func(*testing.T, *acctest.World, *acctest.Provider) acctest.Diagnostics{
				simulator.CallRegions: func(_ *testing.T, _ *acctest.World, p *acctest.Provider) acctest.Diagnostics {
					return read(p, "vodlive_regions", nil)
				},
				simulator.CallCreateSession: func(_ *testing.T, w *acctest.World, p *acctest.Provider) acctest.Diagnostics { return session(w, p) },
				simulator.CallPresignURL: func(t *testing.T, _ *acctest.World, p *acctest.Provider) acctest.Diagnostics {
					return upload(t, p, "single")
				},
				simulator.CallPutObject: func(t *testing.T, _ *acctest.World, p *acctest.Provider) acctest.Diagnostics {
					return upload(t, p, "single")
				},
				simulator.CallPutPart: func(t *testing.T, _ *acctest.World, p *acctest.Provider) acctest.Diagnostics {
					return upload(t, p, "multipart")
				},
			} {
				t.Run(strings.Join([]string{target, http.StatusText(status), call}, "/"), func(t *testing.T) {
					t.Parallel()
					w := acctest.NewWorld(t, simulator.Options{})
					p := w.Provider(attrs{"max_retries": 0, "skip_region_validation": true})
					w.Fail(simulator.Fault{Call: call, Status: status, Header: http.Header{"Location": {location + "/?X-Amz-Signature=0f1e2d3c4b5a6978"}}})
					diags := carrier(t, w, p)
					text := diags.String()
					if !diags.Failed() || !strings.Contains(text, "redirect") && !strings.Contains(strings.ToLower(text), "storage answered 3") {
						t.Errorf("diagnostics: %s", text)
					}
					w.AssertCalls(t, call, 1)
					s := credentials()
					s.add("signature in the new address", "0f1e2d3c4b5a6978")
					s.add("password in the new address", "user:pass")
					s.addIssued(w.Service)
					s.absentFrom(t, "a diagnostic", text)
					s.absentFrom(t, "the log", w.Log.String())
				})
			}
		}
	}
}

// TestRedirectsWithinTheHostAreFollowed: 307 and 308 keep method and body.
func TestRedirectsWithinTheHostAreFollowed(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	p := w.Provider(attrs{"max_retries": 0})
	w.Fail(simulator.Fault{Call: simulator.CallPresignURL, Times: 1, Status: http.StatusTemporaryRedirect, Header: http.Header{"Location": {"/vod/v1/customer/presign-url"}}})
	if diags := upload(t, p, "single"); len(diags) > 0 {
		t.Fatal(diags)
	}
	w.AssertCalls(t, simulator.CallPresignURL, 2)
}

// TestNothingGoesToPlainHTTPBeyondLoopback: an upload address without TLS is not used, and not
// shown.
func TestNothingGoesToPlainHTTPBeyondLoopback(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"single", "multipart"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			w := acctest.NewWorld(t, simulator.Options{})
			p := w.Provider(attrs{"max_retries": 0})
			w.SetStorageURL("http://storage.example.com/storage")
			diags := upload(t, p, method)
			text := diags.String()
			if !diags.Failed() || !strings.Contains(text, "https") {
				t.Errorf("diagnostics: %s", text)
			}
			if strings.Contains(text+w.Log.String(), "X-Amz") {
				t.Errorf("the upload address shows: %s", text)
			}
		})
	}
}

// TestEverySessionThatMatchesIsReported: after a create whose outcome is not known, those that
// match every argument are named, and no other.
func TestEverySessionThatMatchesIsReported(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	p := w.Provider(attrs{"max_retries": 3, "skip_region_validation": true})
	twin := simulator.SessionRecord{
		Name: "match", Region: "eu-central-1", Input: "RTMP_PULL", Mode: "NORM", OutputMode: "RTMP_PUSH", Codec: "H264", Resolution: "HD",
		Bitrate: "MAX_10_MBPS", InputSourceA: streamSource, OutputDestinationA: streamDestination,
	}
	want := []string{w.AddSession(twin)}
	var others []string
	for _, change := range []func(*simulator.SessionRecord){
		func(r *simulator.SessionRecord) { r.Name = "match 2" },
		func(r *simulator.SessionRecord) { r.Resolution = "SD" },
		func(r *simulator.SessionRecord) { r.EnableInputRecord = true },
		func(r *simulator.SessionRecord) { r.InputSourceA = streamSource + "0" },
	} {
		other := twin
		change(&other)
		others = append(others, w.AddSession(other))
	}
	w.Fail(simulator.Fault{Call: simulator.CallCreateSession, BreakAfter: true})
	diags := session(w, p)
	text := diags.String()
	sessions := w.Sessions()
	want = append(want, sessions[len(sessions)-1].ID)
	if !diags.Failed() || !strings.Contains(text, "and found 2 sessions with exactly these arguments") {
		t.Errorf("diagnostics: %s", text)
	}
	for _, id := range want {
		if !strings.Contains(text, "import {\n  to = vodlive_live_session.NAME\n  id = \""+id+"\"\n}") {
			t.Errorf("the diagnostics lack an import block for %s: %s", id, text)
		}
	}
	for _, id := range others {
		if strings.Contains(text, id) {
			t.Errorf("the diagnostics name %s, which has other arguments: %s", id, text)
		}
	}
	w.AssertCalls(t, simulator.CallCreateSession, 1)
}
