package simulator_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

const regionsPath = "/live/v1/regions"

func TestFaultAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault   simulator.Fault
		status  int
		body    string
		header  [2]string
		created int
		named   string
	}{
		"status": {
			simulator.Fault{Status: 503, Body: `{"x":1}`, Header: http.Header{"Retry-After": {"7"}}},
			503, `{"x":1}`,
			[2]string{"Retry-After", "7"},
			0, "status 503",
		},
		"HTML":               {simulator.Fault{Status: 502, Body: "<html>bad gateway</html>"}, 502, "bad gateway", [2]string{"Content-Type", "text/html; charset=utf-8"}, 0, "status 502"},
		"status, processed":  {simulator.Fault{Status: 504, Processed: true}, 504, "", [2]string{"Content-Type", ""}, 1, "status 504"},
		"HTML for a success": {simulator.Fault{Body: "<html>hello</html>"}, 201, "<html>hello</html>", [2]string{"Content-Type", "text/html; charset=utf-8"}, 1, "body"},
		"header":             {simulator.Fault{Header: http.Header{"x-more": {"1"}, "X-Request-Id": nil}}, 201, `"id"`, [2]string{"X-Request-Id", ""}, 1, "header"},
		"rewrite": {
			simulator.Fault{Rewrite: func(b []byte) []byte { return append([]byte(`{"new":1,`), b[1:]...) }},
			201, `{"new":1,"data"`,
			[2]string{"Content-Type", "application/json"},
			1, "body",
		},
		"delay": {simulator.Fault{Delay: time.Nanosecond}, 201, `"id"`, [2]string{}, 1, "delay"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simulator.Options{})
			w.Fail(c.fault)
			got := w.mustDo(w.live(http.MethodPost, sessionPath, body(nil)))
			wantStatus(t, got, c.status, c.body)
			if c.header[0] != "" && got.header.Get(c.header[0]) != c.header[1] {
				t.Errorf("%s: %q", c.header[0], got.header.Get(c.header[0]))
			}
			if made := len(w.Sessions()); made != c.created {
				t.Errorf("%d sessions", made)
			}
			if entry := w.Journal()[0]; entry.Fault != c.named || entry.Status != c.status || !strings.Contains(string(entry.Body), `"keynote"`) {
				t.Errorf("%+v", entry)
			}
		})
	}
}

func TestFaultConnections(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault   simulator.Fault
		half    bool
		created int
		named   string
	}{
		"before":           {simulator.Fault{BreakBefore: true}, false, 0, "break before"},
		"after":            {simulator.Fault{BreakAfter: true}, false, 1, "break after"},
		"truncated":        {simulator.Fault{Truncate: true}, true, 1, "truncate"},
		"truncated status": {simulator.Fault{Truncate: true, Status: 500, Body: "0123456789"}, true, 0, "truncate"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simulator.Options{})
			c.fault.Times = 1
			w.Fail(c.fault)
			got, err := w.do(w.live(http.MethodPost, sessionPath, body(nil)))
			if err == nil {
				t.Error("no error")
			}
			if half := len(got.body) > 0 && errors.Is(err, io.ErrUnexpectedEOF); half != c.half {
				t.Errorf("%d bytes, %v", len(got.body), err)
			}
			if made := len(w.Sessions()); made != c.created {
				t.Errorf("%d sessions", made)
			}
			if entry := w.Journal()[0]; entry.Fault != c.named {
				t.Errorf("%+v", entry)
			}
			wantStatus(t, w.mustDo(w.live(http.MethodPost, sessionPath, body(nil))), 201, "")
		})
	}
}

func TestTruncatedEmptyAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Options{})
	address, _ := w.presign("a.mp4", "video/mp4")
	w.Fail(simulator.Fault{Call: simulator.CallPutObject, Truncate: true})
	if got, err := w.do(w.put(address, "video/mp4", []byte("x"))); !errors.Is(err, io.ErrUnexpectedEOF) || got.status != 200 {
		t.Errorf("%v, %+v", err, got)
	}
}

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
	r := w.live(http.MethodGet, sessionPath, nil)
	r.Header.Set("X-Hit", "1")
	wantStatus(t, w.mustDo(r), 429, "")
	w.ClearFaults()
	wantStatus(t, w.mustDo(r), 200, "")
}

