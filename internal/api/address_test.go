package api_test

import (
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
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
		u, err := api.ParseBaseURL(address)
		if err != nil || u.String() != want {
			t.Errorf("%q: got %v, %v; want %s", address, u, err, want)
			continue
		}
		again, err := api.ParseBaseURL(u.String())
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
		u, err := api.ParseBaseURL(address)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, %v; want %s", address, u, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "hidden") {
			t.Errorf("%q: repeated in %v", address, err)
		}
	}
}

// TestPaths: base addresses with a prefix, a slash or a port, and ids that
// would change the path.
func TestPaths(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"https://h.example.com":             "https://h.example.com/live/v1/live-streams/session/a%2Fb%3Fc%23d%25",
		"https://h.example.com/":            "https://h.example.com/live/v1/live-streams/session/a%2Fb%3Fc%23d%25",
		"https://h.example.com:8443/p%2Fq/": "https://h.example.com:8443/p%2Fq/live/v1/live-streams/session/a%2Fb%3Fc%23d%25",
	} {
		service := always(200, sessionJSON)
		c := config(service)
		c.LiveBaseURL = base
		if _, err := newClient(t, c).GetSession(t.Context(), "a/b?c#d%"); err != nil {
			t.Fatal(err)
		}
		if got := service.requests()[0].URL; got != want {
			t.Errorf("%s: asked %s, want %s", base, got, want)
		}
	}
	for _, id := range []string{"", " ", ".", "..", "a\nb", "\x00"} {
		service := always(200, sessionJSON)
		if _, err := newClient(t, config(service)).GetSession(t.Context(), id); err == nil || len(service.requests()) != 0 {
			t.Errorf("id %q: %d requests, error %v", id, len(service.requests()), err)
		}
	}
}

func TestParseBaseURLTrims(t *testing.T) {
	t.Parallel()
	u, err := api.ParseBaseURL(" https://api.example.com/ \n")
	if err != nil || u.String() != "https://api.example.com" {
		t.Errorf("got %v, %v", u, err)
	}
}

func TestNewChecksItsConfiguration(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*api.Config)
		want   string
	}{
		"live address": {func(c *api.Config) { c.LiveBaseURL = "live.example.com" }, "the base address of the live API: the address has no scheme"},
		"vod address":  {func(c *api.Config) { c.VODBaseURL = "http://vod.example.com" }, "the base address of the upload and batch API: the address is plain http"},
		"retries":      {func(c *api.Config) { c.MaxRetries = -1 }, "retries is negative"},
		"timeout":      {func(c *api.Config) { c.RequestTimeout = -1 }, "time for one request is negative"},
		"credentials":  {func(c *api.Config) { c.AccessTokenID = "id:hidden" }, "contains a colon"},
		"user agent":   {func(c *api.Config) { c.UserAgent = "a\r\nb" }, "the user agent holds"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := config(nil)
			test.change(&c)
			_, err := api.New(c)
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "hidden") {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}
