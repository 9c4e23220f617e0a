package transfer

import (
	"bytes"
	"crypto/md5" //nolint:gosec // its size only
	"encoding/hex"
	"encoding/xml"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/digest"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// answerLimit is how many bytes of a response body are read: more than a Line reads.
const answerLimit = 64<<10 + 1

// stored is what storage returned for a PUT that it accepted.
type stored struct {
	etag      string   // as the header had it; "" if there was none
	keyed     bool     // the ETag is no MD5, as its form says, or the encryption with KMS or a customer's key
	repeated  bool     // another PUT of the part failed
	checksums []string // of the content, as "crc64nvme:BASE64"
}

// accepted reads the response to a PUT that storage accepted.
func accepted(resp *http.Response) stored {
	s := stored{etag: resp.Header.Get("ETag")}
	if bareETag(s.etag) == "" {
		s.etag = ""
	}
	s.keyed = strings.HasPrefix(strings.ToLower(resp.Header.Get("X-Amz-Server-Side-Encryption")), "aws:kms") ||
		resp.Header.Get("X-Amz-Server-Side-Encryption-Customer-Algorithm") != "" ||
		resp.Header.Get("X-Amz-Server-Side-Encryption-Customer-Key-Md5") != "" ||
		len(bareETag(s.etag)) != 2*md5.Size
	for _, algorithm := range digest.Algorithms {
		if v := strings.TrimSpace(resp.Header.Get("X-Amz-Checksum-" + algorithm.Name)); v != "" {
			s.checksums = append(s.checksums, algorithm.Name+":"+v)
		}
	}
	return s
}

// isDocument reports whether the body of a response is HTML or XML. Storage sends neither when it
// has stored the content of a PUT: a proxy has answered with a page, or S3 with an error and the
// status 200.
func isDocument(resp *http.Response, text []byte) bool {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return bytes.HasPrefix(text, []byte("<")) || len(text) > 0 && strings.HasSuffix(media, "html")
}

// refusal makes a StatusError of a response.
func refusal(op string, part int, resp *http.Response, text []byte, mask func(string) string) *StatusError {
	e := &StatusError{failedPut: failedPut{Op: op}, Part: part, Status: resp.StatusCode, retryAfter: retry.After(resp.Header)}
	var said struct {
		XMLName xml.Name `xml:"Error"`
		Code    string
		Message string
	}
	switch {
	case xml.Unmarshal(text, &said) == nil:
		e.Code, e.Message = mask(said.Code), mask(said.Message)
	case isDocument(resp, text):
		if resp.StatusCode < 300 { // otherwise a page says nothing that the status does not
			e.Message = "a page, with which storage accepts no content: a proxy or a filter has answered"
		}
	case resp.Header.Get("Content-Encoding") != "":
		e.Message = "a text that is encoded with " + mask(resp.Header.Get("Content-Encoding"))
	default:
		e.Message = mask(string(text))
	}
	return e
}

// unsent returns the headers for which the address of a request is signed, and which the request
// does not have, and the checksums that the address fixes.
func unsent(req *http.Request) (names []string) {
	query := req.URL.Query()
	for name := range strings.SplitSeq(query.Get("X-Amz-SignedHeaders"), ";") {
		if name != "" && name != "host" && name != "content-length" && req.Header.Get(name) == "" {
			names = append(names, name)
		}
	}
	for name := range query {
		if lower := strings.ToLower(name); strings.HasPrefix(lower, "x-amz-checksum-") {
			names = append(names, lower)
		}
	}
	slices.Sort(names)
	return names
}

// sameETag compares an ETag with an MD5. Quotes and case do not matter.
func sameETag(etag string, sum [16]byte) bool {
	return strings.EqualFold(bareETag(etag), hex.EncodeToString(sum[:]))
}

// bareETag returns an ETag without quotes and the mark of a weak one.
func bareETag(etag string) string {
	s := strings.TrimSpace(etag)
	if len(s) > 2 && strings.EqualFold(s[:2], "W/") {
		s = s[2:]
	}
	return strings.Trim(s, `"`)
}
