package wire_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire"
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

func TestLogLines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log safeBuffer
		ctx := tflogtest.RootLogger(t.Context(), &log)
		service := wiretest.InTurn(wiretest.With(503, "<html>busy</html>", "Content-Type", "text/html; charset=utf-8"),
			wiretest.With(200, `{"Sessions":[{"id":"s-1","name":"n\u202e\u200b","input_endpoint_a":"rtmp://in/app/HIDDEN","port":1}],"LastEvaluatedKey":{"id":"i"}}`, "X-Request-Id", "r-1"))
		must.Succeed(t, newClient(t, config(service)).get(ctx))
		lines, err := tflogtest.MultilineJSONDecode(&log.Buffer)
		must.Succeed(t, err)
		var got []string
		for _, line := range lines {
			var text strings.Builder
			fmt.Fprintf(&text, "%v %v", line["@level"], line["@message"])
			for _, key := range []string{"method", "path", "status", "bytes", "duration_ms", "attempt", "request_id", "error", "body"} {
				if v, ok := line[key]; ok {
					fmt.Fprintf(&text, " %s=%v", key, v)
				}
			}
			got = append(got, text.String())
		}
		const path = "path=/edge/things"
		want := []string{
			"trace request body method=GET " + path + " body=none",
			"debug request to the service method=GET " + path + " status=503 bytes=17 duration_ms=0 attempt=1",
			"trace response body method=GET " + path + " status=503 body=17 bytes of text/html, not JSON",
			"trace request body method=GET " + path + " body=none",
			"debug request to the service method=GET " + path + " status=200 bytes=131 duration_ms=0 attempt=2 request_id=r-1",
			"trace response body method=GET " + path + ` status=200 body={"LastEvaluatedKey":{"id":"i"},"Sessions":[{"id":"s-1","input_endpoint_a":"***","name":"n\u202e\u200b","port":1}]}`,
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// TestLogOfWhatIsNotShown: the body of a success that is not what was asked for may have secrets
// that no Redactor knows, and so may a refusal.
func TestLogOfWhatIsNotShown(t *testing.T) {
	t.Parallel()
	for status, shown := range map[int]bool{200: false, 400: true} {
		var log safeBuffer
		ctx := tflogtest.RootLogger(t.Context(), &log)
		c := newClient(t, config(wiretest.Always(status, `{"note":"HIDDEN"}`)))
		call := wire.Call{Endpoint: c.live, Method: http.MethodGet, Path: "/things", Shown: func([]byte) bool { return shown }}
		_ = c.do(ctx, call) // whose outcome does not matter
		if text := log.String(); strings.Contains(text, "HIDDEN") || !strings.Contains(text, wire.Withheld) {
			t.Errorf("status %d: the log shows it, or does not say why it is missing:\n%s", status, text)
		}
	}
}

// TestLogWithoutLogger makes a call with a context that has no logger.
func TestLogWithoutLogger(t *testing.T) {
	t.Parallel()
	must.Succeed(t, newClient(t, config(wiretest.Always(200, `{"data":[]}`))).get(context.Background()))
}
