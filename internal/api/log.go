package api

import (
	"context"
	"fmt"
	"mime"
	"net/http"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

const (
	// bodyLogged, in bytes, is the longest body shown at TRACE.
	bodyLogged = 256 << 10
	// idLength, in characters, bounds a request id.
	idLength = 128
)

// record writes each request to the log: one line at DEBUG; at TRACE the two
// bodies, masked.
func (c *Client) record(next handler) handler {
	return func(ctx context.Context, x *exchange) (*answer, error) {
		begun, path := time.Now(), c.mask.Line(x.url.EscapedPath())
		tflog.Trace(ctx, "request body", map[string]any{
			"method": x.method, "path": path, "body": c.loggable("application/json", x.payload, x.secrets),
		})
		a, err := next(ctx, x)
		line := map[string]any{
			"method": x.method, "path": path, "attempt": x.requests,
			"duration_ms": time.Since(begun).Milliseconds(),
		}
		if a != nil {
			line["status"], line["bytes"] = a.status, len(a.body)
			if id := c.requestID(a.header); id != "" {
				line["request_id"] = id
			}
		}
		if err != nil {
			line["error"] = c.mask.With(x.secrets...).Line(err.Error())
		}
		tflog.Debug(ctx, "request to the service", line)
		if a != nil {
			tflog.Trace(ctx, "response body", map[string]any{
				"method": x.method, "path": path, "status": a.status,
				"body": c.loggable(a.header.Get("Content-Type"), a.body, x.secrets),
			})
		}
		return a, err
	}
}

// body is put into words only if the log wants it.
type body struct {
	mask    *redact.Redactor
	media   string
	content []byte
}

func (c *Client) loggable(contentType string, content []byte, secrets []string) *body {
	media, _, _ := mime.ParseMediaType(contentType)
	return &body{mask: c.mask.With(secrets...), media: media, content: content}
}

// MarshalText is called by the logger when its level is low enough.
func (b *body) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// String is the body as it may be shown: JSON with its secrets masked; of
// anything else only what it is.
func (b *body) String() string {
	size := fmt.Sprintf("%d bytes", len(b.content))
	if b.media != "" {
		size += " of " + b.mask.Line(b.media)
	}
	switch {
	case len(b.content) == 0:
		return "none"
	case len(b.content) > bodyLogged:
		return size + ", too long to be shown"
	}
	if shown, ok := b.mask.JSON(b.content); ok {
		return shown
	}
	return size + ", not JSON"
}

// requestIDs are the headers that carry a request id, the service's own first.
var requestIDs = []string{"X-Request-Id", "X-Amzn-Requestid", "X-Amz-Request-Id", "X-Amz-Cf-Id", "Cf-Ray"}

func (c *Client) requestID(h http.Header) string {
	for _, name := range requestIDs {
		if id := c.mask.Line(h.Get(name)); id != "" {
			if runes := []rune(id); len(runes) > idLength {
				id = string(runes[:idLength])
			}
			return id
		}
	}
	return ""
}
