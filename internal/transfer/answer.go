package transfer

import (
	"bytes"
	"crypto/md5" //nolint:gosec // its size only
	"encoding/hex"
	"encoding/xml"
	"mime"
	"net/http"
	"net/url"
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
	isKeyed   bool     // the ETag is not an MD5, as its form or an encryption with KMS or a customer's key says
	checksums []string // of the content, as "crc64nvme:BASE64"
}

// readStored reads the response to a PUT that storage accepted.
func readStored(header http.Header) stored {
	s := stored{etag: header.Get("ETag")}
	if bareETag(s.etag) == "" {
		s.etag = ""
	}
	s.isKeyed = strings.HasPrefix(strings.ToLower(header.Get("X-Amz-Server-Side-Encryption")), "aws:kms") ||
		header.Get("X-Amz-Server-Side-Encryption-Customer-Algorithm") != "" ||
		len(bareETag(s.etag)) != 2*md5.Size
	for _, algorithm := range digest.Algorithms {
		if value := strings.TrimSpace(header.Get("X-Amz-Checksum-" + algorithm.Name)); value != "" {
			s.checksums = append(s.checksums, algorithm.Name+":"+value)
		}
	}
	return s
}

// isDocument reports whether the body of a response is HTML or XML. Storage sends neither when it
// has stored the content of a PUT: a proxy has answered with a page, or S3 with an error and the
// status 200.
func isDocument(header http.Header, text []byte) bool {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))
	media, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	return bytes.HasPrefix(text, []byte("<")) || len(text) > 0 && strings.HasSuffix(media, "html")
}

// refusal makes a StatusError of the response to a PUT.
func (r *request) refusal(req *http.Request, resp *http.Response, text []byte) *StatusError {
	e := &StatusError{failedPut: r.failed(), Part: r.part, Status: resp.StatusCode, retryAfter: retry.After(resp.Header), began: r.began}
	var said struct {
		XMLName xml.Name `xml:"Error"`
		Code    string
		Message string
	}
	switch {
	case xml.Unmarshal(text, &said) == nil:
		e.Code, e.Message = r.mask(said.Code), r.mask(said.Message)
	case isDocument(resp.Header, text):
		if resp.StatusCode < 300 { // otherwise a page says nothing that the status does not
			e.Message = "a page, with which storage accepts no content: a proxy or a filter has answered"
		}
	default:
		e.Message = r.mask(string(text))
	}
	if e.Status == http.StatusBadRequest || e.Status == http.StatusForbidden {
		e.Unsent = unsentHeaders(req)
	}
	return e
}

// unsentHeaders returns the headers that a presigned address was signed for, or that it has among
// its parameters as a checksum of the content, and that the PUT does not have.
func unsentHeaders(req *http.Request) (names []string) {
	for key := range req.URL.Query() {
		if key = strings.ToLower(key); strings.HasPrefix(key, "x-amz-checksum-") {
			names = append(names, key)
		}
	}
	for _, name := range signedHeaders(req.URL.String()) {
		if name != "host" && name != "content-length" && req.Header.Get(name) == "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// signedHeaders returns the headers that a presigned address was signed for, in lower case.
func signedHeaders(address string) []string {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	return strings.FieldsFunc(strings.ToLower(u.Query().Get("X-Amz-SignedHeaders")), func(c rune) bool { return c == ';' })
}

// hostOf returns the host of a presigned address, with the port if it has one.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// isMD5 reports whether an ETag is an MD5. Quotes and case do not matter.
func isMD5(etag string, sum [md5.Size]byte) bool {
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
