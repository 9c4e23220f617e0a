package api_test

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire/wiretest"
)

// messageOf is what an error says of the body of a refusal.
func messageOf(t testing.TB, contentType, body string) string {
	t.Helper()
	c := config(wiretest.Always(400, body, "Content-Type", contentType))
	c.MaxRetries = 0
	_, err := newClient(t, c).Regions(t.Context())
	return asError(t, err).Message
}

func TestErrorMessagesAreBounded(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"text":        strings.Repeat("wort ", 1<<20),
		"one word":    strings.Repeat("x", 2000),
		"wide":        strings.Repeat("é😀", 2000),
		"JSON":        `{"message":"` + strings.Repeat("long ", 5000) + `"}`,
		"many errors": `{"errors":[` + strings.Repeat(`{"message":"no"},`, 3000) + `{}]}`,
		"deep":        strings.Repeat(`{"error":`, 5000) + `"x"` + strings.Repeat("}", 5000),
		"open tags":   strings.Repeat("<a", 40000),
		"comments":    strings.Repeat("<!--", 30000),
	} {
		got := messageOf(t, "text/plain", body)
		if n := utf8.RuneCountInString(got); n > 500 || !utf8.ValidString(got) {
			t.Errorf("%s: %d characters: %q", name, n, got)
		}
	}
	if got := messageOf(t, "text/plain", strings.Repeat("wort ", 1000)); !strings.HasSuffix(got, "…") {
		t.Errorf("got %q", got)
	}
}

// TestStreamKeysOfTheCall has a refusal that quotes a part of a source or destination.
func TestStreamKeysOfTheCall(t *testing.T) {
	t.Parallel()
	for _, quoted := range []string{"live/k3y-of-a?auth=q7-a", "live/k3y-of-a", "k3y-of-a", "auth=q7-a", "rtmp://joe:pw77@in-a.example.com/live/k3y-of-a?auth=q7-a", "joe:pw77", "app/k3y-of-b", "k3y-of-b", "k3y-of-c", "k3y-of-d"} {
		service := wiretest.Always(400, `{"message":"the stream '`+quoted+`' is not valid"}`)
		_, err := newClient(t, config(service)).CreateSession(t.Context(), api.SessionSpec{
			"name": "n", "input_source_a": "rtmp://joe:pw77@in-a.example.com/live/k3y-of-a?auth=q7-a", "input_source_b": "rtmps://in-b.example.com/app/k3y-of-b",
			"output_destination_a": "rtmp://out-a.example.com/app/k3y-of-c", "output_destination_b": "rtmp://out-b.example.com/app/k3y-of-d",
		})
		for _, secret := range []string{"k3y", "q7-a", "pw77"} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%s: %v", quoted, err)
			}
		}
	}
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	service := wiretest.Always(400, `{"message":"region \"x\" is not allocated"}`, "X-Amzn-RequestId", "abc")
	_, err := newClient(t, config(service)).CreateSession(t.Context(), api.SessionSpec{"region": "x"})
	want := `creating the live session failed: POST https://live.example.com/edge/live/v1/live-streams/session: 400 Bad Request: region "x" is not allocated (request id abc)`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if e := asError(t, err); e.Unwrap() != nil || e.MayHaveBeenProcessed {
		t.Errorf("got %+v", e)
	}
	// A wrapped one is found, and an error of another kind is neither.
	if wrapped := errors.Join(io.EOF, &api.Error{Status: 404, MayHaveBeenProcessed: true}); !api.NotFound(wrapped) || !api.MayHaveBeenProcessed(wrapped) {
		t.Error("not found in a joined error")
	}
	twice := &api.Error{Status: 404, Address: "https://live.example.com/live/v1/live/v1/live-streams/session/s-1"} // says nothing of the session
	if api.NotFound(io.EOF) || api.NotFound(twice) || api.MayHaveBeenProcessed(nil) {
		t.Error("found where there is none")
	}
	for _, test := range []struct {
		err  *api.Error
		want string
	}{
		{&api.Error{Attempted: "listing the regions", Method: "GET", Address: "https://h/x", Status: 418, Attempts: 1}, "listing the regions failed: GET https://h/x: 418 I'm a teapot"},
		{&api.Error{Attempted: "listing the regions", Method: "GET", Address: "https://h/x", Status: 599, Attempts: 3, RequestID: "r"}, "listing the regions failed: GET https://h/x: 599 (3 attempts, request id r)"},
		{&api.Error{Attempted: "listing the regions", Err: errors.New("not configured")}, "listing the regions failed: not configured"},
	} {
		if got := test.err.Error(); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

func TestRequestIDs(t *testing.T) {
	t.Parallel()
	for _, header := range []string{"X-Request-Id", "x-amzn-RequestId", "X-Amz-Request-Id", "X-Amz-Cf-Id", "CF-Ray"} {
		_, err := newClient(t, config(wiretest.Always(400, "", header, " id-7\x01 "))).Regions(t.Context())
		if e := asError(t, err); e.RequestID != "id-7" {
			t.Errorf("%s: got %q", header, e.RequestID)
		}
	}
	_, err := newClient(t, config(wiretest.Always(400, "", "X-Request-Id", strings.Repeat("x", 4000)+testSecret))).Regions(t.Context())
	if e := asError(t, err); len(e.RequestID) > 128 {
		t.Errorf("%d characters", len(e.RequestID))
	}
}

// TestErrorsOfTheTransportAreMasked returns an error as net/http makes it, with a whole URL.
func TestErrorsOfTheTransportAreMasked(t *testing.T) {
	t.Parallel()
	inner := errors.New("proxy said: Authorization: " + testToken)
	service := &wiretest.Service{Answer: func(_ int, r *http.Request) (*http.Response, error) {
		return nil, &url.Error{Op: "Post", URL: r.URL.String() + "?X-Amz-Signature=HIDDEN", Err: inner}
	}}
	c := config(service)
	c.MaxRetries = 0
	_, err := newClient(t, c).SubmitBatch(t.Context(), api.Batch{Paths: []string{"k"}, ServiceModes: []string{"m"}})
	want := "submitting the batch job failed: POST https://vod.example.com/v1/local/batch: connection broken after the request was sent: proxy said: Authorization: ***"
	if err == nil || err.Error() != want || !errors.Is(err, inner) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if quoting, ok := errors.AsType[*url.Error](err); ok {
		t.Errorf("the chain holds %v", quoting)
	}
}
