package redact_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

// knownSecrets are what a provider knows, with characters that encodings change.
var knownSecrets = []string{
	"AKLIVE7Q2fXw+m",
	`sk/9+Zz"&<q>=w3L-%41`,
	"eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1c2VyIn0.c2lnbmF0dXJl",
	"live_8271_k3yOfTheStream",
}

// encodings are single encodings of a text.
var encodings = map[string]func(string) string{
	"plain":             func(s string) string { return s },
	"query":             url.QueryEscape,
	"path":              url.PathEscape,
	"percent, lower":    func(s string) string { return each(s, "%%%02x") },
	"percent, upper":    func(s string) string { return each(s, "%%%02X") },
	"JSON":              func(s string) string { quoted, _ := json.Marshal(s); return strings.Trim(string(quoted), `"`) },
	"JSON, all":         func(s string) string { return each(s, `\u%04x`) },
	"JSON, all, upper":  func(s string) string { return each(s, `\u%04X`) },
	"JSON with slashes": func(s string) string { return strings.ReplaceAll(s, "/", `\/`) },
	"Go":                func(s string) string { return each(s, `\x%02x`) },
	"HTML":              html.EscapeString,
	"HTML, named":       strings.NewReplacer(`"`, "&quot;", "&", "&amp;", "<", "&lt;", ">", "&gt;", "+", "&plus;").Replace,
	"HTML, decimal":     func(s string) string { return each(s, "&#%d;") },
	"HTML, hexadecimal": func(s string) string { return each(s, "&#x%X;") },
	"base64":            func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64 in a URL":   func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
	"HTML, zeros":       func(s string) string { return each(s, "&#%040d;") },
	"percent, u":        func(s string) string { return each(s, "%%u%04x") },
	"braces":            func(s string) string { return each(s, `\u{%x}`) },
	"hex":               hexOf,
	"hex, upper":        func(s string) string { return strings.ToUpper(hexOf(s)) },
	"hex, colons":       func(s string) string { return strings.TrimSuffix(each(s, "%02x:"), ":") },
	"hex, 0x":           func(s string) string { return "0x" + hexOf(s) },
	"hex, array":        func(s string) string { return strings.TrimSuffix(each(s, "0x%02X, "), ", ") },
	"hex, inside":       func(s string) string { return "e" + hexOf("ab"+s+"!") },
	"base64, inside":    func(s string) string { return base64.StdEncoding.EncodeToString([]byte("ab" + s + "!")) },
}

func hexOf(s string) string { return hex.EncodeToString([]byte(s)) }

// dressings keep what a secret is but not how it looks.
var dressings = map[string]func(string) string{
	"as it is":   func(s string) string { return s },
	"beginning":  func(s string) string { return s[:len(s)-2] },
	"end":        func(s string) string { return s[2:] },
	"upper case": strings.ToUpper,
	"lower case": strings.ToLower,
}

