package wire

import (
	"context"
	"fmt"
	"mime"
	"net/http"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

const (
	// bodyLogged, in bytes, is the longest body that is logged.
	bodyLogged = 256 << 10
	// idLength, in characters, is the length of the longest request id that is shown whole.
	idLength = 128
)

// logRequest writes each request to the log: one line at DEBUG, the two bodies, masked, at TRACE.
func (x *exchange) logRequest(ctx context.Context) (*response, error) {
	start, path := time.Now(), x.mask.Line(x.url.EscapedPath())
	tflog.Trace(ctx, "request body", map[string]any{
		"method": x.Method, "path": path, "body": &loggedBody{x.mask, "application/json", x.payload, nil},
	})
	res, err := x.send(ctx)
	line := map[string]any{
		"method": x.Method, "path": path, "attempt": x.requests,
		"duration_ms": time.Since(start).Milliseconds(),
	}
	if res != nil {
		line["status"], line["bytes"] = res.status, len(res.body)
		if id := requestID(x.mask, res.header); id != "" {
			line["request_id"] = id
		}
	}
	if err != nil {
		line["error"] = x.mask.Line(err.Error())
	}
	tflog.Debug(ctx, "request to the service", line)
	if res != nil {
		tflog.Trace(ctx, "response body", map[string]any{
			"method": x.Method, "path": path, "status": res.status,
			"body": &loggedBody{x.mask, res.header.Get("Content-Type"), res.body, func() bool { return x.withholds(res) }},
		})
	}
	return res, err
}

// Withheld stands for the text of a response that is not Shown.
const Withheld = "not shown: it may contain a stream key that is not in the state"

// withholds reports whether the body of a response is not shown.
func (x *exchange) withholds(res *response) bool {
	return x.Shown != nil && (!res.ok() || !x.Shown(res.body))
}

// loggedBody is a body in the log. The logger calls MarshalText only if its level is low enough.
type loggedBody struct {
	mask        *redact.Redactor
	contentType string
	content     []byte
	withheld    func() bool // nil: it is shown
}

// MarshalText implements encoding.TextMarshaler.
func (b *loggedBody) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// String returns JSON with its secrets masked and characters escaped that would change how it is
// shown. Of any other body it says only what it is.
func (b *loggedBody) String() string {
	size := fmt.Sprintf("%d bytes", len(b.content))
	if media, _, _ := mime.ParseMediaType(b.contentType); media != "" {
		size += " of " + b.mask.Line(media)
	}
	switch {
	case len(b.content) == 0:
		return "none"
	case b.withheld != nil && b.withheld():
		return size + ", " + Withheld
	case len(b.content) > bodyLogged:
		return size + ", too long to be shown"
	}
	if shown, ok := b.mask.JSON(b.content); ok {
		return parse.Escape(shown)
	}
	return size + ", not JSON"
}

// requestIDs are the headers that carry a request id. The service's own is the first.
var requestIDs = []string{"X-Request-Id", "X-Amzn-Requestid", "X-Amz-Request-Id", "X-Amz-Cf-Id", "Cf-Ray"}

// requestID returns the request id of a response as it may be shown, "" if there is none.
func requestID(mask *redact.Redactor, h http.Header) string {
	for _, name := range requestIDs {
		if id := []rune(mask.Line(h.Get(name))); len(id) > 0 {
			return string(id[:min(len(id), idLength)])
		}
	}
	return ""
}
