package redact_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

func TestVectors(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("testdata/vectors.txt")
	if err != nil {
		t.Fatal(err)
	}
	r := redact.New()
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSuffix(line, "\n")
		what, known, _ := strings.Cut(line, " ")
		switch what {
		case "":
			r = redact.New()
		case "#":
		case "+secret":
			r.Add(known)
		case "+name":
			r.AddName(strings.Fields(known)...)
		case "+stream":
			r.AddStreams(nil, known)
		case "+presigned":
			r.Add(redact.PresignedSecrets(known)...)
		default:
			text, want, masked := strings.Cut(line, "\t")
			if !masked {
				want = text
			}
			for _, got := range []string{r.Text(text), r.Line(text)} {
				if got != want {
					t.Errorf("%s\nshows as %s\n    want %s", text, got, want)
				}
			}
			// More than the secret may be masked in JSON: a cookie ends with its line.
			shown, _ := r.JSON(quoted(t, []string{"abcd", text, "de"}))
			for _, secret := range hiddenIn(text, want) {
				form := strings.Trim(string(quoted(t, secret)), `"`)
				if n := min(6, len(form)); strings.Contains(shown, form[:n]) || strings.Contains(shown, form[len(form)-n:]) {
					t.Errorf("%s\nshows in JSON as %s", text, shown)
				}
			}
		}
	}
}

func quoted(t *testing.T, v any) []byte {
	t.Helper()
	q, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// hiddenIn returns what *** stands for in a text.
func hiddenIn(text, shown string) (hidden []string) {
	before, rest, more := strings.Cut(shown, "***")
	for text = text[len(before):]; more; {
		before, rest, more = strings.Cut(rest, "***")
		end := strings.Index(text, before)
		if !more && before == "" {
			end = len(text)
		}
		hidden, text = append(hidden, text[:end]), text[end+len(before):]
	}
	return hidden
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
		`{"a":[{"apiKey":"h","client_secret":"h","jwt":"h","passphrase":"h","sig":"h","streamName":"h","x-amz-security-token":"h","accessKeyId":"h"}]}`: `{"a":[{"accessKeyId":"***","apiKey":"***","client_secret":"***","jwt":"***","passphrase":"***","sig":"***","streamName":"***","x-amz-security-token":"***"}]}`,
		`{"callback_uri":{"a":1}}`:                                                  `{"callback_uri":"***"}`,
		`{"key":"K","path":"live/K","port":1935,"server":"h"}`:                      `{"key":"***","path":"***","port":1935,"server":"h"}`,
		`{"hostname":"h","ingest_keys":["K"],"path":"K","stream_id":"K"}`:           `{"hostname":"h","ingest_keys":"***","path":"***","stream_id":"***"}`,
		`{"field":"paths[0]","key_path":"vod/c/u/f","path":"p"}`:                    `{"field":"paths[0]","key_path":"vod/c/u/f","path":"p"}`,
		`{"LastEvaluatedKey":{"id":"s-1"},"Sessions":[]}`:                           `{"LastEvaluatedKey":{"id":"s-1"},"Sessions":[]}`,
		`{"Sessions":[{"input_endpoint_a":"one part","presigned_url":"one part"}]}`: `{"Sessions":[{"input_endpoint_a":"***","presigned_url":"***"}]}`,
		`{"Bucket":"b","BucketKeyEnabled":true,"Key":"vod/c/u/f"}`:                  `{"Bucket":"b","BucketKeyEnabled":true,"Key":"vod/c/u/f"}`,
		`{"body":"{\"key\":\"K\"}","text":"[sic] key"}`:                             `{"body":"{\"key\":\"***\"}","text":"[sic] key"}`,
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
