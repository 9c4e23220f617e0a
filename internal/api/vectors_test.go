package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire"
)

// transport answers every request alike.
type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

func answer(status int, body string) transport {
	return func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, nil
	}
}

func newClient(t transport) *api.Client {
	return api.New(api.Config{
		LiveBaseURL: "https://live.example.com/edge", VODBaseURL: "https://vod.example.com", AccessTokenID: "token-id", SecretKey: "secret-key",
		Token: credential.StaticToken("id-token"), TokenOrigin: "`id_token`", Config: wire.Config{MaxRetries: 3, Transport: t},
	})
}

// calls are the nine calls of the service, but for the PUTs.
var calls = map[string]struct {
	request string // method, path and body
	changes bool   // the service may have processed a call that fails with 5xx
	make    func(context.Context, *api.Client) (any, error)
}{
	"regions": {"GET /edge/live/v1/regions ", false, func(ctx context.Context, c *api.Client) (any, error) { return c.Regions(ctx) }},
	"create": {`POST /edge/live/v1/live-streams/session {"name":"n"}`, true, func(ctx context.Context, c *api.Client) (any, error) {
		return c.CreateSession(ctx, api.SessionSpec{"name": "n"})
	}},
	"get": {"GET /edge/live/v1/live-streams/session/s-1 ", false, func(ctx context.Context, c *api.Client) (any, error) { return c.GetSession(ctx, "s-1") }},
	"list": {"GET /edge/live/v1/live-streams/session?id=s-0 ", false, func(ctx context.Context, c *api.Client) (any, error) {
		page, err := c.ListSessions(ctx, api.Cursor{"id": "s-0"})
		if err != nil {
			return nil, err
		}
		return struct {
			Sessions []api.Session
			Next     api.Cursor
		}{page.Sessions, page.Next}, nil
	}},
	"presign": {`POST /vod/v1/customer/presign-url {"file_name":"a.mp4","content_type":"video/mp4"}`, true, func(ctx context.Context, c *api.Client) (any, error) {
		return c.PresignUpload(ctx, api.Upload{Name: "a.mp4", ContentType: "video/mp4"})
	}},
	"multipart": {`POST /vod/v1/customer/multipart/create {"filename":"a.mp4"}`, true, func(ctx context.Context, c *api.Client) (any, error) {
		return c.CreateMultipartUpload(ctx, api.Upload{Name: "a.mp4", ContentType: "video/mp4"})
	}},
	"part": {`POST /vod/v1/customer/multipart/generate-url {"key_path":"k","part_number":7,"upload_id":"up"}`, true, func(ctx context.Context, c *api.Client) (any, error) {
		return c.PresignPart(ctx, "k", "up", 7)
	}},
	"complete": {`POST /vod/v1/customer/multipart/complete {"key_path":"k","parts":[{"part_number":1,"etag":"\"e\""}],"upload_id":"up"}`, true, func(ctx context.Context, c *api.Client) (any, error) {
		return c.CompleteMultipartUpload(ctx, "k", "up", []api.CompletedPart{{Number: 1, ETag: `"e"`}})
	}},
	"batch": {`POST /v1/local/batch {"paths":["k"],"service_modes":["video_optimizer"]}`, true, func(ctx context.Context, c *api.Client) (any, error) {
		return c.SubmitBatch(ctx, api.Batch{Paths: []string{"k"}, ServiceModes: []string{"video_optimizer"}})
	}},
}

// TestVectors reads the responses in testdata/vectors.txt.
func TestVectors(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("testdata/vectors.txt")
	if err != nil {
		t.Fatal(err)
	}
	name, tried := "", map[string]bool{}
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSuffix(line, "\n")
		columns := strings.Split(line, "\t")
		if _, isCall := calls[line]; isCall {
			name, tried[line] = line, true
		}
		if len(columns) != 3 || strings.HasPrefix(line, "#") {
			continue
		}
		status, _ := strconv.Atoi(columns[0])
		call := name
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { read(t, call, status, columns[1], columns[2]) })
		})
	}
	if len(tried) != len(calls) {
		t.Errorf("%d calls were tried", len(tried))
	}
}

