package transfer

import (
	"bytes"
	"encoding/hex"
	"encoding/xml"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
)

const (
	answerLimit  = 64 << 10 // bytes of a response body that are read
	messageLimit = 300      // bytes of a message that are shown in an error
)

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
func refusal(p put, resp *http.Response, text []byte) *StatusError {
	e := &StatusError{Op: p.op, Part: p.part, Status: resp.StatusCode, Attempts: 1, retryAfter: retryAfter(resp)}
	var said struct {
		XMLName xml.Name `xml:"Error"`
		Code    string
		Message string
	}
	switch {
	case xml.Unmarshal(text, &said) == nil:
		e.Code, e.Message = shown(said.Code, p.url), shown(said.Message, p.url)
	case bytes.HasPrefix(bytes.TrimSpace(text), []byte("<")):
		// An HTML page says nothing that the status does not.
	default:
		e.Message = shown(string(text), p.url)
	}
	return e
}

// shown prepares a message of storage for an error. Secrets are masked before the message is cut,
// because half of a signature would not be recognised.
func shown(s, address string) string { return limited(withoutSecrets(flat(s), address)) }

func oneLine(s string) string { return limited(flat(s)) }

func flat(s string) string {
	s = strings.ToValidUTF8(s, "")
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

func limited(s string) string {
	if len(s) > messageLimit {
		s = strings.ToValidUTF8(s[:messageLimit], "") + "…"
	}
	return s
}

// withoutSecrets masks the presigned query of an address, which storage may repeat.
func withoutSecrets(s, address string) string {
	u, err := url.Parse(address)
	if err != nil || u.RawQuery == "" {
		return s
	}
	s = strings.ReplaceAll(s, u.RawQuery, "***")
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		_, raw, _ := strings.Cut(pair, "=")
		plain, _ := url.QueryUnescape(raw)
		for _, secret := range []string{raw, plain} {
			// Shorter values are dates, versions and part numbers, not secrets.
			if len(secret) >= 16 {
				s = strings.ReplaceAll(s, secret, "***")
			}
		}
	}
	return s
}

// retryAfter returns the Retry-After of a response, which is in seconds or a date.
func retryAfter(resp *http.Response) time.Duration {
	v := strings.TrimSpace(resp.Header.Get("Retry-After"))
	if v == "" {
		return 0
	}
	if s, err := strconv.ParseInt(v, 10, 32); err == nil {
		return time.Duration(max(s, 0)) * time.Second
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
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
