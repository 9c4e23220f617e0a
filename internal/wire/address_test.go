package wire_test

import (
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/wire"
)

func TestParseBaseURL(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"\thttps://api.example.com/\n":       "https://api.example.com",
		"HTTPS://API.Example.com//":          "https://api.example.com",
		"https://api.example.com:8443/a/b/":  "https://api.example.com:8443/a/b",
		"https://api.example.com/a/../b//c/": "https://api.example.com/b/c",
		"https://api.example.com/a%2Fb/":     "https://api.example.com/a%2Fb",
		"https://api.example.com:443/":       "https://api.example.com",
		"https://[2001:db8::1]:444":          "https://[2001:db8::1]:444",
		"http://LOCALHOST:8080":              "http://localhost:8080",
		"http://127.8.9.10:80/x/":            "http://127.8.9.10/x",
		"http://[::1]:8080":                  "http://[::1]:8080",
	} {
		u, err := wire.ParseBaseURL(address)
		if err != nil || u.String() != want {
			t.Errorf("%q: got %v, %v; want %s", address, u, err, want)
			continue
		}
		if again, err := wire.ParseBaseURL(u.String()); err != nil || again.String() != want {
			t.Errorf("%q: once more: %v, %v", address, again, err)
		}
	}
	for address, want := range map[string]string{
		"":                                       "has no host",
		"api.example.com:8443/x":                 "no scheme: write it with https://",
		"https:api.example.com":                  "no scheme",
		"https://:443/":                          "no host",
		"http://api.example.com":                 "plain http, which is allowed to loopback addresses only: write https://",
		"http://127.0.0.1.example.com":           "plain http",
		"http://0.0.0.0":                         "plain http",
		"ftp://api.example.com":                  `the scheme of the address is "ftp": write https://`,
		"https://joe:hidden@api.example.com":     "user name or password",
		"https://api.example.com?key=hidden":     "has a query",
		"https://api.example.com/#hidden":        "has a query or a fragment",
		"https://api.example.com:65536":          "the port of the address",
		"https://api.example.com:hidden":         "not a URL",
		"https://api.example.com/%zz":            "not a URL",
		"https://api.example.com/a\x01hidden":    "not a URL",
		"https://api.example.com/x/live/v1/":     "remove /live/v1/ and what follows",
		"https://api.example.com/v1/local/batch": "remove /v1/local/",
	} {
		u, err := wire.ParseBaseURL(address)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%q: got %v, %v; want %s", address, u, err, want)
		}
	}
}
