package parse

import (
	"cmp"
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
	case PortProblem(u) != "":
		return parts, PortProblem(u)
	}
	parts = StreamURL{Scheme: u.Scheme, Host: u.Hostname(), ServerURL: given}
	parts.Port, _ = strconv.ParseInt(portOf(u), 10, 64)
	// Encoders send the text as it is, so it is not unescaped.
	_, rest, _ := strings.Cut(given, "://")
	_, path, _ := strings.Cut(rest, "/")
	beforeQuery, _, _ := strings.Cut(path, "?")
	parts.App = path
	if last := strings.LastIndexByte(beforeQuery, '/'); last >= 0 {
		parts.App, parts.StreamKey = path[:last], path[last+1:]
		parts.ServerURL = given[:len(given)-len(path)+last]
	}
	return parts, ""
}

// PortProblem returns what is wrong with the host and the port of a URL, "" if nothing is. url.Parse
// accepts every number, host:1935:1935, and a second scheme as a host with an empty port.
func PortProblem(u *url.URL) string {
	number, err := strconv.Atoi(cmp.Or(u.Port(), "1"))
	switch {
	case strings.Contains(u.Host, ","):
		return "has a comma in its host"
	case strings.HasSuffix(u.Host, ":"):
		return "has a colon without a port behind its host, or a second scheme"
	case strings.Contains(u.Hostname(), ":") && !strings.HasPrefix(u.Host, "["):
		return "has two ports after its host (the address of an IPv6 host needs brackets: [::1])"
	case err != nil || number < 1 || number > 65535:
		return "has a port that is not between 1 and 65535"
	}
	return ""
}

// SameStreamURL reports whether two texts are the same URL: they may differ in the letter case of
// scheme and host, and one may leave out the default port.
func SameStreamURL(a, b string) bool { return canonicalStreamURL(a) == canonicalStreamURL(b) }

// canonicalStreamURL returns the one spelling that all spellings of a URL share. What cannot be read
// as a URL is returned as it is.
func canonicalStreamURL(given string) string {
	u, err := url.Parse(given)
	if err != nil {
		return given
	}
	u.Host = strings.ToLower(u.Hostname()) + ":" + portOf(u)
	return u.String()
}

func portOf(u *url.URL) string { return cmp.Or(u.Port(), defaultPorts[u.Scheme]) }
