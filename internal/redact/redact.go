// Package redact takes secrets out of texts before they are shown. It finds the secrets that it was
// told, as they are and as the usual encodings write them, and cuts what looks like one: query
// strings, user info, the paths of RTMP URLs and tokens.
//
// Not found are secrets of fewer than six bytes, parts of a secret, and a secret that was encoded
// twice.
package redact

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"html"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
)

const (
	masked = "***"
	// shortest, in bytes, is the shortest secret that is searched for.
	shortest = 6
	// urlSecretsKept is how many secrets of URLs are known, the latest ones: a data source reads
	// more stream keys, and an upload has more addresses.
	urlSecretsKept = 512
	// lineLimit is the length of a line in characters, and lineRead how many bytes of a text are
	// looked at for it.
	lineLimit = 500
	lineRead  = 64 << 10
)

// Redactor masks the secrets in texts. It is safe for concurrent use.
type Redactor struct {
	mu      sync.RWMutex
	secrets map[string]bool
	ofURLs  []string // secrets of URLs, the oldest first
	needles []string // the forms of all secrets, the longest first
}

// New returns a Redactor that knows the given secrets.
func New(secrets ...string) *Redactor {
	r := &Redactor{secrets: map[string]bool{}}
	r.Add(secrets...)
	return r
}

// Add makes r know more secrets.
func (r *Redactor) Add(secrets ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, secret := range secrets {
		secret = strings.TrimSpace(secret)
		if len(secret) < shortest || r.secrets[secret] {
			continue
		}
		r.secrets[secret] = true
		r.insert(secret)
	}
}

// AddURLs makes r know the secrets in presigned URLs and in those of streams.
func (r *Redactor) AddURLs(addresses ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, address := range addresses {
		secrets := PresignedSecrets(address)
		if strings.HasPrefix(strings.ToLower(address), "rtmp") {
			secrets = streamSecrets(address)
		}
		for _, secret := range secrets {
			if len(secret) >= shortest && !r.secrets[secret] && !slices.Contains(r.ofURLs, secret) {
				r.ofURLs = append(r.ofURLs, secret)
				r.insert(secret)
			}
		}
	}
	if len(r.ofURLs) > urlSecretsKept {
		r.ofURLs = slices.Clone(r.ofURLs[len(r.ofURLs)-urlSecretsKept/2:])
		r.needles = nil
		for _, secret := range slices.AppendSeq(slices.Clone(r.ofURLs), maps.Keys(r.secrets)) {
			r.insert(secret)
		}
	}
}

