package simulator

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	sigAlgorithm = "AWS4-HMAC-SHA256"
	sigTime      = "20060102T150405Z"
	accessKey    = "SIMULATORSTORAGEKEY"
	// maxLifetime is S3's maximum lifetime of a presigned URL, in seconds.
	maxLifetime = 7 * 24 * 60 * 60
)

// signer signs presigned URLs and verifies them. The parameters and refusals are those of AWS
// Signature Version 4. The signature is a plain HMAC, because only the signer itself verifies it.
type signer struct{ secret []byte }

func newSigner() signer { return signer{[]byte(rawID())} }

// signature signs what S3 signs: method, host, path, query and Content-Type, if it is signed.
func (s signer) signature(r *http.Request) string {
	query := r.URL.Query()
	query.Del("X-Amz-Signature")
	signed := []string{r.Method, r.Host, r.URL.Path, query.Encode()}
	if strings.HasPrefix(query.Get("X-Amz-SignedHeaders"), "content-type;") {
		signed = append(signed, r.Header.Get("Content-Type"))
	}
	h := hmac.New(sha256.New, s.secret)
	h.Write([]byte(strings.Join(signed, "\n")))
	return hex.EncodeToString(h.Sum(nil))
}

// presign returns the presigned URL of a PUT to an address in a bucket below base.
func (s signer) presign(base *url.URL, bucket string, a Address) string {
	signed := "host"
	if a.ContentType != "" {
		signed = "content-type;host"
	}
	at := a.At.UTC()
	query := url.Values{
		"X-Amz-Algorithm":     {sigAlgorithm},
		"X-Amz-Credential":    {accessKey + "/" + at.Format("20060102") + "/simulator-1/s3/aws4_request"},
		"X-Amz-Date":          {at.Format(sigTime)},
		"X-Amz-Expires":       {strconv.Itoa(int(a.Lifetime / time.Second))},
		"X-Amz-SignedHeaders": {signed},
	}
	if a.UploadID != "" {
		query.Set("partNumber", strconv.Itoa(a.Part))
		query.Set("uploadId", a.UploadID)
	}
	u := &url.URL{Scheme: base.Scheme, Host: base.Host, Path: strings.TrimSuffix(base.Path, "/") + "/" + bucket + "/" + a.Key, RawQuery: query.Encode()}
	signature := s.signature(&http.Request{Method: http.MethodPut, Host: u.Host, URL: u, Header: http.Header{"Content-Type": {a.ContentType}}})
	return u.String() + "&X-Amz-Signature=" + signature
}

// verify checks the query signature of a request to storage.
func (s signer) verify(r *http.Request, now time.Time) *StorageError {
	query := r.URL.Query()
	given := 0
	for _, name := range []string{"Algorithm", "Credential", "Date", "Expires", "SignedHeaders", "Signature"} {
		if query.Get("X-Amz-"+name) != "" {
			given++
		}
	}
	switch given {
	case 0:
		return &StorageError{http.StatusForbidden, "AccessDenied", "Access Denied"}
	case 6:
	default:
		return &StorageError{http.StatusBadRequest, "AuthorizationQueryParametersError", "Query-string authentication version 4 requires the " +
			"X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters."}
	}
	at, err := time.Parse(sigTime, query.Get("X-Amz-Date"))
	lifetime, err2 := strconv.Atoi(query.Get("X-Amz-Expires"))
	if query.Get("X-Amz-Algorithm") != sigAlgorithm || err != nil || err2 != nil || lifetime < 0 || lifetime > maxLifetime {
		return &StorageError{http.StatusBadRequest, "AuthorizationQueryParametersError", "Error parsing the X-Amz- query parameters"}
	}
	if now.After(at.Add(time.Duration(lifetime) * time.Second)) {
		return &StorageError{http.StatusForbidden, "AccessDenied", "Request has expired"}
	}
	if !strings.HasPrefix(query.Get("X-Amz-Credential"), accessKey+"/") {
		return &StorageError{http.StatusForbidden, "InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records."}
	}
	signed := strings.Split(query.Get("X-Amz-SignedHeaders"), ";")
	for name := range r.Header {
		name = strings.ToLower(name)
		if strings.HasPrefix(name, "x-amz-") && !slices.Contains(signed, name) {
			return &StorageError{http.StatusForbidden, "AccessDenied", "There were headers present in the request which were not signed"}
		}
	}
	if !hmac.Equal([]byte(query.Get("X-Amz-Signature")), []byte(s.signature(r))) {
		return &StorageError{
			http.StatusForbidden, "SignatureDoesNotMatch",
			"The request signature we calculated does not match the signature you provided. Check your key and signing method.",
		}
	}
	return nil
}
