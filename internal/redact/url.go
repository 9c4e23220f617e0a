package redact

import (
	"errors"
	"net/url"
	"slices"
	"strings"
)

// Address returns a URL as it may be shown, without query and user info.
func Address(u *url.URL) string {
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	return shown.String()
}

// URLError returns the cause of an error of net/http or net/url, whose own text has a whole URL.
func URLError(err error) error {
	for {
		quoting, ok := errors.AsType[*url.Error](err)
		if !ok {
			return err
		}
		err = quoting.Err
	}
}

const (
	// shortestBare, in bytes, is the shortest value in the URL of a stream that is searched for
	// without its name or the segment before it: shorter ones are ordinary words, such as true.
	shortestBare = 8
	// shortestOnly is the same for the only segment of a path, which may name the application.
	shortestOnly = 12
)

// streamSecrets lists the secrets in the URL of a stream: the password, the last segment of the
// path that is not empty, which is the stream key, and the values of the query. Without a scheme,
// it may also be the end of a path or the stream key alone.
func streamSecrets(address string) []string {
	rest := address
	_, behind, scheme := strings.Cut(address, "://")
	if scheme {
		rest = behind
	}
	rest, query, _ := strings.Cut(rest, "?")
	authority, path, found := strings.Cut(rest, "/")
	if !scheme && !found {
		authority, path = "", rest
	}
	secrets := queryValues(query, shortestBare)
	if info, _, found := strings.Cut(authority, "@"); found {
		_, password, _ := strings.Cut(info, ":")
		secrets = append(secrets, bareOr(password, info, shortestBare))
	}
	segments := segmentsOf(path)
	switch n := len(segments); {
	case n == 1 && authority == "":
		secrets = append(secrets, bareOr(segments[0], "", shortestBare))
	case n == 1 && !scheme && !strings.ContainsAny(authority, ".:"): // it is no host
		secrets = append(secrets, bareOr(segments[0], authority+"/"+segments[0], shortestBare))
	case n == 1:
		secrets = append(secrets, bareOr(segments[0], "", shortestOnly))
	case n > 1:
		secrets = append(secrets, bareOr(segments[n-1], segments[n-2]+"/"+segments[n-1], shortestBare))
	}
	// The stream key may stand behind the query.
	if segments := segmentsOf(query); len(segments) > 1 {
		secrets = append(secrets, bareOr(segments[len(segments)-1], "", shortestBare))
	}
	// A fragment is part of the last segment for some programs, and not for others.
	for _, secret := range secrets {
		if key, _, found := strings.Cut(secret, "#"); found {
			secrets = append(secrets, bareOr(key, "", shortestBare))
		}
	}
	return secrets
}

// segmentsOf returns the segments of a path that are not empty. Wowza's default instance of an
// application, _definst_, is none.
func segmentsOf(path string) []string {
	return slices.DeleteFunc(strings.Split(path, "/"), func(segment string) bool {
		return segment == "" || strings.EqualFold(segment, "_definst_")
	})
}

// bareOr returns a value that is long enough to be searched for alone, else the value with what
// belongs to it. An empty value is no secret.
func bareOr(value, whole string, shortest int) string {
	if value != "" && len(value) < shortest {
		return whole
	}
	return value
}

// PresignedSecrets lists the secrets in a presigned URL: the values of its query but
// plainParameters.
func PresignedSecrets(address string) []string {
	_, query, _ := strings.Cut(address, "?")
	return queryValues(query, shortestSecret)
}

// plainParameters are parameters of queries whose values are shown.
var plainParameters = []string{
	"partnumber", "uploadid", "versionid", "x-id", "expires", "date",
	"x-amz-algorithm", "x-amz-date", "x-amz-expires", "x-amz-signedheaders", "x-amz-content-sha256",
	"x-goog-algorithm", "x-goog-date", "x-goog-expires", "x-goog-signedheaders",
}

// queryValues lists the values of a query, short ones with their names.
func queryValues(query string, shortest int) (values []string) {
	for pair := range strings.SplitSeq(query, "&") {
		name, value, found := strings.Cut(pair, "=")
		if slices.Contains(plainParameters, strings.ToLower(name)) {
			continue
		}
		if plain, err := url.QueryUnescape(value); err == nil {
			value = plain
		}
		if !found {
			value, pair = name, ""
		}
		values = append(values, bareOr(value, pair, shortest))
	}
	return values
}