// read makes a call, which gets a response, and compares what it returns.
func read(t *testing.T, call string, status int, body, want string) {
	t.Helper()
	got, err := calls[call].make(t.Context(), newClient(answer(status, body)))
	words, fails := strings.CutPrefix(want, "! ")
	if !fails {
		text, _ := json.Marshal(got)
		if err != nil || string(text) != want {
			t.Errorf("got  %s, %v\nwant %s", text, err, want)
		}
		return
	}
	e, ok := errors.AsType[*api.Error](err)
	if !ok {
		t.Fatalf("got %v, %v, want %s", got, err, want)
	}
	if e.StorageCode != "" {
		if code := "(" + e.StorageCode + ")"; strings.HasSuffix(words, code) {
			words = strings.TrimSuffix(words, " "+code)
		} else {
			t.Errorf("the code of storage is %s", code)
		}
	}
	if !strings.Contains(err.Error(), words) || strings.Contains(err.Error(), "hidden") {
		t.Errorf("got  %v\nwant %s", err, words)
	}
	undone := e.StorageCode != "" || status/100 == 4
	if e.MayHaveBeenProcessed != (calls[call].changes && !undone) {
		t.Errorf("may have been processed: %t", e.MayHaveBeenProcessed)
	}
	if notShown := status == 404 || status/100 == 2 && !e.MayPass; api.NotShown(err) != notShown || api.NotFound(err) != (status == 404) {
		t.Errorf("not shown: %t", api.NotShown(err))
	}
}

// TestRequests is what each call sends.
func TestRequests(t *testing.T) {
	t.Parallel()
	for name, call := range calls {
		var got, authorization string
		_, _ = call.make(t.Context(), newClient(func(r *http.Request) (*http.Response, error) {
			body, _ := io.ReadAll(r.Body)
			got, authorization = r.Method+" "+r.URL.RequestURI()+" "+string(body), r.Header.Get("Authorization")
			return answer(400, "")(r)
		}))
		want := "id-token"
		if strings.Contains(call.request, "/live/v1/") {
			want = "Basic dG9rZW4taWQ6c2VjcmV0LWtleQ=="
		}
		if got != call.request || authorization != want {
			t.Errorf("%s: got %s with %s\nwant %s with %s", name, got, authorization, call.request, want)
		}
	}
}

// TestIDs: an id is one segment of a path, whatever it looks like.
func TestIDs(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{"a/b?c#d%": "/edge/live/v1/live-streams/session/a%2Fb%3Fc%23d%25", "..": "", " ": "", "": ""} {
		path := ""
		_, err := newClient(func(r *http.Request) (*http.Response, error) {
			path = r.URL.EscapedPath()
			return answer(404, "")(r)
		}).GetSession(t.Context(), id)
		if err == nil || path != want {
			t.Errorf("%q: asked for %q, %v", id, path, err)
		}
	}
}

// TestStreamKeysAreMasked: those that were sent, and those that were received.
func TestStreamKeysAreMasked(t *testing.T) {
	t.Parallel()
	bodies := []string{`{"id":"s-1","input_endpoint_a":"rtmp://h/live/key-received"}`, `{"message":"key-sent and key-received of s-1"}`}
	c := newClient(func(r *http.Request) (*http.Response, error) {
		body := bodies[0]
		bodies = bodies[1:]
		return answer(200+200*(1-len(bodies)), body)(r)
	})
	_, err := c.CreateSession(t.Context(), api.SessionSpec{"output_destination_a": "rtmp://h/live/key-sent"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.GetSession(t.Context(), "s-1"); err == nil || !strings.Contains(err.Error(), "400 Bad Request: *** and *** of s-1") {
		t.Errorf("got %v", err)
	}
}

func TestMisconfigured(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]bool{401: true, 403: true, 404: false, 400: false} {
		if _, err := newClient(answer(status, "")).Regions(t.Context()); api.Misconfigured(err) != want {
			t.Errorf("%d: %v", status, err)
		}
	}
}
