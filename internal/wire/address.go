package wire

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

// ParseBaseURL reads a base address as a user writes it: an https URL, or http to a loopback
// address, which may have a port, a path prefix and a trailing slash. Every spelling of an address
// gives the same result: without a trailing slash or a default port, with the host in lower case.
// The error says what is wrong and what to write instead. It never repeats a query or user info.
func ParseBaseURL(address string) (*url.URL, error) {
	address = strings.TrimSpace(address)
	if address == "" {
		return nil, errors.New("the address is empty: write a URL such as https://api.example.com")
	}
	scheme, _, found := strings.Cut(address, "://")
	if !found || scheme == "" {
		return nil, errors.New("the address has no scheme: write it with https:// in front")
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("the address is not a URL (%s): write one such as https://api.example.com", urlProblem(err))
	}
	if err := checkParts(u, strings.Contains(address, "#")); err != nil {
		return nil, err
	}
	u.Scheme = strings.ToLower(u.Scheme)
	if err := CheckScheme(u); err != nil {
		return nil, err
	}
	normalizeHost(u)
	u = u.JoinPath("") // without a trailing slash, unless that is all
	if u.EscapedPath() == "/" {
		u.Path = ""
	}
	return u, nil
}

func checkParts(u *url.URL, fragment bool) error {
	switch {
	case u.Hostname() == "":
		return errors.New("the address has no host: write a URL such as https://api.example.com")
	case u.User != nil:
		return errors.New("the address contains a user name or password, for which there are attributes: remove what is before the @")
	case u.RawQuery != "" || u.ForceQuery:
		return errors.New("the address has a query: remove the ? and what follows")
	case fragment:
		return errors.New("the address has a fragment: remove the # and what follows")
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return fmt.Errorf("port %.10s of the address is not a number from 1 to 65535", port)
		}
	}
	return nil
}

// CheckScheme returns an error unless the scheme is https, or http to a loopback address. It
// applies to all addresses: requests carry a credential or, to storage, a signature.
func CheckScheme(u *url.URL) error {
	switch strings.ToLower(u.Scheme) {
	case "https":
		return nil
	case "http":
		if loopback(u.Hostname()) {
			return nil
		}
		return errors.New("the address is plain http, which is allowed to loopback addresses only: write https://")
	default:
		return fmt.Errorf("the scheme of the address is %.20q: write https://", u.Scheme)
	}
}

func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// normalizeHost gives the host one spelling and removes a default port.
func normalizeHost(u *url.URL) {
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if ip, err := netip.ParseAddr(host); err == nil {
		host = ip.String()
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	u.Host = host
	if port = strings.TrimLeft(port, "0"); port != "" && port != defaultPorts[u.Scheme] {
		u.Host += ":" + port
	}
}

var defaultPorts = map[string]string{"http": "80", "https": "443"}

// urlProblem returns what url.Parse found wrong, without the address itself.
func urlProblem(err error) string {
	problem := redact.URLError(err).Error()
	switch {
	case strings.HasPrefix(problem, "invalid URL escape"):
		return "a % that begins no escape"
	case strings.HasPrefix(problem, "invalid character"):
		return "a character that a host cannot have"
	case strings.HasPrefix(problem, "invalid port"):
		return "a port that is not a number"
	case strings.Contains(problem, "control character"):
		return "a control character"
	}
	return "malformed"
}

// join appends an escaped path, which begins with a slash, to a base address. Unlike URL.JoinPath,
// it keeps the slash if the base has no path, and does not resolve an id that is "..".
func join(base *url.URL, escaped string) *url.URL {
	u := *base
	u.RawPath = base.EscapedPath() + escaped
	plain, _ := url.PathUnescape(escaped)
	u.Path = base.Path + plain
	return &u
}
