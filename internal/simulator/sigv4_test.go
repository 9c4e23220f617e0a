package simulator

import (
	"net/http"
	"net/url"
	"testing"
	"time"
)

// The example of a presigned address in the documentation of Amazon S3
// ("Authenticating Requests: Using Query Parameters").
func TestSignatureOfTheDocumentation(t *testing.T) {
	t.Parallel()
	key := SigningKey{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1"}
	at := time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC)
	query := url.Values{
		"X-Amz-Algorithm":     {"AWS4-HMAC-SHA256"},
		"X-Amz-Credential":    {"AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request"},
		"X-Amz-Date":          {"20130524T000000Z"},
		"X-Amz-Expires":       {"86400"},
		"X-Amz-SignedHeaders": {"host"},
	}
	got := key.signature(&http.Request{
		Method: http.MethodGet, Host: "examplebucket.s3.amazonaws.com", URL: &url.URL{Path: "/test.txt", RawQuery: query.Encode()},
	}, at)
	if want := "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestEscape(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a/b c": "a%2Fb%20c", "A-z_0.9~": "A-z_0.9~", "+&=%*": "%2B%26%3D%25%2A", "ü": "%C3%BC",
	} {
		if got := escape(text, false); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
		if decoded, err := url.PathUnescape(want); err != nil || decoded != text {
			t.Errorf("%q decodes to %q, %v", want, decoded, err)
		}
	}
	if got := escapePath("/a b/c"); got != "/a%20b/c" {
		t.Error(got)
	}
}
