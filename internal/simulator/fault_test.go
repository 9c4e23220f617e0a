package simulator_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

const regionsPath = "/live/v1/regions"

func TestWhichRequestsAreHit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Options{})
	w.Fail(simulator.Fault{Call: simulator.CallRegions, After: 1, Times: 2, Status: 500})
	w.Fail(simulator.Fault{Call: simulator.CallRegions, After: 2, Times: 1, Status: 418})
	w.Fail(simulator.Fault{Match: func(r *http.Request) bool { return r.Header.Get("X-Hit") != "" }, Status: 429})
	var seen []int
	for range 6 {
		seen = append(seen, w.mustDo(w.live(http.MethodGet, regionsPath, nil)).status)
	}
	// The second fault counts only what the first one lets pass.
	if diff := cmp.Diff([]int{200, 500, 500, 200, 418, 200}, seen); diff != "" {
		t.Error(diff)
	}
	if entry := w.Journal()[1]; entry.Fault != "status 500" {
		t.Errorf("the journal has the fault %q", entry.Fault)
	}
	r := w.live(http.MethodGet, sessionPath, nil)
	r.Header.Set("X-Hit", "1")
	wantStatus(t, w.mustDo(r), 429, "")
	w.ClearFaults()
	wantStatus(t, w.mustDo(r), 200, "")
}

func TestStall(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*world){
		"released": func(w *world) { w.Release() },
		"closed": func(w *world) {
			if err := w.Close(); err != nil {
				w.t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simulator.Options{})
			m := w.begin("a.mov")
			w.Fail(simulator.Fault{Call: simulator.CallPutPart, Stall: true, StallAfter: 3})
			reader, writer := io.Pipe()
			r := w.request(http.MethodPut, m.partURL(1), reader)
			r.ContentLength = mib
			hold := w.Hold(simulator.CallPutPart, nil)
			failed := make(chan error)
			go func() {
				_, err := w.do(r)
				failed <- err
			}()
			// More than the client's own buffer, or the client keeps it.
			if _, err := writer.Write(make([]byte, 64<<10)); err != nil {
				t.Fatal(err)
			}
			must.Succeed(t, hold.Arrived(t.Context(), 1))
			hold.Release()
			select {
			case err := <-failed:
				t.Fatalf("ended before its time: %v", err)
			default:
			}
			end(w)
			must.Succeed(t, w.Answered(t.Context(), simulator.CallPutPart, 1))
			// A Go client does not return before its body does.
			_ = writer.Close()
			if err := <-failed; err == nil {
				t.Error("no error")
			}
			if got := w.Uploads()[0].Parts; len(got) != 0 {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestStallEndsWithItsClient(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Options{})
	m := w.begin("a.mov")
	w.Fail(simulator.Fault{Call: simulator.CallPutPart, Stall: true, StallAfter: 4})
	ctx, cancel := context.WithCancel(t.Context())
	w.Hook(simulator.CallPutPart, func(*http.Request) { cancel() })
	if _, err := w.do(w.put(m.partURL(1), "", []byte("abcd")).WithContext(ctx)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := w.Answered(t.Context(), simulator.CallPutPart, 1); err != nil {
		t.Error(err)
	}
}

func TestLatencyAndDelayInVirtualTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := simulator.New(simulator.Options{Latency: time.Minute})
		service.Fail(simulator.Fault{Delay: time.Hour, Times: 1})
		for _, want := range []time.Duration{time.Hour + time.Minute, time.Minute} {
			start := time.Now()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, regionsPath, nil)
			r.SetBasicAuth(simulator.DefaultAccessTokenID, simulator.DefaultSecretKey)
			recorder := httptest.NewRecorder()
			service.ServeHTTP(recorder, r)
			if took := time.Since(start); took != want || recorder.Code != 200 {
				t.Errorf("status %d after %s, want %s", recorder.Code, took, want)
			}
		}
	})
}

func TestJournal(t *testing.T) {
	t.Parallel()
	now := newClock()
	w := newWorld(t, simulator.Options{Clock: now.Now})
	address, _ := w.presign("a.mp4", "video/mp4")
	now.Add(time.Second)
	w.mustDo(w.put(address, "video/mp4", []byte("hello")))
	want := []simulator.Request{
		{
			Call: simulator.CallPresignURL, Method: "POST", Path: "/vod/v1/customer/presign-url", Status: 200,
			Body: []byte(`{"content_type":"video/mp4","file_name":"a.mp4"}`), BodyBytes: 48, At: now.Now().Add(-time.Second),
		},
		{Call: simulator.CallPutObject, Method: "PUT", Status: 200, BodyBytes: 5, At: now.Now()},
	}
	_, query := queryOf(t, address)
	got := w.Journal()
	if diff := cmp.Diff(query, got[1].Query); diff != "" {
		t.Error(diff)
	}
	if got[0].Header.Get("Authorization") != simulator.DefaultIDToken || got[1].Header.Get("Content-Length") == "" && got[1].Path == "" {
		t.Errorf("%+v", got)
	}
	for i := range got {
		got[i].Header, got[i].Query = nil, nil
	}
	got[1].Path = ""
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b simulator.Request) bool {
		return a.Call == b.Call && a.Method == b.Method && a.Path == b.Path && a.Status == b.Status && string(a.Body) == string(b.Body) &&
			a.BodyBytes == b.BodyBytes && a.At.Equal(b.At)
	})); diff != "" {
		t.Error(diff)
	}
	if w.Count(simulator.CallPutObject) != 1 || w.Count(simulator.CallBatch) != 0 {
		t.Error("counts")
	}
	w.ResetJournal()
	if len(w.Journal()) != 0 || w.Count(simulator.CallPutObject) != 0 || len(w.Objects()) != 1 {
		t.Error("not reset, or more than that")
	}
}
