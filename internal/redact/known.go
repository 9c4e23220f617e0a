package redact

import (
	"encoding/base64"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strings"
)

const (
	// shortestSecret, in bytes, is the shortest secret that is searched for.
	shortestSecret = 4
	// shortestValue, in bytes, is the shortest value in a presigned URL that is a secret. Shorter
	// ones are dates, versions and part numbers.
	shortestValue = 16
)

// newReplacer returns what masks the secrets in a text.
func newReplacer(secrets []string) *strings.Replacer {
	var forms []string
	for _, secret := range secrets {
		forms = append(forms, encodings(secret)...)
		// The part of a credential behind "Basic " or "Bearer ".
		if _, bare, found := strings.Cut(secret, " "); found {
			forms = append(forms, encodings(bare)...)
		}
	}
	// The longest first: of two that begin at the same place, the Replacer takes the first.
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(forms))
	for _, form := range forms {
		pairs = append(pairs, form, masked)
	}
	return strings.NewReplacer(pairs...)
}

// encodings lists how a secret may show: as it is, with white space collapsed, escaped for JSON,
// HTML or a URL, and in base64.
func encodings(secret string) []string {
	if len(secret) < shortestSecret {
		return nil
	}
	forms := []string{
		secret,
		strings.Join(strings.Fields(secret), " "),
		html.EscapeString(secret),
		url.QueryEscape(secret),
		url.PathEscape(secret),
		strings.ReplaceAll(secret, "/", `\/`),
		base64.StdEncoding.EncodeToString([]byte(secret)),
		base64.RawStdEncoding.EncodeToString([]byte(secret)),
		base64.URLEncoding.EncodeToString([]byte(secret)),
		base64.RawURLEncoding.EncodeToString([]byte(secret)),
	}
	if quoted, err := json.Marshal(secret); err == nil {
		forms = append(forms, strings.Trim(string(quoted), `"`))
	}
	return slices.DeleteFunc(forms, func(f string) bool { return len(f) < shortestSecret })
}

// StreamSecrets lists the secrets in the URLs of streams: user info, the path, its last segment,
// which is the stream key, and the query.
func StreamSecrets(addresses ...string) []string {
	var secrets []string
	for _, address := range addresses {
		_, rest, _ := strings.Cut(address, "://")
		authority, keyed, found := strings.Cut(rest, "/")
		if !found {
			continue
		}
		path, query, _ := strings.Cut(keyed, "?")
		secrets = append(secrets, address, keyed, path, query, path[strings.LastIndex(path, "/")+1:])
		if info, _, found := strings.Cut(authority, "@"); found {
			secrets = append(secrets, info)
		}
	}
	return secrets
}

// PresignedSecrets lists the secrets in a presigned URL: its query, and the longer values there.
func PresignedSecrets(address string) []string {
	u, err := url.Parse(address)
	if err != nil || u.RawQuery == "" {
		return nil
	}
	secrets := []string{u.RawQuery}
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		_, raw, _ := strings.Cut(pair, "=")
		plain, _ := url.QueryUnescape(raw)
		for _, secret := range []string{raw, plain} {
			if len(secret) >= shortestValue {
				secrets = append(secrets, secret)
			}
		}
	}
	return secrets
}
