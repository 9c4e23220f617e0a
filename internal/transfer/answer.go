package transfer

import (
	"bytes"
	"encoding/hex"
	"encoding/xml"
	"net/http"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// answerLimit is how many bytes of a response body are read: more than a Line reads.
const answerLimit = 64<<10 + 1

// accepted reads the response to a PUT that storage accepted.
func accepted(resp *http.Response) stored {
	s := stored{etag: resp.Header.Get("ETag"), checksums: checksumsOf(resp.Header)}
	// With a key from KMS or the customer's own the ETag is not the MD5.
	s.keyed = strings.HasPrefix(strings.ToLower(resp.Header.Get("X-Amz-Server-Side-Encryption")), "aws:kms") ||
		resp.Header.Get("X-Amz-Server-Side-Encryption-Customer-Algorithm") != "" ||
		resp.Header.Get("X-Amz-Server-Side-Encryption-Customer-Key-Md5") != ""
	return s
}

// refusal makes a StatusError of a response.
func (e *Engine) refusal(p put, resp *http.Response, text []byte) *StatusError {
	refused := &StatusError{Op: p.op, Part: p.part, Status: resp.StatusCode, Attempts: 1, retryAfter: retry.After(resp.Header)}
	var said struct {
		XMLName xml.Name `xml:"Error"`
		Code    string
		Message string
	}
	switch {
	case xml.Unmarshal(text, &said) == nil:
		refused.Code, refused.Message = e.masked(p, said.Code), e.masked(p, said.Message)
	case bytes.HasPrefix(bytes.TrimSpace(text), []byte("<")):
		// An HTML page says nothing that the status does not.
	default:
		refused.Message = e.masked(p, string(text))
	}
	return refused
}

// masked returns a text of storage or of the connection to it as one line without secrets.
func (e *Engine) masked(p put, text string) string {
	return e.cfg.Redactor.Line(text, redact.PresignedSecrets(p.url)...)
}

// ETagIsMD5 reports whether the part's ETag is the MD5 of its content. It is not where storage encrypts
// with KMS.
func (p Part) ETagIsMD5() bool { return sameETag(p.ETag, p.MD5) }

// sameETag compares an ETag with an MD5. Quotes and case do not matter.
func sameETag(etag string, sum [16]byte) bool {
	s := strings.TrimSpace(etag)
	if len(s) > 2 && strings.EqualFold(s[:2], "W/") {
		s = s[2:]
	}
	return strings.EqualFold(strings.Trim(s, `"`), hex.EncodeToString(sum[:]))
}
