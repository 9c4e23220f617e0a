package api_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
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
	belowAFile := "the file " + path("blank/below") + " cannot be read: not a directory"
	if runtime.GOOS == "windows" {
		belowAFile = "the file " + path("blank/below") + " does not exist"
	}
	for name, want := range map[string]string{
		"missing":          "the file " + path("missing") + " does not exist",
		"missing/below":    "the file " + path("missing/below") + " does not exist",
		"blank/below":      belowAFile,
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
			if name == "unreadable" && os.Geteuid() <= 0 { // -1 on Windows
				t.Skip("root reads everything, and on Windows no mode keeps anybody from reading")
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
