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

// shortestBare, in bytes, is the shortest value in the URL of a stream that is searched for without
// its name or the segment before it: shorter ones are ordinary words, such as true.
const shortestBare = 8

// streamSecrets lists the secrets in the URL of a stream: the password, the last segment of the
// path, which is the stream key unless it is the only one, and the values of the query.
func streamSecrets(address string) []string {
	_, rest, _ := strings.Cut(address, "://")
	rest, query, _ := strings.Cut(rest, "?")
	authority, path, _ := strings.Cut(rest, "/")
	secrets := queryValues(query, shortestBare)
	if info, _, found := strings.Cut(authority, "@"); found {
		_, password, _ := strings.Cut(info, ":")
		secrets = append(secrets, bareOr(password, info, shortestBare))
	}
	if last := strings.LastIndexByte(path, '/'); last >= 0 {
		before := strings.LastIndexByte(path[:last], '/') + 1
		secrets = append(secrets, bareOr(path[last+1:], path[before:], shortestBare))
	}
	// The stream key may stand behind the query.
	if last := strings.LastIndexByte(query, '/'); last >= 0 {
		secrets = append(secrets, bareOr(query[last+1:], "", shortestBare))
	}
	return secrets
}

// bareOr returns a value that is long enough to be searched for alone, else the value with what
// belongs to it. An empty value is no secret.
func bareOr(value, whole string, shortest int) string {
	if value != "" && len(value) < shortest {
		return whole
	}
	return value
}

// PresignedSecrets lists the secrets in a presigned URL: the values of its query but plainParameters.
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
