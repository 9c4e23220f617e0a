package api_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire/wiretest"
)

// safeBuffer may be written to by calls in parallel.
type safeBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

// TestNothingLeaks ends every call in every way, with a service that repeats whatever it is sent,
// and searches the log and the errors for every secret.
func TestNothingLeaks(t *testing.T) {
	t.Parallel()
	const streamKey, signature = "str3am-k3y", "s1gnature/+f00"
	const accessKey, stringToSign, provided = "AKIAIOSFODNN7EXAMPLE", "AWS4-HMAC-SHA256 20261101T000000Z", "aXhq0VzyJ7kQWbqS3gCk3fYpS8U="
	secrets := []string{testTokenID, testSecret, testToken, testTokenID + ":" + testSecret, streamKey, signature, accessKey, stringToSign, provided}
	for _, secret := range secrets {
		// A log line is JSON, and a body in it once more.
		escaped := inJSON(t, secret)
		secrets = append(secrets, escaped, inJSON(t, escaped), url.QueryEscape(secret), url.PathEscape(secret),
			base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret)))
	}
	presigned := "https://st.example.com/b/k?X-Amz-Credential=c&X-Amz-Signature=" + url.QueryEscape(signature)
	full := `{"message":"ok","data":{"id":"s-1","fileKeyPath":"vod/input/c/u/k","key_path":"vod/input/c/u/k","upload_id":"u","presigned_url":"` + presigned + `","url":"` + presigned + `",` +
		`"input_endpoint_a":"rtmp://in/app/` + streamKey + `","outputEndpointB":"rtmp://o/` + streamKey + `","note":"play rtmps://o.example.com/app/` + streamKey + ` now","Key":"k"}}`
	reflect := func(r *http.Request) string {
		var all strings.Builder
		fmt.Fprintf(&all, "you sent %s %s", r.Method, r.URL)
		for name, values := range r.Header {
			fmt.Fprintf(&all, " %s: %s", name, strings.Join(values, ","))
		}
		if r.GetBody != nil {
			body, err := r.GetBody()
			if err == nil {
				_, _ = io.Copy(&all, body)
			}
		}
		if user, password, ok := r.BasicAuth(); ok {
			fmt.Fprintf(&all, " (%s and %s)", user, password)
		}
		fmt.Fprintf(&all, " and may PUT %s or push rtmp://in.example.com/app/%s", presigned, streamKey)
		return all.String()
	}
	answers := map[string]func(*http.Request) (*http.Response, error){
		"success":      wiretest.With(200, full),
		"no wrapper":   wiretest.With(200, `{"id":"s-1","output_mode":{"a":"`+streamKey+`","b":"`+testSecret+`"}}`),
		"wrong shape":  wiretest.With(200, `{"`+inJSON(t, testSecret)+`":{"presigned_url":"`+presigned+`"}}`),
		"cut":          wiretest.With(200, full[:len(full)-9]),
		"refused":      func(r *http.Request) (*http.Response, error) { return wiretest.Response(400, reflect(r)), nil },
		"refused HTML": func(r *http.Request) (*http.Response, error) { return wiretest.Response(403, "<p>"+reflect(r)), nil },
		"refused JSON": func(r *http.Request) (*http.Response, error) {
			return wiretest.Response(422, fmt.Sprintf(`{"error":{"message":%q}}`, reflect(r))), nil
		},
		"unauthorized": func(r *http.Request) (*http.Response, error) { return wiretest.Response(401, reflect(r)), nil },
		"request id": func(r *http.Request) (*http.Response, error) {
			return wiretest.Response(400, "", "X-Request-Id", r.Header.Get("Authorization"), "Content-Type", r.Header.Get("Authorization")), nil
		},
		"storage XML": wiretest.With(403, `<?xml version="1.0"?><Error><Code>SignatureDoesNotMatch</Code><Message>The signature does not match.</Message>`+
			`<AWSAccessKeyId>`+accessKey+`</AWSAccessKeyId><StringToSign>`+stringToSign+`</StringToSign>`+
			`<SignatureProvided>`+provided+`</SignatureProvided></Error>`, "Content-Type", "application/xml"),
		"redirect": wiretest.With(302, "", "Location", "https://joe:"+testToken+"@evil.example.com/"+url.PathEscape(testSecret)+"?X-Amz-Signature="+signature),
		"transport": func(r *http.Request) (*http.Response, error) {
			return nil, &url.Error{Op: r.Method, URL: presigned, Err: fmt.Errorf("cannot send %s", reflect(r))}
		},
	}
	for _, call := range calls {
		for name, answer := range answers {
			t.Run(call.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				var log safeBuffer
				ctx := tflogtest.RootLogger(t.Context(), &log)
				c := config(wiretest.InTurn(answer))
				c.MaxRetries, c.Token = 0, &wiretest.TokenSource{Tokens: []string{testToken}}
				client := newClient(t, c)
				err := call.run(ctx, client)
				_, second := client.CreateSession(ctx, api.SessionSpec{"name": "n", "input_source_a": "rtmp://in.example.com/app/" + streamKey})
				var texts strings.Builder
				texts.WriteString(log.String())
				for _, err := range []error{err, second} {
					if err != nil {
						fmt.Fprintf(&texts, "%v %+v", err, err)
					}
				}
				for _, secret := range secrets {
					if i := strings.Index(texts.String(), secret); i >= 0 {
						t.Errorf("%q shows in …%.200s…", secret, texts.String()[max(0, i-100):])
					}
				}
				if !strings.Contains(log.String(), `"@level":"trace"`) {
					t.Error("nothing was logged at TRACE")
				}
			})
		}
	}
}

// inJSON is a text as it is inside a JSON string.
func inJSON(t *testing.T, s string) string {
	t.Helper()
	quoted, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Trim(string(quoted), `"`)
}
