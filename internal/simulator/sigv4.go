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
	sigAlgorithm    = "AWS4-HMAC-SHA256"
	sigTime         = "20060102T150405Z"
	unsignedPayload = "UNSIGNED-PAYLOAD"
	// maxLifetime is S3's maximum lifetime of a presigned URL, in seconds.
	maxLifetime = 7 * 24 * 60 * 60
)

// SigningKey is a key for AWS Signature Version 4.
type SigningKey struct{ AccessKey, SecretKey, Region string }

func (k SigningKey) scope(at time.Time) string {
	return at.UTC().Format("20060102") + "/" + k.Region + "/s3/aws4_request"
}

// signature signs a presigned request: its method, path, query and the headers that the query
// names.
func (k SigningKey) signature(r *http.Request, at time.Time) string {
	query := r.URL.Query()
	query.Del("X-Amz-Signature")
	signed := query.Get("X-Amz-SignedHeaders")
	var headers strings.Builder
	for name := range strings.SplitSeq(signed, ";") {
		headers.WriteString(name + ":" + strings.TrimSpace(headerOf(r, name)) + "\n")
	}
	canonical := strings.Join([]string{
		r.Method, escapePath(r.URL.Path), canonicalQuery(query), headers.String(), signed, unsignedPayload,
	}, "\n")
	sum := sha256.Sum256([]byte(canonical))
	toSign := strings.Join([]string{sigAlgorithm, at.UTC().Format(sigTime), k.scope(at), hex.EncodeToString(sum[:])}, "\n")
	key := []byte("AWS4" + k.SecretKey)
	for step := range strings.SplitSeq(k.scope(at), "/") {
		key = mac(key, step)
	}
	return hex.EncodeToString(mac(key, toSign))
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// Presign returns the presigned URL of a PUT to an address in a bucket below base. The lifetime
// begins at a.At, which S3 clients do not let callers choose.
func (k SigningKey) Presign(base *url.URL, bucket string, a Address) string {
	signed := "host"
	if a.ContentType != "" {
		signed = "content-type;host"
	}
	query := url.Values{
		"X-Amz-Algorithm":     {sigAlgorithm},
		"X-Amz-Credential":    {k.AccessKey + "/" + k.scope(a.At)},
		"X-Amz-Date":          {a.At.UTC().Format(sigTime)},
		"X-Amz-Expires":       {strconv.Itoa(int(a.Lifetime / time.Second))},
		"X-Amz-SignedHeaders": {signed},
	}
	if a.UploadID != "" {
		query.Set("partNumber", strconv.Itoa(a.Part))
		query.Set("uploadId", a.UploadID)
	}
	path := strings.TrimSuffix(base.Path, "/") + "/" + bucket + "/" + a.Key
	signature := k.signature(&http.Request{
		Method: http.MethodPut, Host: base.Host, URL: &url.URL{Path: path, RawQuery: query.Encode()}, Header: http.Header{"Content-Type": {a.ContentType}},
	}, a.At)
	return base.Scheme + "://" + base.Host + escapePath(path) + "?" + canonicalQuery(query) + "&X-Amz-Signature=" + signature
}

// verify checks the query signature of a request to storage.
func (k SigningKey) verify(r *http.Request, now time.Time) *StorageError {
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
	if accessKey, _, _ := strings.Cut(query.Get("X-Amz-Credential"), "/"); accessKey != k.AccessKey {
		return &StorageError{http.StatusForbidden, "InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records."}
	}
	signed := strings.Split(query.Get("X-Amz-SignedHeaders"), ";")
	for name := range r.Header {
		name = strings.ToLower(name)
		if strings.HasPrefix(name, "x-amz-") && !slices.Contains(signed, name) {
			return &StorageError{http.StatusForbidden, "AccessDenied", "There were headers present in the request which were not signed"}
		}
	}
	if !slices.Contains(signed, "host") || query.Get("X-Amz-Credential") != k.AccessKey+"/"+k.scope(at) ||
		!hmac.Equal([]byte(query.Get("X-Amz-Signature")), []byte(k.signature(r, at))) {
		return &StorageError{
			http.StatusForbidden, "SignatureDoesNotMatch",
			"The request signature we calculated does not match the signature you provided. Check your key and signing method.",
		}
	}
	return nil
}

// headerOf returns a header as sent: Go's server moves two of them out of Header.
func headerOf(r *http.Request, name string) string {
	switch name {
	case "host":
		return r.Host
	case "content-length":
		return strconv.FormatInt(r.ContentLength, 10)
	}
	return strings.Join(r.Header.Values(name), ",")
}

func canonicalQuery(query url.Values) string {
	var pairs []string
	for name, values := range query {
		for _, value := range values {
			pairs = append(pairs, escape(name, false)+"="+escape(value, false))
		}
	}
	slices.Sort(pairs)
	return strings.Join(pairs, "&")
}

func escapePath(path string) string { return escape(path, true) }

// escape is the URI encoding of Signature Version 4, which escapes more characters than net/url.
func escape(text string, keepSlash bool) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~", c) >= 0, c == '/' && keepSlash:
			b.WriteByte(c)
		default:
			b.WriteString("%" + strings.ToUpper(hex.EncodeToString([]byte{c})))
		}
	}
	return b.String()
}
