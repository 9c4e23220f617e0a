package parse

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// defaultPorts are the ports of rtmp and rtmps, by scheme.
var defaultPorts = map[string]string{"rtmp": "1935", "rtmps": "443"}

// StreamURL are the parts of a URL.
type StreamURL struct {
	Scheme, Host string
	Port         int64  // in the URL, or the default one
	App          string // the path before the stream key, "" if there is none
	StreamKey    string // the last part of the path, with the query; "" if there is none
	ServerURL    string // the URL without the stream key
}

// SplitStreamURL returns the parts of a URL, or what is wrong with it. It never returns a part of
// the URL in the problem.
func SplitStreamURL(given string) (parts StreamURL, problem string) {
	u, err := url.Parse(given)
	switch {
	case err != nil:
		return parts, "cannot be read as a URL"
	case defaultPorts[u.Scheme] == "": // Parse returns the scheme in lower case
		return parts, "does not begin with rtmp:// or rtmps://"
	case u.Hostname() == "":
		return parts, "has no host"
	}
	if problem := PortProblem(u); problem != "" {
		return parts, problem
	}
	parts = StreamURL{Scheme: u.Scheme, Host: u.Hostname(), ServerURL: given}
	parts.Port, _ = strconv.ParseInt(portOf(u), 10, 64)
	// Encoders send the text as it is, so it is not unescaped.
	_, rest, _ := strings.Cut(given, "://")
	_, path, _ := strings.Cut(rest, "/")
	beforeQuery, _, _ := strings.Cut(path, "?")
	last := strings.LastIndexByte(beforeQuery, '/')
	if last < 0 {
		last = strings.LastIndexByte(path, '/') // app?query/key
	}
	if last < 0 {
		parts.App = path
		return parts, ""
	}
	parts.App, parts.StreamKey = path[:last], path[last+1:]
	parts.ServerURL = given[:len(given)-len(path)+last]
	return parts, ""
}

// PortProblem returns what is wrong with the port of a URL, "" if nothing is. url.Parse accepts
// every number, and host:1935:1935.
func PortProblem(u *url.URL) string {
	if strings.Contains(u.Hostname(), ":") && !strings.HasPrefix(u.Host, "[") {
		return "has two ports after its host (the address of an IPv6 host needs brackets: [::1])"
	}
	if number, err := strconv.Atoi(cmp.Or(u.Port(), "1")); err == nil && number >= 1 && number <= 65535 {
		return ""
	}
	if len(u.Port()) > 10 {
		return fmt.Sprintf("has a port of %d digits, which is not between 1 and 65535", len(u.Port()))
	}
	return fmt.Sprintf("has the port %s, which is not between 1 and 65535", u.Port())
}

// SameStreamURL reports whether two texts are the same URL: they may differ in the letter case of
// scheme and host, and one may leave out the default port.
func SameStreamURL(a, b string) bool { return CanonicalStreamURL(a) == CanonicalStreamURL(b) }

// CanonicalStreamURL returns the one spelling that all spellings of a URL share. What cannot be
// read as a URL is returned as it is.
func CanonicalStreamURL(given string) string {
	u, err := url.Parse(given)
	if err != nil {
		return given
	}
	u.Scheme = strings.ToLower(u.Scheme)
	u.Host = strings.ToLower(u.Hostname()) + ":" + portOf(u)
	return u.String()
}

func portOf(u *url.URL) string { return cmp.Or(u.Port(), defaultPorts[u.Scheme]) }
