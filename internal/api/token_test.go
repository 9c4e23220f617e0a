package api_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
)

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFileToken(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "token")
	source := api.FileToken(path) // reads nothing yet
	write(t, path, "first\n")
	check := func(rejected, want string) {
		t.Helper()
		if got, err := source.Token(t.Context(), rejected); err != nil || got != want {
			t.Errorf("Token(%q) is %q, %v; want %q", rejected, got, err, want)
		}
	}
	check("", "first")
	write(t, path, "  second \r\n")
	check("", "first")
	check("first", "second")
	check("first", "second")
	check("", "second")
	check("second", "second")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	check("", "second")
	if _, err := source.Token(t.Context(), "second"); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("got %v", err)
	}
}

func TestFileTokenProblems(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	write(t, path("empty"), "")
	write(t, path("blank"), " \n\n")
	write(t, path("large"), strings.Repeat("secret-", 10<<20/7))
	write(t, path("lines"), "secret-1\nsecret-2\n")
	write(t, path("binary"), "secret\x00\x01")
	write(t, path("unreadable"), "secret-3")
	if err := os.Chmod(path("unreadable"), 0); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"missing":          "the file " + path("missing") + " does not exist",
		"missing/below":    "the file " + path("missing/below") + " does not exist",
		"blank/below":      "the file " + path("blank/below") + " cannot be read: not a directory",
		".":                folder + " is a folder, not a file",
		"empty":            "the file " + path("empty") + " is empty",
		"blank":            "the file " + path("blank") + " is empty",
		"large":            "the file " + path("large") + " is longer than 64 KiB: it does not hold a token alone",
		"lines":            "the file " + path("lines") + ": the token holds a control character, a line break for one, or a character outside ASCII, which a header cannot carry",
		"binary":           "the file " + path("binary") + ": the token holds a control character, a line break for one, or a character outside ASCII, which a header cannot carry",
		"unreadable":       "the file " + path("unreadable") + " cannot be read: permission denied",
		"../../dev/../dev": "does not exist",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "unreadable" && os.Geteuid() == 0 {
				t.Skip("root reads everything")
			}
			_, err := api.FileToken(path(name)).Token(t.Context(), "")
			if err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("got  %v\nwant %s", err, want)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the content is shown: %v", err)
			}
		})
	}
}

// TestRefreshIsShared: calls in flight that are all refused with the same token
// get the new one from a single reading.
func TestRefreshIsShared(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	count := filepath.Join(folder, "runs")
	// Each run prints the number of runs so far.
	source := api.CommandToken([]string{"sh", "-c", `echo run >> "$1"; echo "token-$(wc -l < "$1" | tr -d ' ')"`, "sh", count})
	service := accepting("token-2", calls[4].good)
	c := config(service)
	c.Token = source
	client := newClient(t, c)
	if _, err := os.Stat(count); err == nil {
		t.Fatal("the command ran before a call needed it")
	}
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if _, err := client.PresignUpload(t.Context(), "a.mp4", ""); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	runs, err := os.ReadFile(count)
	if err != nil || strings.Count(string(runs), "\n") != 2 {
		t.Errorf("the command ran %d times, want 2 (%v)", strings.Count(string(runs), "\n"), err)
	}
}

func TestCommandToken(t *testing.T) {
	t.Parallel()
	if got, err := api.CommandToken([]string{"printf", "%s\n", " a b "}).Token(t.Context(), ""); err != nil || got != "a b" {
		t.Errorf("got %q, %v", got, err)
	}
	// No shell: what would be one's syntax is passed on.
	if got, err := api.CommandToken([]string{"echo", "$HOME;`id`"}).Token(t.Context(), ""); err != nil || got != "$HOME;`id`" {
		t.Errorf("got %q, %v", got, err)
	}
	// A program left behind holds the output open; the token is there.
	begun := time.Now()
	if got, err := api.CommandToken([]string{"sh", "-c", "echo tok; sleep 60 & exit 0"}).Token(t.Context(), ""); err != nil || got != "tok" || time.Since(begun) > 8*time.Second {
		t.Errorf("got %q, %v after %s", got, err, time.Since(begun))
	}
}

