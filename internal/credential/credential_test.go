package credential_test

import (
	"context"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
)

// write makes a file and returns its path.
func write(t *testing.T, content string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestBasic(t *testing.T) {
	t.Parallel()
	basic := credential.Basic{TokenID: "id", SecretKey: "key"}
	if got, err := basic.Header(t.Context(), ""); got != "Basic aWQ6a2V5" || err != nil || basic.Renewable() {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestTokens: a token is sent verbatim, without white space around it, or the error says why not,
// without the token.
func TestTokens(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	script := func(text string) credential.TokenSource {
		return credential.CommandToken([]string{"/bin/sh", "-c", text, "password=hidden-argument"})
	}
	for name, test := range map[string]struct {
		source credential.TokenSource
		want   string // the token, or words of the error
		works  bool
	}{
		"value":                 {credential.StaticToken(" Bearer a.b.c\n"), "Bearer a.b.c", true},
		"empty value":           {credential.StaticToken(" "), "it is empty", false},
		"line break":            {credential.StaticToken("hidden\nhidden"), "a line break", false},
		"file":                  {credential.FileToken(write(t, "\ufeff token-1 \r\n", 0o600)), "token-1", true},
		"no file":               {credential.FileToken(filepath.Join(folder, "none")), "no such file", false},
		"folder":                {credential.FileToken(folder), "is not a regular file", false},
		"empty file":            {credential.FileToken(write(t, "\n", 0o600)), "is empty", false},
		"large file":            {credential.FileToken(write(t, strings.Repeat("x", 65<<10), 0o600)), "longer than 64 KiB", false},
		"command":               {script(`echo " token-2 "; echo noise >&2`), "token-2", true},
		"command of an agent":   {script(`echo token-3; sleep 30 &`), "token-3", true},
		"no program":            {credential.CommandToken([]string{"/no/such/program"}), "the command program could not be run", false},
		"failing command":       {script(`echo hidden-output; echo "cannot use hidden-output with $0: sealed" >&2; exit 3`), "the command sh failed with exit status 3: cannot use *** with password=***: sealed", false},
		"command without words": {script(`true`), "printed no token", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := credential.Bearer{Source: test.source}.Header(t.Context(), "")
			if test.works != (err == nil) || test.works && got != test.want {
				t.Fatalf("got %q, %v", got, err)
			}
			if _, ok := errors.AsType[*credential.TokenError](err); err != nil && (!ok || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "hidden")) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// TestRenewal: all calls that were refused with a token share one that is read anew.
func TestRenewal(t *testing.T) {
	t.Parallel()
	path := write(t, "token-1", 0o600)
	counter := filepath.Join(t.TempDir(), "runs")
	bearer := credential.Bearer{Source: credential.CommandToken([]string{"/bin/sh", "-c", "echo run >>" + counter + "; cat " + path})}
	if got, err := bearer.Header(t.Context(), ""); got != "token-1" || err != nil || !bearer.Renewable() {
		t.Fatalf("got %s, %v", got, err)
	}
	if err := os.WriteFile(path, []byte("token-2"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := bearer.Header(t.Context(), ""); got != "token-1" || err != nil {
		t.Errorf("without a refusal: %s, %v", got, err)
	}
	var calls sync.WaitGroup
	for range 10 {
		calls.Go(func() {
			if got, err := bearer.Header(t.Context(), "token-1"); got != "token-2" || err != nil {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
	calls.Wait()
	if runs, err := os.ReadFile(counter); strings.Count(string(runs), "run") != 2 {
		t.Errorf("the command ran %d times: %v", strings.Count(string(runs), "run"), err)
	}
}

// TestInterrupt: Ctrl-C ends a command at once.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := credential.CommandToken([]string{"/bin/sh", "-c", "sleep 60"}).Token(ctx, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestTokenExpiry(t *testing.T) {
	t.Parallel()
	jwt := func(claims string) string {
		return "eyJhbGciOiJSUzI1NiJ9." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".c2ln"
	}
	for token, want := range map[string]string{
		jwt(`{"exp":1893456000,"sub":"x"}`):            "2030-01-01T00:00:00Z",
		"Bearer " + jwt(`{"exp":1893456000.5}`) + "\n": "2030-01-01T00:00:00Z",
		jwt(`{"sub":"x"}`):                             "",
		jwt(`{"exp":"soon"}`):                          "",
		jwt(`{"exp":-1}`):                              "",
		jwt(`{"exp":1e300}`):                           "",
		"a.b.c":                                        "",
		"opaque":                                       "",
	} {
		at, ok := credential.TokenExpiry(token)
		if ok != (want != "") || ok && at.Format(time.RFC3339) != want {
			t.Errorf("%s: %s, %t, want %s", token, at, ok, want)
		}
	}
}
