package redact_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

func TestVectors(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("testdata/vectors.txt")
	if err != nil {
		t.Fatal(err)
	}
	groups := strings.Split(string(content), "\n\n")
	for _, group := range groups {
		r := redact.New()
		for line := range strings.Lines(group) {
			line = strings.TrimSuffix(line, "\n")
			text, want, changed := strings.Cut(line, "\t")
			if !changed {
				want = text
			}
			if secret, ok := strings.CutPrefix(line, "+secret "); ok {
				r.Add(secret)
			} else if address, ok := strings.CutPrefix(line, "+stream "); ok {
				r.AddURLs(address)
			} else if got := r.Text(text); !strings.HasPrefix(line, "# ") && got != want {
				t.Errorf("%s\n shown as %s\n want     %s", text, got, want)
			}
		}
	}
	if len(groups) < 7 {
		t.Errorf("%d groups were found", len(groups))
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	r := redact.New("known-secret")
	for text, want := range map[string]string{
		" two\n lines \t":                         "two lines",
		"a known-secret of also-secret":           "a *** of ***",
		"\x1b[2J\u202e\xff":                       `\u001b[2J\u202e` + "\uFFFD",
		strings.Repeat("é", 600):                  strings.Repeat("é", 499) + "…",
		strings.Repeat("x", 495) + "known-secret": strings.Repeat("x", 495) + "***",
	} {
		if got := r.Line(text, "also-secret"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got, want := r.Lines("a\n\tknown-secret\x1b"), "a\n\t***\\u001b"; got != want {
		t.Errorf("Lines: %q, want %q", got, want)
	}
}

// TestTheLatestURLsAreKnown: listings of any length take bounded memory and time.
func TestTheLatestURLsAreKnown(t *testing.T) {
	t.Parallel()
	r := redact.New("known-secret")
	for i := range 2000 {
		r.AddURLs(fmt.Sprintf("rtmp://in.example.com/live/stream-key-%04d", i))
	}
	for text, want := range map[string]string{"known-secret": "***", "stream-key-1999": "***", "stream-key-0000": "stream-key-0000"} {
		if got := r.Text(text); got != want {
			t.Errorf("%s is shown as %s, want %s", text, got, want)
		}
	}
}

func TestTheLogIsMasked(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	// The framework's server sets fields, which all lines of a request share.
	ctx := redact.New("known-secret").Log(tflog.SetField(tflogtest.RootLogger(t.Context(), &log), "tf_rpc", "ApplyResourceChange"))
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			redact.Info(ctx, "a known-secret in a message", map[string]any{"url": "https://st.example.com/b?sig=hidden", "value": "known-secret"})
		})
	}
	all.Wait()
	if text := log.String(); text == "" || strings.Contains(text, "known-secret") || strings.Contains(text, "hidden") {
		t.Errorf("the log has %s", text)
	}
}

func TestPresignedSecrets(t *testing.T) {
	t.Parallel()
	got := redact.PresignedSecrets("https://st.example.com/k?X-Amz-Signature=s%2Fig&partNumber=1")
	if want := []string{"X-Amz-Signature=s%2Fig&partNumber=1", "s/ig"}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
