package api

import (
	"encoding/base64"
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

const (
	masked = "***"
	// shortestSecret: masking anything shorter would tear up every text.
	shortestSecret = 4
	// tokensKept bounds the identity tokens remembered while they rotate.
	tokensKept = 16
)

// masker takes the secrets of a client out of texts: known ones wherever they
// show, in the forms that a service reflects them in, and, by their looks,
// query strings, user info, stream keys and tokens that are not known.
type masker struct {
	mu     sync.Mutex
	forms  []string          // of the credentials
	tokens []string          // identity tokens seen, oldest first
	known  *strings.Replacer // of both; nil: to be made
}

func newMasker(tokenID, secretKey string) *masker {
	m := &masker{}
	for _, secret := range []string{tokenID, secretKey} {
		m.forms = append(m.forms, formsOf(secret)...)
	}
	if tokenID != "" || secretKey != "" {
		m.forms = append(m.forms, formsOf(tokenID+":"+secretKey)...)
	}
	return m
}

// learn adds an identity token.
func (m *masker) learn(token string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if token == "" || slices.Contains(m.tokens, token) {
		return
	}
	m.tokens = append(m.tokens, token)
	m.known = nil
	if extra := len(m.tokens) - tokensKept; extra > 0 {
		m.tokens = slices.Delete(m.tokens, 0, extra)
	}
}

// text masks s; more are secrets of the call at hand.
func (m *masker) text(s string, more ...string) string {
	return maskPatterns(m.replacer(more).Replace(s))
}

func (m *masker) replacer(more []string) *strings.Replacer {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(more) > 0 {
		return newReplacer(m.forms, slices.Concat(m.tokens, more))
	}
	if m.known == nil {
		m.known = newReplacer(m.forms, m.tokens)
	}
	return m.known
}

func newReplacer(forms, secrets []string) *strings.Replacer {
	forms = slices.Clone(forms)
	for _, secret := range secrets {
		forms = append(forms, formsOf(secret)...)
		// The part of a token behind "Bearer ".
		if _, bare, found := strings.Cut(secret, " "); found {
			forms = append(forms, formsOf(bare)...)
		}
	}
	// The longest first: where two begin together, the Replacer takes the
	// first.
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(forms))
	for _, form := range forms {
		pairs = append(pairs, form, masked)
	}
	return strings.NewReplacer(pairs...)
}

// formsOf lists how a secret may show: as it is, with white space collapsed,
// escaped for JSON, HTML or a URL, and in base64.
func formsOf(secret string) []string {
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
	slices.Sort(forms)
	forms = slices.Compact(forms)
	return slices.DeleteFunc(forms, func(f string) bool { return len(f) < shortestSecret })
}

// patterns finds secrets by their looks; each is replaced in this order. Few
// texts have any of the characters that a pattern needs, which is quicker to
// find out.
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

func maskPatterns(s string) string {
	for _, p := range patterns {
		if strings.ContainsAny(s, p.needs) {
			s = p.find.ReplaceAllString(s, p.with)
		}
	}
	return s
}

// sensitiveKey tells whether the value of a JSON field is a secret as a whole.
func sensitiveKey(key string) bool {
	k := fold(key)
	for _, prefix := range []string{"inputsource", "outputdestination", "inputendpoint", "outputendpoint"} {
		if strings.HasPrefix(k, prefix) {
			return true
		}
	}
	for _, part := range []string{"presigned", "token", "secret", "password", "credential", "signature", "authorization", "streamkey", "cookie"} {
		if strings.Contains(k, part) {
			return true
		}
	}
	return strings.HasSuffix(k, "url") || strings.HasSuffix(k, "uri")
}

// maskJSON masks a decoded JSON value: fields that are secrets as a whole, and
// whatever looks like one in any other string.
func (m *masker) maskJSON(v any, more []string) any {
	known := m.replacer(more)
	return maskValue(v, func(s string) string { return maskPatterns(known.Replace(s)) })
}

func maskValue(v any, text func(string) string) any {
	switch v := v.(type) {
	case string:
		return text(v)
	case []any:
		for i := range v {
			v[i] = maskValue(v[i], text)
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			if sensitiveKey(key) && value != nil && value != "" {
				out[text(key)] = masked
			} else {
				out[text(key)] = maskValue(value, text)
			}
		}
		return out
	}
	return v
}

// streamSecrets are the stream keys in rtmp URLs: the path, its last segment
// and the query.
func streamSecrets(addresses ...string) []string {
	var secrets []string
	for _, address := range addresses {
		_, rest, found := strings.Cut(address, "://")
		if !found {
			continue
		}
		_, keyed, found := strings.Cut(rest, "/")
		if !found {
			continue
		}
		path, query, _ := strings.Cut(keyed, "?")
		secrets = append(secrets, address, keyed, path, query, path[strings.LastIndex(path, "/")+1:])
		if info, _, found := strings.Cut(strings.SplitN(rest, "/", 2)[0], "@"); found {
			secrets = append(secrets, info)
		}
	}
	return secrets
}