func TestFaultsOfAPut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Options{})
	m := w.begin("a.mov")
	content := random(1, 8*mib)
	address := m.partURL(1)
	w.Fail(simulator.Fault{Call: simulator.CallPutPart, Times: 1, Status: 500, Body: "<Error/>"})
	wantStatus(t, w.mustDo(w.put(address, "", content)), 500, "<Error/>")
	w.Fail(simulator.Fault{Call: simulator.CallPutPart, Times: 1, Header: http.Header{"ETag": {`"0"`}}})
	if got := w.mustDo(w.put(address, "", content)); got.status != 200 || got.header.Get("Etag") != `"0"` {
		t.Errorf("%+v", got)
	}
	w.Fail(simulator.Fault{Call: simulator.CallPutPart, Times: 1, BreakAfter: true})
	if _, err := w.do(w.put(address, "", content)); err == nil {
		t.Error("answered")
	}
	read := []int64{}
	for _, entry := range w.Journal() {
		if entry.Call == simulator.CallPutPart {
			read = append(read, entry.BodyBytes)
		}
	}
	if diff := cmp.Diff([]int64{8 * mib, 8 * mib, 8 * mib}, read); diff != "" {
		t.Error(diff)
	}
	if got := w.Uploads()[0].Parts; len(got) != 1 || got[0].SHA256 != shaOf(content) {
		t.Errorf("%+v", got)
	}
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
			if err := hold.Arrived(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
			hold.Release()
			select {
			case err := <-failed:
				t.Fatalf("ended before its time: %v", err)
			default:
			}
			end(w)
			if err := w.Answered(t.Context(), simulator.CallPutPart, 1); err != nil {
				t.Fatal(err)
			}
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

func TestDelayEndsWithItsClient(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Options{})
	w.Fail(simulator.Fault{Delay: 24 * time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	w.Hook("", func(*http.Request) { cancel() })
	if _, err := w.do(w.live(http.MethodPost, sessionPath, body(nil)).WithContext(ctx)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := w.Answered(t.Context(), simulator.CallCreateSession, 1); err != nil {
		t.Error(err)
	}
	if made := len(w.Sessions()); made != 0 {
		t.Errorf("%d sessions", made)
	}
}

func TestHookAndHold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Options{})
	var mu sync.Mutex
	var hooked []string
	remove := w.Hook(simulator.CallGetSession, func(r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		hooked = append(hooked, r.URL.Path)
	})
	first, second := w.AddSession(simulator.SessionRecord{}), w.AddSession(simulator.SessionRecord{})
	hold := w.Hold(simulator.CallGetSession, func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, second) })
	w.statusOf(first)
	held := make(chan string)
	go func() { held <- w.statusOf(second) }()
	if err := hold.Arrived(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	// Nothing of the request has been processed: what happens now is what it sees.
	w.SetStatus(second, "ERROR")
	remove()
	hold.Release()
	if got := <-held; got != "ERROR" {
		t.Error(got)
	}
	w.statusOf(second)
	if diff := cmp.Diff([]string{sessionPath + "/" + first, sessionPath + "/" + second}, hooked); diff != "" {
		t.Error(diff)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := hold.Arrived(cancelled, 2); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := w.Answered(cancelled, simulator.CallBatch, 1); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestHookBreaksConnection(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Options{})
	w.Hook(simulator.CallRegions, func(*http.Request) { panic(http.ErrAbortHandler) })
	if _, err := w.do(w.live(http.MethodGet, regionsPath, nil)); err == nil {
		t.Error("answered")
	}
	if err := w.Answered(t.Context(), simulator.CallRegions, 1); err != nil {
		t.Error(err)
	}
}

func TestCloseEndsHeldRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Options{})
	hold := w.Hold("", nil)
	failed := make(chan error)
	go func() {
		_, err := w.do(w.live(http.MethodGet, regionsPath, nil))
		failed <- err
	}()
	if err := hold.Arrived(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; err == nil {
		t.Error("answered")
	}
	hold.Release()
	if _, err := w.do(w.live(http.MethodGet, regionsPath, nil)); err == nil {
		t.Error("a closed service answered")
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