func TestCommandTokenProblems(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		argv []string
		want string
	}{
		"none":              {nil, "the command names no program"},
		"blank":             {[]string{" "}, "the command names no program"},
		"unknown":           {[]string{"no-such-program-7", "argument"}, "the command no-such-program-7 could not be run: executable file not found in $PATH"},
		"a folder":          {[]string{"/tmp"}, "the command tmp could not be run: permission denied"},
		"exit status":       {[]string{"sh", "-c", "echo hidden; echo log in first >&2; exit 3"}, "the command sh failed with exit status 3: log in first"},
		"signal":            {[]string{"sh", "-c", "kill -9 $$"}, "the command sh failed with signal: killed"},
		"nothing printed":   {[]string{"sh", "-c", "echo 'not logged in' >&2"}, "the command sh printed no token: not logged in"},
		"too much printed":  {[]string{"sh", "-c", "head -c 100000 /dev/zero | tr '\\0' h"}, "the command sh printed more than 64 KiB: it does not print a token alone"},
		"two lines":         {[]string{"printf", "hidden\nalso hidden"}, "the command printf: the token holds a control character, a line break for one, or a character outside ASCII, which a header cannot carry"},
		"stdout in stderr":  {[]string{"sh", "-c", "echo hidden1; echo 'cannot store hidden1' >&2; exit 1"}, "the command sh failed with exit status 1: cannot store ***"},
		"secrets in stderr": {[]string{"sh", "-c", "printf 'GET https://joe:hidden@sso.example.com/t?code=hidden\\n Authorization: Bearer hiddenhiddenhiddenhidden\\n' >&2; exit 1"}, "the command sh failed with exit status 1: GET https://***@sso.example.com/t?*** Authorization: Bearer ***"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := api.CommandToken(test.argv).Token(t.Context(), "")
			if err == nil || err.Error() != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
	t.Run("long stderr", func(t *testing.T) {
		t.Parallel()
		_, err := api.CommandToken([]string{"sh", "-c", "yes 'no way' | head -c 1000000 >&2; exit 1"}).Token(t.Context(), "")
		if err == nil || len(err.Error()) > 600 || !strings.Contains(err.Error(), "no way no way") {
			t.Errorf("got %v", err)
		}
	})
}

// TestCommandTokenIsStopped: with its children, when the caller gives up.
func TestCommandTokenIsStopped(t *testing.T) {
	t.Parallel()
	ready := filepath.Join(t.TempDir(), "ready")
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	source := api.CommandToken([]string{"sh", "-c", `sh -c 'echo $$ > "$1.new"; mv "$1.new" "$1"; sleep 300' sh "$1"; echo never`, "sh", ready})
	go func() {
		_, err := source.Token(ctx, "")
		result <- err
	}()
	child := waitForFile(t, ready)
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	waitForExit(t, strings.TrimSpace(child))
}

// TestCommandTokenHangs: ten seconds of real time, beside the other tests.
func TestCommandTokenHangs(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	begun := time.Now()
	_, err := api.CommandToken([]string{"sh", "-c", "echo hidden; echo waiting for the browser >&2; sleep 300 & sleep 300"}).Token(t.Context(), "")
	want := "the command sh did not end within 10s and was stopped: waiting for the browser"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if d := time.Since(begun); d < 9*time.Second || d > 20*time.Second {
		t.Errorf("took %s", d)
	}
}

func encodeJWT(header, claims string) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(header)) + "." + encode([]byte(claims)) + ".c2ln"
}

// TestTokenAccount compares the accounts of two tokens.
func TestTokenAccount(t *testing.T) {
	t.Parallel()
	jwt := func(claims string) string { return encodeJWT(`{"alg":"RS256"}`, claims) }
	for name, test := range map[string]struct {
		one, other string
		same, none bool
	}{
		"renewed":            {one: jwt(`{"sub":"a","exp":1,"jti":"x"}`), other: jwt(`{"exp":2,"jti":"y","sub":"a"}`), same: true},
		"as a bearer token":  {one: jwt(`{"sub":"a"}`), other: "Bearer " + jwt(`{"sub":"a"}`), same: true},
		"another subject":    {one: jwt(`{"sub":"a"}`), other: jwt(`{"sub":"b"}`)},
		"another issuer":     {one: jwt(`{"sub":"a","iss":"x"}`), other: jwt(`{"sub":"a","iss":"y"}`)},
		"another customer":   {one: jwt(`{"sub":"a","customer_id":"1"}`), other: jwt(`{"sub":"a","customer_id":"2"}`)},
		"customer alone":     {one: jwt(`{"custom:customer_id":1}`), other: jwt(`{"custom:customer_id":2}`)},
		"claims of one name": {one: jwt(`{"sub":"1"}`), other: jwt(`{"customer_id":"1"}`)},
		"no account":         {one: jwt(`{"exp":1}`), other: jwt(`{"sub":""}`), same: true, none: true},
		"opaque":             {one: testToken, other: "a.b.c", same: true, none: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one, other := api.TokenAccount(test.one), api.TokenAccount(test.other)
			if (one == other) != test.same || (one == "") != test.none || (other == "") != test.none {
				t.Errorf("got %q and %q", one, other)
			}
		})
	}
}

func TestTokenExpiry(t *testing.T) {
	t.Parallel()
	const rs256 = `{"alg":"RS256","typ":"JWT"}`
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	seconds := fmt.Sprint(at.Unix())
	for name, test := range map[string]struct {
		token string
		ok    bool
	}{
		"RS256":                {encodeJWT(rs256, `{"sub":"x","exp":`+seconds+`}`), true},
		"fraction":             {encodeJWT(rs256, `{"exp":`+seconds+`.5}`), true},
		"bearer":               {"Bearer " + encodeJWT(rs256, `{"exp":`+seconds+`}`), true},
		"surrounded by space":  {" " + encodeJWT(rs256, `{"exp":`+seconds+`}`) + "\n", true},
		"algorithm unknown":    {encodeJWT(`{"alg":"XX1"}`, `{"exp":`+seconds+`}`), true},
		"no algorithm":         {encodeJWT(`{}`, `{"exp":`+seconds+`}`), true},
		"no exp":               {encodeJWT(rs256, `{"sub":"x"}`), false},
		"exp is a string":      {encodeJWT(rs256, `{"exp":"`+seconds+`"}`), false},
		"exp is huge":          {encodeJWT(rs256, `{"exp":1e300}`), false},
		"exp is negative":      {encodeJWT(rs256, `{"exp":-1}`), false},
		"claims are no object": {encodeJWT(rs256, `[1]`), false},
		"claims are no JSON":   {encodeJWT(rs256, `{`), false},
		"opaque":               {testToken, false},
		"opaque, with dots":    {"a.b.c", false},
		"empty":                {"", false},
		"huge":                 {strings.Repeat("a.", 1<<20), false},
		"deep":                 {encodeJWT(rs256, strings.Repeat("[", 40000)), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := api.TokenExpiry(test.token)
			if ok != test.ok || ok && !got.Equal(at) {
				t.Errorf("got %s, %t; want %s, %t", got, ok, at, test.ok)
			}
		})
	}
}
