package api_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire/wiretest"
)

const (
	testTokenID = "AKID-5f2c9d/+x"
	testSecret  = `s3cr&t/"k<y>+%`
	testToken   = "id-token-Zm9vYmFy/8271"
	liveBase    = "https://live.example.com/edge"
	vodBase     = "https://vod.example.com"
)

// config is a complete configuration over a transport.
func config(transport http.RoundTripper) api.Config {
	return api.Config{
		LiveBaseURL: liveBase, VODBaseURL: vodBase,
		AccessTokenID: testTokenID, SecretKey: testSecret, Token: credential.StaticToken(testToken),
		Config: wire.Config{MaxRetries: 3, UserAgent: "test/1", Transport: transport},
	}
}

func newClient(t testing.TB, c api.Config) *api.Client {
	t.Helper()
	for _, address := range []*string{&c.LiveBaseURL, &c.VODBaseURL} {
		if u, err := wire.ParseBaseURL(*address); err == nil {
			*address = u.String()
		}
	}
	return api.New(c)
}

// calls are all calls, each with a response that is a success.
var calls = []struct {
	name string
	live bool // of the live API
	good string
	once bool // must not be sent twice when it may have been processed
	post bool
	run  func(context.Context, *api.Client) error
}{
	{"regions", true, `{"data":["eu","us"]}`, false, false, func(ctx context.Context, c *api.Client) error {
		_, err := c.Regions(ctx)
		return err
	}},
	{"create-session", true, sessionJSON, true, true, func(ctx context.Context, c *api.Client) error {
		_, err := c.CreateSession(ctx, api.SessionSpec{"name": "n", "region": "eu"})
		return err
	}},
	{"get-session", true, sessionJSON, false, false, func(ctx context.Context, c *api.Client) error {
		_, err := c.GetSession(ctx, "s-1")
		return err
	}},
	{"list-sessions", true, `{"Sessions":[` + sessionJSON + `]}`, false, false, func(ctx context.Context, c *api.Client) error {
		_, err := c.ListSessions(ctx, nil)
		return err
	}},
	{"presign-url", false, `{"data":{"fileKeyPath":"vod/input/1/2/a.mp4","presigned_url":"https://st.example.com/a?X-Amz-Signature=abc"}}`, false, true, func(ctx context.Context, c *api.Client) error {
		_, err := c.PresignUpload(ctx, api.Upload{Name: "a.mp4", ContentType: "video/mp4"})
		return err
	}},
	{"multipart-create", false, `{"data":{"upload_id":"u","key_path":"vod/input/1/2/a.mp4"}}`, false, true, func(ctx context.Context, c *api.Client) error {
		_, err := c.CreateMultipartUpload(ctx, api.Upload{Name: "a.mp4"})
		return err
	}},
	{"multipart-generate-url", false, `{"data":{"url":"https://st.example.com/a?partNumber=1&X-Amz-Signature=abc"}}`, false, true, func(ctx context.Context, c *api.Client) error {
		_, err := c.PresignPart(ctx, "vod/input/1/2/a.mp4", "u", 1)
		return err
	}},
	{"multipart-complete", false, `{"data":{"Key":"vod/input/1/2/a.mp4","ETag":"\"e-1\""}}`, false, true, func(ctx context.Context, c *api.Client) error {
		_, err := c.CompleteMultipartUpload(ctx, "vod/input/1/2/a.mp4", "u", []api.CompletedPart{{Number: 1, ETag: `"e"`}})
		return err
	}},
	{"batch", false, `{"data":null,"message":"submitted"}`, true, true, func(ctx context.Context, c *api.Client) error {
		_, err := c.SubmitBatch(ctx, api.Batch{Paths: []string{"vod/input/1/2/a.mp4"}, ServiceModes: []string{"video_optimizer"}})
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

// once is a client that gets one answer and repeats nothing: a call that is refused because there
// are too many waits no longer than ten minutes for its turn.
func once(t testing.TB, status int, body string) *api.Client {
	t.Helper()
	c := config(wiretest.Always(status, body, "Retry-After", "86400"))
	c.MaxRetries = 0
	return newClient(t, c)
}