// insert adds the forms of a secret to the needles.
func (r *Redactor) insert(secret string) {
	for _, form := range formsOf(secret) {
		at, _ := slices.BinarySearchFunc(r.needles, form, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
		r.needles = slices.Insert(r.needles, at, form)
	}
}

// formsOf returns the ways in which texts write a secret.
func formsOf(secret string) []string {
	quoted, _ := json.Marshal(secret)
	inJSON := strings.Trim(string(quoted), `"`)
	hexadecimal := hex.EncodeToString([]byte(secret))
	forms := []string{
		secret, url.QueryEscape(secret), url.PathEscape(secret), inJSON, strings.ReplaceAll(inJSON, "/", `\/`),
		strings.Trim(strconv.Quote(secret), `"`), html.EscapeString(secret), hexadecimal, strings.ToUpper(hexadecimal),
	}
	lowerEscapes := func(text string) string { return percentEscape.ReplaceAllStringFunc(text, strings.ToLower) }
	forms = append(forms, lowerEscapes(forms[1]), lowerEscapes(forms[2]))
	for before := range 3 { // bytes in front of the secret, which shift its base64 form
		encoded := base64.StdEncoding.EncodeToString([]byte("\x00\x00"[:before] + secret))
		encoded = encoded[(before*8+5)/6 : (before+len(secret))*8/6]
		forms = append(forms, encoded, strings.NewReplacer("+", "-", "/", "_").Replace(encoded))
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}

var percentEscape = regexp.MustCompile(`%[0-9A-F]{2}`)

// streamSecrets lists the secrets in the URL of a stream: the last segment of the path, which is the
// stream key, the query and the password.
func streamSecrets(address string) []string {
	path, query, _ := strings.Cut(address, "?")
	path = strings.TrimRight(path, "/")
	secrets := []string{address, query, path[strings.LastIndexByte(path, '/')+1:]}
	if u, err := url.Parse(address); err == nil && u.User != nil {
		password, _ := u.User.Password()
		secrets = append(secrets, password)
	}
	return secrets
}

// PresignedSecrets lists the secrets in a presigned URL: its query, and the values in it that sign.
func PresignedSecrets(address string) []string {
	_, query, _ := strings.Cut(address, "?")
	secrets := []string{query}
	values, _ := url.ParseQuery(query)
	for name, list := range values {
		if secretName.MatchString(name) {
			secrets = append(secrets, list...)
		}
	}
	return secrets
}

const secretNames = `(?:token|secret|passw(?:or)?d|passphrase|signature|\bsig|credential|authorization|cookie|api.?key|access.?key(?:.?id)?|private.?key|stream.?(?:key|name)|jwt)`

var (
	secretName = regexp.MustCompile(`(?i)` + secretNames + `$`)

	// patterns find what looks like a secret: what is between the two groups, which stay.
	patterns = []*regexp.Regexp{
		// The path of the URL of a stream.
		regexp.MustCompile(`(?i)(rtmps?(?::|%3a)(?:\\?/|%2f){2}(?:[^\s"'<>/\\?#%]*@)?[^\s"'<>/\\?#%]*(?:\\?[/?#]|%[0-9a-f]{2}))[^\s"'<>]+()`),
		// User info.
		regexp.MustCompile(`(//)[^\s"<>/\\@]+(@)`),
		// A query.
		regexp.MustCompile(`(\?)[^\s"'<>?]*=[^\s"'<>]*()`),
		regexp.MustCompile(`(?i)(\b(?:bearer|basic) +)[a-z0-9._~+/=-]{16,}()`),
		// A JWT.
		regexp.MustCompile(`(\b)eyJ[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+){1,4}()`),
		// A value with a digit that has the name of a secret.
		regexp.MustCompile(`(?i)(` + secretNames + `\\?["']?\s*[:=]\s*\\?["']?)[^\s"'<>&,;\\]*[0-9][^\s"'<>&,;\\]*()`),
	}
)

// Text masks the secrets in s and leaves all else as it is.
func (r *Redactor) Text(s string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return mask(s, r.needles)
}

func mask(s string, needles []string) string {
	for _, needle := range needles {
		s = strings.ReplaceAll(s, needle, masked)
	}
	for _, p := range patterns {
		s = p.ReplaceAllString(s, "${1}"+masked+"${2}")
	}
	return s
}

// Line masks the secrets in s, and those in also, and makes one line of at most 500 characters.
func (r *Redactor) Line(s string, also ...string) string {
	s = s[:min(len(s), lineRead)]
	for _, secret := range also {
		if len(secret) >= shortest {
			s = mask(s, formsOf(secret))
		}
	}
	s = strings.Join(strings.Fields(r.Text(s)), " ")
	s = parse.Escape(strings.ToValidUTF8(s, "\uFFFD"))
	if utf8.RuneCountInString(s) > lineLimit {
		s = string([]rune(s)[:lineLimit-1]) + "…"
	}
	return s
}

// Lines masks the secrets in s and escapes control characters except line breaks and tabs.
func (r *Redactor) Lines(s string) string { return parse.EscapeBut(r.Text(s), "\n\t") }

type logKey struct{}

// Log returns a context in which Debug, Info and Warn log, without the secrets that are known by then
// and what looks like one. The masks of tflog would write to a map that all loggers of a request
// share: two lines at once end the process (terraform-plugin-log, issue 246).
func (r *Redactor) Log(ctx context.Context) context.Context {
	return context.WithValue(ctx, logKey{}, r)
}

// Debug logs a line, unless the context is not one of Log.
func Debug(ctx context.Context, message string, fields map[string]any) {
	write(ctx, tflog.Debug, message, fields)
}

// Info is as Debug.
func Info(ctx context.Context, message string, fields map[string]any) {
	write(ctx, tflog.Info, message, fields)
}

// Warn is as Debug.
func Warn(ctx context.Context, message string, fields map[string]any) {
	write(ctx, tflog.Warn, message, fields)
}

func write(ctx context.Context, log func(context.Context, string, ...map[string]any), message string, fields map[string]any) {
	r, ok := ctx.Value(logKey{}).(*Redactor)
	if !ok {
		return
	}
	shown := map[string]any{}
	for name, value := range fields {
		if text, isText := value.(string); isText {
			value = r.Text(text)
		}
		shown[name] = value
	}
	log(ctx, r.Text(message), shown)
}

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
