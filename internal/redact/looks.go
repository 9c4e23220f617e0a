package redact

import (
	"regexp"
	"slices"
	"strings"
)

// masked replaces a secret.
const masked = "***"

// patterns finds secrets by their looks. They are applied in this order. A pattern is skipped if
// the text has none of the characters that it needs: that is quicker to find out.
var patterns = []struct {
	needs string
	find  *regexp.Regexp
	with  string
}{
	// An rtmp URL, also with its slashes escaped or a word before it: the path is the stream key.
	{":", regexp.MustCompile(`(?i)(rtmp[a-z]*:\\?/\\?/)(?:[^\s"<>/\\@]*@)?([^\s"<>/\\?#]*)[^\s"<>]*`), "$1$2/" + masked},
	// A URL that is itself escaped, as inside another one.
	{"%", regexp.MustCompile(`(?i)((?:https?|rtmp[a-z]*)%3a)%2f[^\s"<>]*`), "$1" + masked},
	// User info, in a URL or before a host.
	{"@", regexp.MustCompile(`(//|\\/)[^\s"<>/\\@]+@`), "$1" + masked + "@"},
	{"@", regexp.MustCompile(`[^\s"<>/@:]+:[^\s"<>/@]+@`), masked + "@"},
	// A query string, and a fragment that looks like one.
	{"=", regexp.MustCompile(`[?#][^\s"<>?]*=[^\s"<>]*`), "?" + masked},
	// Parameters of a signature on their own.
	{"=:", regexp.MustCompile(`(?i)\b(x-(?:amz|goog)-[a-z-]+|signature|sig|awsaccesskeyid|key-pair-id|(?:access|id|refresh|security|session)[_-]?token|secret(?:[_-]?key)?|password|stream[_-]?key)(\s*=\s*|\\?["']\s*:\s*\\?["'])[^\s"'<>&,;\\]+`), "$1$2" + masked},
	// A header value with a credential.
	{" ", regexp.MustCompile(`(?i)\b(bearer|basic) +[a-z0-9._~+/=-]{16,}`), "$1 " + masked},
	// A JWT.
	{".", regexp.MustCompile(`\beyJ[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+){1,4}\.?`), masked},
}

func maskByLooks(s string) string {
	for _, p := range patterns {
		if strings.ContainsAny(s, p.needs) {
			s = p.find.ReplaceAllString(s, p.with)
		}
	}
	return s
}

var (
	withoutSeparators = strings.NewReplacer("_", "", "-", "", " ", "")
	secretPrefixes    = []string{"inputsource", "outputdestination", "inputendpoint", "outputendpoint"}
	secretParts       = []string{"presigned", "token", "secret", "password", "credential", "signature", "authorization", "streamkey", "cookie"}
)

// secretKey reports whether the value of a JSON field is a secret as a whole.
func secretKey(key string) bool {
	key = strings.ToLower(withoutSeparators.Replace(key))
	return strings.HasSuffix(key, "url") || strings.HasSuffix(key, "uri") ||
		slices.ContainsFunc(secretPrefixes, func(prefix string) bool { return strings.HasPrefix(key, prefix) }) ||
		slices.ContainsFunc(secretParts, func(part string) bool { return strings.Contains(key, part) })
}
