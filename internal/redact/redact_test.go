package redact_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

func TestKnownSecretsInEveryEncoding(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{`s3cr&t/"k<y>+%`, "AKID-5f2c9d/+x", "two  words", "Bearer id-token/8271"} {
		quoted, err := json.Marshal(secret)
		if err != nil {
			t.Fatal(err)
		}
		r := redact.New(secret)
		for name, form := range map[string]string{
			"plain":      secret,
			"collapsed":  strings.Join(strings.Fields(secret), " "),
			"JSON":       strings.Trim(string(quoted), `"`),
			"HTML":       html.EscapeString(secret),
			"query":      url.QueryEscape(secret),
			"path":       url.PathEscape(secret),
			"base64":     base64.StdEncoding.EncodeToString([]byte(secret)),
			"base64 URL": base64.RawURLEncoding.EncodeToString([]byte(secret)),
			"behind it":  secret[strings.Index(secret, " ")+1:],
		} {
			for method, got := range map[string]string{"Text": r.Text("got " + form + "."), "Line": r.Line("got " + form + ".")} {
				if strings.Contains(got, form) {
					t.Errorf("%s, %s of %q: %s", method, name, secret, got)
				}
			}
		}
	}
}

func TestSecretsByTheirLooks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"PUT https://st.example.com/b/k?X-Amz-Signature=HIDDEN&x=1 failed": "PUT https://st.example.com/b/k?*** failed",
		`see "https:\/\/st.example.com\/b?X-Amz-Signature=HIDDEN"`:         `see "https:\/\/st.example.com\/b?***"`,
		"/b/k?sig=HIDDEN":                        "/b/k?***",
		"X-Amz-Signature=HIDDEN&X-Amz-Date=2026": "X-Amz-Signature=***&X-Amz-Date=2026",
		"redirect=https%3A%2F%2Fst.example.com%2Fb%3FX-Amz-Signature%3DHIDDEN":         "redirect=https%3A%2F%2Fst.example.com%2Fb%3F***",
		"cannot pull rtmp://in.example.com:1935/live/HIDDEN.":                          "cannot pull rtmp://in.example.com:1935/***",
		"cannot pull RTMPS://joe:HIDDEN@in.example.com/live/HIDDEN?k=HIDDEN, sorry":    "cannot pull RTMPS://***@in.example.com/*** sorry",
		`rtmp:\/\/in.example.com\/live\/HIDDEN`:                                        `rtmp:\/\/in.example.com\/***`,
		"proxy http://joe:HIDDEN@proxy.example.com:3128 refused":                       "proxy http://***@proxy.example.com:3128 refused",
		"proxy joe:HIDDEN@proxy.example.com:3128 refused":                              "proxy ***@proxy.example.com:3128 refused",
		"Authorization: Bearer HIDDENHIDDENHIDDEN":                                     "Authorization: Bearer ***",
		"Authorization: Basic HIDDENHIDDENHIDDEN==":                                    "Authorization: Basic ***",
		"token eyJhbGciOiJIUzI1NiJ9.eyJISERERU4iOjF9.HIDDEN expired":                   "token *** expired",
		`{"id_token":"HIDDEN","stream_key":"HIDDEN"`:                                   `{"id_token":"***","stream_key":"***"`,
		"Basic authentication is required; bearer token missing; id_token: is missing": "Basic authentication is required; bearer token missing; id_token: is missing",
		"Is region eu-1 right? a=b":                                                    "Is region eu-1 right? a=b",
	} {
		if got := redact.New().Line(text); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}

func TestSecretsOfURLs(t *testing.T) {
	t.Parallel()
	const stream = "rtmp://joe:pw77@in.example.com/live/k3y-of-a?auth=q7-a"
	const presigned = "https://st.example.com/b?partNumber=7&X-Amz-Signature=s1gnature%2F0123456789"
	r := redact.New(redact.PresignedSecrets(presigned)...)
	r.AddStreams(nil, stream, "rtmp://in.example.com", "no URL")
	for _, shown := range []string{
		stream, "live/k3y-of-a?auth=q7-a", "live/k3y-of-a", "k3y-of-a", "auth=q7-a", "joe:pw77",
		presigned, "partNumber=7&X-Amz-Signature=s1gnature%2F0123456789", "s1gnature%2F0123456789", "s1gnature/0123456789",
	} {
		got := r.Line("'" + shown + "' is not valid")
		for _, secret := range []string{"k3y", "q7-a", "pw77", "s1gnature"} {
			if strings.Contains(got, secret) {
				t.Errorf("%s: %s", shown, got)
			}
		}
	}
	if got := r.Line("part 7 in.example.com partNumber"); got != "part 7 in.example.com partNumber" {
		t.Errorf("got %s", got)
	}
}

func TestAdd(t *testing.T) {
	t.Parallel()
	r := redact.New("fixed-secret")
	if got := r.Text("fixed-secret stream-key token-00"); got != "*** stream-key token-00" {
		t.Errorf("before: %s", got)
	}
	r.Add("stream-key", "", "abc")
	for i := range 17 {
		r.Add(fmt.Sprintf("token-%02d", i))
		r.Add("")
	}
	if got := r.Text("fixed-secret stream-key abc token-00 token-01 token-16"); got != "*** *** abc *** *** ***" {
		t.Errorf("after 17 tokens: %s", got)
	}
}

