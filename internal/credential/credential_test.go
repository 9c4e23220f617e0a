package credential_test

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
)

func TestBasic(t *testing.T) {
	t.Parallel()
	b := credential.Basic{TokenID: "id", SecretKey: "k:y"}
	header, err := b.Header(t.Context(), "")
	if want := "Basic " + base64.StdEncoding.EncodeToString([]byte("id:k:y")); header != want || err != nil || b.Renewable() {
		t.Errorf("got %q, %v; want %q", header, err, want)
	}
}

type sourceFunc func(rejected string) (string, error)

func (f sourceFunc) Token(_ context.Context, rejected string) (string, error) { return f(rejected) }

// TestBearer sends only what fits into a header, whatever source the token comes from.
func TestBearer(t *testing.T) {
	t.Parallel()
	for token, want := range map[string]string{
		" \ttoken 1\r\n": "token 1",
		"a\r\nX-Evil: 1": "", "a\nb": "", "a\x00b": "", "a\x7fb": "", "a\tb": "", "ünicode": "", "\ufefftoken": "", "": "", " \n": "",
		strings.Repeat("x", 64<<10): strings.Repeat("x", 64<<10), strings.Repeat("x", 64<<10+1): "",
	} {
		renewable := sourceFunc(func(string) (string, error) { return token, nil })
		for _, source := range []credential.TokenSource{credential.StaticToken(token), renewable} {
			header, err := credential.Bearer{Source: source}.Header(t.Context(), "")
			if header != want || (err == nil) != (want != "") {
				t.Errorf("%.40q: got %.40q, %v", token, header, err)
			}
			if err != nil && strings.TrimSpace(token) != "" && strings.Contains(err.Error(), token) {
				t.Errorf("%.40q is quoted: %v", token, err)
			}
		}
	}
	sealed := errors.New("the vault is sealed")
	failing := credential.Bearer{Source: sourceFunc(func(rejected string) (string, error) { return rejected, sealed })}
	_, err := failing.Header(t.Context(), "old")
	if _, ok := errors.AsType[*credential.TokenError](err); !ok || !errors.Is(err, sealed) || err.Error() != "the identity token: the vault is sealed" {
		t.Errorf("got %v", err)
	}
	if !failing.Renewable() || (credential.Bearer{Source: credential.StaticToken("t")}).Renewable() {
		t.Error("Renewable is wrong")
	}
}

func FuzzToken(f *testing.F) {
	for _, seed := range []string{"id-token-Zm9vYmFy/8271", encodeJWT(`{"alg":"RS256"}`, `{"exp":1767323045}`), "Bearer " + encodeJWT(`{}`, `{"exp":1e300}`), "a.b.c", "..", " a\r\nb", "\x00", "é", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, token string) {
		if at, ok := credential.TokenExpiry(token); ok && (at.Year() < 1970 || at.Year() > 9999) {
			t.Errorf("expires %s", at)
		}
		header, err := credential.Bearer{Source: credential.StaticToken(token)}.Header(t.Context(), "")
		switch {
		case err != nil && strings.TrimSpace(token) != "" && len(token) < 64<<10 && strings.Contains(err.Error(), token):
			t.Errorf("the token is quoted: %v", err)
		case err == nil && (header != strings.TrimSpace(token) || strings.ContainsFunc(header, func(r rune) bool { return r < ' ' || r > '~' })):
			t.Errorf("got the header %q", header)
		}
	})
}
