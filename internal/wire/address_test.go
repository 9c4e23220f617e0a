package wire_test

import (
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire/wiretest"
)

func TestParseBaseURL(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://api.example.com":            "https://api.example.com",
		"HTTPS://API.Example.com":            "https://api.example.com",
		"https://api.example.com//":          "https://api.example.com",
		"https://api.example.com:8443/a/b/":  "https://api.example.com:8443/a/b",
		"https://api.example.com:/a":         "https://api.example.com/a",
		"https://api.example.com/a/../b//c/": "https://api.example.com/b/c",
		"https://api.example.com/a%2Fb/":     "https://api.example.com/a%2Fb",
		"https://api.example.com/a%2F/":      "https://api.example.com/a%2F",
		"https://api.example.com//./":        "https://api.example.com",
		"https://192.0.2.1":                  "https://192.0.2.1",
		"https://[2001:db8::1]:444":          "https://[2001:db8::1]:444",
		"http://localhost:8080":              "http://localhost:8080",
		"http://LOCALHOST":                   "http://localhost",
		"http://127.0.0.1/x/":                "http://127.0.0.1/x",
		"http://127.8.9.10:1":                "http://127.8.9.10:1",
		"http://[::1]:8080":                  "http://[::1]:8080",
		"https://api.example.com:443/":       "https://api.example.com",
		"https://api.example.com:0443":       "https://api.example.com",
		"https://api.example.com:80":         "https://api.example.com:80",
		"http://127.0.0.1:80":                "http://127.0.0.1",
		"http://127.0.0.1:443":               "http://127.0.0.1:443",
		"http://[0:0:0:0:0:0:0:1]:80/":       "http://[::1]",
		"https://[2001:DB8:0::1]:443":        "https://[2001:db8::1]",
		"https://[fe80::1%25ETH0]":           "https://[fe80::1%25eth0]",
		"http://[::ffff:127.0.0.1]":          "http://[::ffff:127.0.0.1]",
	} {
		u, err := wire.ParseBaseURL(address)
		if err != nil || u.String() != want {
			t.Errorf("%q: got %v, %v; want %s", address, u, err, want)
			continue
		}
		again, err := wire.ParseBaseURL(u.String())
		if err != nil || again.String() != want {
			t.Errorf("%q: once more: %v, %v", address, again, err)
		}
	}
	for address, want := range map[string]string{
		"":                                    "the address is empty",
		"  ":                                  "the address is empty",
		"api.example.com":                     "no scheme: write it with https://",
		"api.example.com:8443/x":              "no scheme: write it with https://",
		"localhost:8080":                      "no scheme",
		"//api.example.com":                   "no scheme",
		"://api.example.com":                  "no scheme",
		"https:api.example.com":               "no scheme",
		"https://":                            "no host",
		"https:///path":                       "no host",
		"https://:443/":                       "no host",
		"http://api.example.com":              "plain http, which is allowed to loopback addresses only: write https://",
		"http://10.0.0.1":                     "plain http",
		"http://127.0.0.1.example.com":        "plain http",
		"http://localhost.example.com":        "plain http",
		"http://0.0.0.0":                      "plain http",
		"http://128.0.0.1":                    "plain http",
		"ftp://api.example.com":               `the scheme of the address is "ftp": write https://`,
		"https://joe:hidden@api.example.com":  "user name or password",
		"https://hidden@api.example.com":      "user name or password",
		"https://api.example.com?key=hidden":  "has a query",
		"https://api.example.com?":            "has a query",
		"https://api.example.com/#hidden":     "has a fragment",
		"https://api.example.com#":            "has a fragment",
		"https://api.example.com:0":           "port 0 of the address",
		"https://api.example.com:65536":       "port 65536 of the address",
		"https://api.example.com:hidden":      "a port that is not a number",
		"https://api .example.com":            "a character that a host cannot have",
		"https://api.example.com/%zz":         "a % that begins no escape",
		"https://api.example.com/a\x01hidden": "a control character",
		"https://[::1":                        "not a URL",
		"https://ho st:hidden@h/":             "not a URL",
	} {
		u, err := wire.ParseBaseURL(address)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, %v; want %s", address, u, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "hidden") {
			t.Errorf("%q: repeated in %v", address, err)
		}
	}
}

func TestParseBaseURLTrims(t *testing.T) {
	t.Parallel()
	u, err := wire.ParseBaseURL(" https://api.example.com/ \n")
	if err != nil || u.String() != "https://api.example.com" {
		t.Errorf("got %v, %v", u, err)
	}
}

func FuzzParseBaseURL(f *testing.F) {
	for _, seed := range []string{"https://api.example.com", "https://h:8443/a/../b/", "http://127.0.0.1:1/", "http://[::1%25lo]/", "https://joe:hidden@h", "https://h?x", "https://h#", "h", "https://h/%2e%2e/x", "https://h//", "http://localhost.", "https://H:", "https://h/a%2F/"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		u, err := wire.ParseBaseURL(address)
		if err != nil {
			if !utf8.ValidString(err.Error()) || len(err.Error()) > 300 {
				t.Errorf("got %q", err)
			}
			return
		}
		if u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Hostname() == "" || strings.HasSuffix(u.EscapedPath(), "/") || u.Scheme != "https" && u.Scheme != "http" {
			t.Errorf("%q: got %#v", address, u)
		}
		again, err := wire.ParseBaseURL(u.String())
		if err != nil || again.String() != u.String() {
			t.Errorf("%q: %s, then %v, %v", address, u, again, err)
		}
		// Calls can be made to it.
		service := wiretest.Always(200, good)
		c := config(service)
		c.LiveBaseURL = address
		client := newClient(t, c)
		must.Succeed(t, client.do(t.Context(), wire.Call{Endpoint: client.live, Method: http.MethodGet, Path: "/a%2Fb"}))
		if got := service.Requests()[0].URL; got != u.String()+"/a%2Fb" {
			t.Errorf("%q: asked %s", address, got)
		}
	})
}