// TestNamesInCredentials: a user name may have a customer's id in it, which key paths show.
func TestNamesInCredentials(t *testing.T) {
	t.Parallel()
	const id, key = "customer-4821-token", "sk-77d0e1f2a3"
	r := redact.New(key)
	r.AddName(id, id+":"+key)
	pair := base64.StdEncoding.EncodeToString([]byte(id + ":" + key))
	for text, want := range map[string]string{
		"submit vod/input/customer-4821/u-1/token.mp4 of customer-4821": "submit vod/input/customer-4821/u-1/token.mp4 of customer-4821",
		"user " + id + " is unknown":                                    "user *** is unknown",
		"user CUSTOMER%2D4821-token is unknown":                         "user *** is unknown",
		"user " + id + ":" + key + " is unknown":                        "user *** is unknown",
		"got " + pair:                                                   "got ***",
		"got Basic " + pair[:20]:                                        "got Basic ***",
		"from " + base64.StdEncoding.EncodeToString([]byte(id)):         "from ***==",
	} {
		if got := r.Text(text); got != want {
			t.Errorf("%s\nshows as %s\n    want %s", text, got, want)
		}
	}
}

// TestShortSecrets: a short secret is not found within a word.
func TestShortSecrets(t *testing.T) {
	t.Parallel()
	r := redact.New("live", "prod")
	r.AddName("main")
	for text, want := range map[string]string{
		"delivery of products to the domain, olive, maintained, live_1": "delivery of products to the domain, olive, maintained, live_1",
		"key live, prod/main; \"live\" (PROD)":                          "key ***, ***/***; \"***\" (***)",
		"key=%6Cive&a=live":                                             "key=***&a=***",
		base64.StdEncoding.EncodeToString([]byte("main:live")):          "***",
	} {
		if got := r.Text(text); got != want {
			t.Errorf("%s\nshows as %s\n    want %s", text, got, want)
		}
	}
}

// TestFragmentsWithSpaces: fragments of 12 characters are found even if some are spaces or plus
// signs, which a text may have as one.
func TestFragmentsWithSpaces(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{"k7fQx93bTzz+++++", "a b  c   d    e     f", "+k7f+Qx93++bTzzLm+", "k7fQx93bT ++ + zzLm"} {
		r := redact.New(secret)
		for i := 0; i+12 <= len(secret); i++ {
			fragment := secret[i : i+12]
			for _, form := range []string{fragment, strings.ReplaceAll(fragment, "+", " "), url.QueryEscape(fragment), base64.StdEncoding.EncodeToString([]byte(fragment))} {
				if got := r.Text("<" + form + ">"); strings.Contains(got, form) {
					t.Errorf("%q of %q shows as %q", form, secret, got)
				}
			}
		}
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	r := redact.New("secret-7", "8271828")
	for document, want := range map[string]string{
		`{"a":["x secret-7",8271828,1.50]}`:                                 `{"a":["x ***",***,1.50]}`,
		`{"Input-Endpoint_A":"h","x":{"presigned_url":"h","idToken":null}}`: `{"Input-Endpoint_A":"***","x":{"idToken":null,"presigned_url":"***"}}`,
		`"rtmp://in/app/key"`:                                               `"rtmp://in/***"`,
		`{"secret-7":""}`:                                                   `{"***":""}`,
		`{"a":1} {}`:                                                        "",
		`not JSON`:                                                          "",
		`{"callback_uri":{"a":1}}`:                                          `{"callback_uri":"***"}`,
		`{"key":"K","path":"live/K","port":1935,"server":"h"}`:              `{"key":"***","path":"***","port":1935,"server":"h"}`,
		`{"hostname":"h","ingest_keys":["K"],"path":"K","stream_id":"K"}`: `{"hostname":"h","ingest_keys":"***","path":"***","stream_id":"***"}`,
		`{"field":"paths[0]","key_path":"vod/c/u/f","path":"p"}`:          `{"field":"paths[0]","key_path":"vod/c/u/f","path":"p"}`,
		`{"LastEvaluatedKey":{"id":"s-1"},"Sessions":[]}`:                 `{"LastEvaluatedKey":{"id":"s-1"},"Sessions":[]}`,
		`{"Bucket":"b","BucketKeyEnabled":true,"Key":"vod/c/u/f"}`:        `{"Bucket":"b","BucketKeyEnabled":true,"Key":"vod/c/u/f"}`,
		`{"body":"{\"key\":\"K\"}","text":"[sic] key"}`:                   `{"body":"{\"key\":\"***\"}","text":"[sic] key"}`,
	} {
		if got, ok := r.JSON([]byte(document)); got != want || ok != (want != "") {
			t.Errorf("%s: got %s, %t; want %s", document, got, ok, want)
		}
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	r := redact.New("secret-word", "se\u200bcret")
	for text, want := range map[string]string{
		"  two \n\t lines\x00\a\u200b ":           "two lines",
		"\xff no":                                 "\uFFFD no",
		"sec\x00ret-word":                         "***",
		"sec\u202eret-word":                       "***",
		strings.Repeat("é😀", 250):                 strings.Repeat("é😀", 250),
		strings.Repeat("é😀", 251):                 strings.Repeat("é😀", 249) + "é…",
		strings.Repeat("x", 495) + " secret-word": strings.Repeat("x", 495) + " ***",
	} {
		if got := r.Line(text); got != want || utf8.RuneCountInString(got) > 500 {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestURLs(t *testing.T) {
	t.Parallel()
	u, err := url.Parse("https://joe:hidden@h.example.com:8443/a%2Fb?hidden=1#hidden")
	if err != nil {
		t.Fatal(err)
	}
	if got := redact.Address(u); got != "https://h.example.com:8443/a%2Fb" {
		t.Errorf("got %s", got)
	}
	inner := errors.New("no route")
	if got := redact.URLError(fmt.Errorf("PUT: %w", &url.Error{Err: &url.Error{URL: "hidden", Err: inner}})); !errors.Is(got, inner) || got.Error() != "no route" {
		t.Errorf("got %v", got)
	}
	if got := redact.URLError(inner); !errors.Is(got, inner) {
		t.Errorf("got %v", got)
	}
}