func each(s, format string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

// shows reports whether a text shows 12 characters of a secret in a row, however it is encoded.
func shows(text, secret string) bool {
	for _, undo := range []func(string) string{
		func(s string) string { return s },
		func(s string) string { u, _ := url.PathUnescape(s); return u },
		html.UnescapeString,
		func(s string) string { var u string; _ = json.Unmarshal([]byte(`"`+s+`"`), &u); return u },
	} {
		plain := strings.ToLower(undo(text))
		for i := range len(secret) - 11 {
			if strings.Contains(plain, strings.ToLower(secret[i:i+12])) {
				return true
			}
		}
	}
	return false
}

// TestKnownSecretsInsideEncodings hides each known secret behind one and two encodings, and expects
// nothing of it in the text.
func TestKnownSecretsInsideEncodings(t *testing.T) {
	t.Parallel()
	r := redact.New(knownSecrets...)
	for _, secret := range knownSecrets {
		for dressing, dress := range dressings {
			for inner, encode := range encodings {
				for outer, again := range encodings {
					if dressing != "as it is" && outer != "plain" {
						continue
					}
					hidden := again(encode(dress(secret)))
					text := "the answer to <" + hidden + "> was no"
					got := r.Text(text)
					left, begins := strings.CutPrefix(got, "the answer to <")
					left, ends := strings.CutSuffix(left, "> was no")
					// What is encoded together with a neighbour, as in base64, may remain.
					if !begins || !ends || !strings.Contains(left, "***") || len(left)-3 > len(hidden)/3 {
						t.Errorf("%s in %s in %s: %q shows as %s", dressing, inner, outer, secret, got)
					}
				}
			}
		}
	}
}

// TestCharactersWithinSecrets: characters that are not seen do not hide a secret.
func TestCharactersWithinSecrets(t *testing.T) {
	t.Parallel()
	r := redact.New(append(knownSecrets, "two  words of it")...)
	for _, secret := range knownSecrets {
		hidden := secret[:3] + "\u200b" + secret[3:6] + "\x00" + secret[6:9] + "\u202e" + secret[9:]
		for _, form := range []string{hidden, url.QueryEscape(hidden), html.EscapeString(hidden)} {
			if got := r.Text("<" + form + ">"); got != "<***>" {
				t.Errorf("%q shows as %q", form, got)
			}
		}
	}
	for _, form := range []string{"two words of it", "two\n\twords of it", "two++words+of+it", "two%20%20words%20of%20it"} {
		if got := r.Text("<" + form + ">"); got != "<***>" {
			t.Errorf("%q shows as %q", form, got)
		}
	}
}

// TestBase64InShortLines: base64 is found in lines of any length, also in a text that is made one
// line.
func TestBase64InShortLines(t *testing.T) {
	t.Parallel()
	r := redact.New(knownSecrets...)
	for _, secret := range knownSecrets {
		whole := base64.StdEncoding.EncodeToString([]byte(secret))
		for _, length := range []int{1, 4, 5, 10} {
			for _, end := range []string{"\n", "\r\n", "\n  "} {
				var lines []string
				for at := 0; at < len(whole); at += length {
					lines = append(lines, whole[at:min(len(whole), at+length)])
				}
				text := "<" + strings.Join(lines, end) + ">"
				for _, got := range []string{r.Text(text), r.Line(text)} {
					if left := strings.Trim(got, "<>"); !strings.Contains(left, "***") || len(left) > 3+len(whole)/3 {
						t.Errorf("%q shows as %q", text, got)
					}
				}
			}
		}
	}
}

// TestNamesWithinStreamKeys: what a session shows of itself is no secret, although its keys have
// it.
func TestNamesWithinStreamKeys(t *testing.T) {
	t.Parallel()
	r := redact.New()
	r.AddStreams([]string{"5e55-0123456789abcdef", "studio"}, "rtmp://h/live/in-0123456789abcdef", "rtmp://h/live/studio")
	if shown := r.Text("session 5e55-0123456789abcdef (studio) at in-0123456789abcdef"); !strings.HasPrefix(shown, "session 5e55-0123456789abcdef (studio) at ***") {
		t.Errorf("got %s", shown)
	}
}

func FuzzKnownSecret(f *testing.F) {
	names := []string{"plain", "query", "percent, lower", "JSON", "JSON, all", "HTML", "HTML, decimal", "base64", "Go"}
	f.Add("before ", " after", []byte{0, 1, 2, 3, 4, 5, 6, 7, 8}, uint8(0))
	f.Add("%", "5", []byte{2, 2, 2}, uint8(1))
	f.Add(`\`, `\u00`, []byte{4, 3, 8}, uint8(2))
	f.Add("&#", ";", []byte{6, 5, 7}, uint8(3))
	r := redact.New(knownSecrets...)
	f.Fuzz(func(t *testing.T, before, after string, how []byte, which uint8) {
		secret := knownSecrets[int(which)%len(knownSecrets)]
		// Each character of the secret gets an encoding of its own, the whole then up to two more.
		var mixed strings.Builder
		for i := range len(secret) {
			char := secret[i : i+1]
			if len(how) > 0 {
				switch how[i%len(how)] % 5 {
				case 1:
					char = each(char, "%%%02x")
				case 2:
					char = each(char, `\u%04X`)
				case 3:
					char = each(char, "&#%d;")
				case 4:
					char = strings.ToUpper(char)
				}
			}
			mixed.WriteString(char)
		}
		hidden := mixed.String()
		for i := range min(len(how), 2) {
			hidden = encodings[names[int(how[i])%len(names)]](hidden)
		}
		for _, got := range []string{r.Text(before + hidden + after), r.Line(before + hidden + after)} {
			if shows(got, secret) && !shows(before+" "+after, secret) {
				t.Errorf("%q shows in %q", secret, got)
			}
		}
	})
}

func BenchmarkText(b *testing.B) {
	secrets := make([]string, 1000)
	for i := range secrets {
		secrets[i] = fmt.Sprintf("live_%08d_%x", i*7919, i*104729)
	}
	r := redact.New(secrets...)
	prose := strings.Repeat(`{"id":"s-1","name":"studio one","status":"READY","port":1935,"x":"a b c"},`+"\n", 1000)
	for name, text := range map[string]string{
		"JSON":        prose,
		"base64":      base64.StdEncoding.EncodeToString([]byte(prose)),
		"base64 of 3": base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(prose)))))),
		"hex":         strings.Repeat("6c6976655f", 20000),
		"hex, spaced": strings.Repeat("6c 69:76 ", 20000),
		"entities":    strings.Repeat("&#", 40000),
		"percent":     strings.Repeat("%2525", 20000),
		"like a key":  strings.Repeat("live_0000", 10000),
		"assignments": strings.Repeat("token: is ", 10000),
		"one value":   strings.Repeat("token=", 20000),
		"words, long": strings.Repeat("token:is-", 10000),
		"colons":      strings.Repeat(":a", 40000),
		"words":       strings.Repeat("a", 70000),
		"at":          strings.Repeat("a:b", 30000),
	} {
		b.Run(name, func(b *testing.B) {
			text := text[:min(len(text), 64<<10)]
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r.Text(text)
			}
		})
	}
}

// TestRandomSecretsAreHidden draws credentials and stream keys, shapes of URLs, encodings and what
// is around them, beside other stream keys.
func TestRandomSecretsAreHidden(t *testing.T) {
	t.Parallel()
	names := slices.Sorted(maps.Keys(encodings))
	rapid.Check(t, func(rt *rapid.T) {
		secret := "s3-" + rapid.StringMatching(`[A-Za-z0-9_.~-]{12,150}`).Draw(rt, "secret")
		shape := rapid.SampledFrom([]string{
			"", "rtmp://h/live/%s", "rtmps://h:443/live/%s/", "rtmp://h/%s", "rtmp://h/live/%s/_definst_", "rtmp://h/a/b/%s?auth=1", "rtmp://h/live?a=1/%s",
		}).Draw(rt, "shape")
		r := redact.New()
		list(r, rapid.SampledFrom([]int{0, 5}).Draw(rt, "sessions"))
		if shape == "" {
			r.Add(secret)
		} else {
			r.AddStreams(nil, fmt.Sprintf(shape, secret))
		}
		hidden := secret
		for range rapid.IntRange(0, 2).Draw(rt, "depth") {
			hidden = encodings[rapid.SampledFrom(names).Draw(rt, "encoding")](hidden)
		}
		before := rapid.SampledFrom([]string{"key <", "x=", `{"message":"`, "(", "'", "the\n"}).Draw(rt, "before")
		after := rapid.SampledFrom([]string{"> no", "&y=1", `"}`, ")", "'", "\nend"}).Draw(rt, "after")
		for _, got := range []string{r.Text(before + hidden + after), r.Line(before + hidden + after)} {
			if shows(got, secret) || len(hidden) >= 24 && strings.Contains(got, hidden[4:len(hidden)-4]) {
				rt.Fatalf("%q shows in %q", secret, got)
			}
		}
	})
}
