package api_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
)

const (
	testTokenID = "AKID-5f2c9d/+x"
	testSecret  = `s3cr&t/"k<y>+%`
	testToken   = "id-token-Zm9vYmFy/8271"
	liveBase    = "https://live.example.com/edge"
	vodBase     = "https://vod.example.com"
)

// sent is a request as a fake transport saw it.
type sent struct {
	Method, URL, Path string
	Header            http.Header
	Body              string
	At                time.Time
}

// fakeService answers requests in memory.
type fakeService struct {
	mu     sync.Mutex
	seen   []sent
	answer func(n int, r *http.Request) (*http.Response, error) // n from 1
}

func (f *fakeService) RoundTrip(r *http.Request) (*http.Response, error) {
	s := sent{Method: r.Method, URL: r.URL.String(), Path: r.URL.EscapedPath(), Header: r.Header.Clone(), At: time.Now()}
	if r.Body != nil {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		s.Body = string(b)
		_ = r.Body.Close()
	}
	f.mu.Lock()
	f.seen = append(f.seen, s)
	n := len(f.seen)
	f.mu.Unlock()
	return f.answer(n, r)
}

func (f *fakeService) requests() []sent {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]sent(nil), f.seen...)
}

// response makes an answer; header holds pairs of name and value.
func response(status int, body string, header ...string) *http.Response {
	h := http.Header{"Content-Type": {"application/json"}}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}
}

// always answers the same.
func always(status int, body string, header ...string) *fakeService {
	return &fakeService{answer: func(int, *http.Request) (*http.Response, error) {
		return response(status, body, header...), nil
	}}
}

// inTurn gives one answer after the other, the last for ever.
func inTurn(answers ...func(*http.Request) (*http.Response, error)) *fakeService {
	return &fakeService{answer: func(n int, r *http.Request) (*http.Response, error) {
		return answers[min(n, len(answers))-1](r)
	}}
}

func with(status int, body string, header ...string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) { return response(status, body, header...), nil }
}

func failing(err error) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

// hanging answers when the request's context ends.
func hanging(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// breakingOff answers with a body that ends too early.
func breakingOff(status int, body string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		res := response(status, "")
		res.Body = io.NopCloser(io.MultiReader(strings.NewReader(body), brokenReader{}))
		res.ContentLength = int64(len(body)) + 10
		return res, nil
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

var errRefused = &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connect: connection refused")}

// config is a complete configuration over a transport.
func config(transport http.RoundTripper) api.Config {
	return api.Config{
		LiveBaseURL: liveBase, VODBaseURL: vodBase,
		AccessTokenID: testTokenID, SecretKey: testSecret, Token: credential.StaticToken(testToken),
		MaxRetries: 3, UserAgent: "test/1", Transport: transport,
	}
}

func newClient(t testing.TB, c api.Config) *api.Client {
	t.Helper()
	client, err := api.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// calls are the nine calls of the interface, each with an answer that it takes.
var calls = []struct {
	name string
	good string
	once bool // must not be sent twice when it may have been processed
	post bool
	run  func(context.Context, *api.Client) error
}{
	{"regions", `{"data":["eu","us"]}`, false, false, func(ctx context.Context, c *api.Client) error {
		_, err := c.Regions(ctx)
		return err
	}},
	{"create-session", sessionJSON, true, true, func(ctx context.Context, c *api.Client) error {
		_, err := c.CreateSession(ctx, api.SessionSpec{Name: "n", Region: "eu"})
		return err
	}},
	{"get-session", sessionJSON, false, false, func(ctx context.Context, c *api.Client) error {
		_, err := c.GetSession(ctx, "s-1")
		return err
	}},
	{"list-sessions", `{"Sessions":[` + sessionJSON + `]}`, false, false, func(ctx context.Context, c *api.Client) error {
		_, err := c.ListSessions(ctx, nil)
		return err
	}},
	{"presign-url", `{"data":{"fileKeyPath":"vod/input/1/2/a.mp4","presigned_url":"https://st.example.com/a?X-Amz-Signature=abc"}}`, false, true, func(ctx context.Context, c *api.Client) error {
		_, err := c.PresignUpload(ctx, "a.mp4", "video/mp4")
		return err
	}},
	{"multipart-create", `{"data":{"upload_id":"u","key_path":"vod/input/1/2/a.mp4"}}`, false, true, func(ctx context.Context, c *api.Client) error {
		_, err := c.CreateMultipartUpload(ctx, "a.mp4")
		return err
	}},
	{"multipart-generate-url", `{"data":{"url":"https://st.example.com/a?partNumber=1&X-Amz-Signature=abc"}}`, false, true, func(ctx context.Context, c *api.Client) error {
		_, err := c.PresignPart(ctx, "vod/input/1/2/a.mp4", "u", 1)
		return err
	}},
	{"multipart-complete", `{"data":{"Key":"vod/input/1/2/a.mp4","ETag":"\"e-1\""}}`, false, true, func(ctx context.Context, c *api.Client) error {
		_, err := c.CompleteMultipartUpload(ctx, "vod/input/1/2/a.mp4", "u", []api.CompletedPart{{Number: 1, ETag: `"e"`}})
		return err
	}},
	{"batch", `{"data":null,"message":"submitted"}`, true, true, func(ctx context.Context, c *api.Client) error {
		_, err := c.SubmitBatch(ctx, []string{"vod/input/1/2/a.mp4"}, []string{"video_optimizer"})
		return err
	}},
}

const sessionJSON = `{"id":"s-1","region":"eu","name":"n","input":"RTMP_PUSH","mode":"NORM","output_mode":"RTMP_PULL","status":"PENDING"}`

// asError is the *api.Error that every call fails with.
func asError(t testing.TB, err error) *api.Error {
	t.Helper()
	var e *api.Error
	if !errors.As(err, &e) {
		t.Fatalf("got error %v, want an *api.Error", err)
	}
	return e
}

// quiet is for servers that are meant to fail.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }
