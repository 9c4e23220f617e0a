// Package redact takes secrets out of texts before they are shown: texts of the service and of
// storage, errors, logs and diagnostics. No other package masks anything.
//
// A Redactor finds secrets in two ways. It searches for those that it was told, also for parts of
// 12 bytes, in any letter case, and behind up to three encodings: percent, JSON, HTML, base64,
// hexadecimal (known.go, layer.go). It hides whatever looks like a secret: query strings, user
// info, stream keys, tokens, signatures, values of fields with such names (pattern.go). Both search
// copies of the text, and hide the bytes that the found ones come from.
//
// Limits: a known secret of fewer than 4 bytes is not searched for, because masking it would make
// every text unreadable, and one of fewer than 8 not within a word. For the same reason values of
// fewer than 8 bytes in the URL of a stream are searched for together with their names only, and
// the only segment of its path if it has at least 12. Once stream keys are thousands, only the
// first 12 bytes of further ones are searched for (known.go). A secret that is neither known nor
// recognisable is shown.
package redact

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
)

const (
	// masked replaces a secret.
	masked = "***"
	// lineLimit, in characters, is the length of a Line, and lineRead, in bytes, how much of a text
	// is read for it.
	lineLimit = 500
	lineRead  = 64 << 10
)

// Redactor masks the secrets in texts. It is safe for concurrent use.
type Redactor struct {
	mu          sync.RWMutex
	credentials *index
	streams     *index
	added       map[string]bool // credentials
}

// New returns a Redactor that knows the secrets given. Without any it masks only what looks like a
// secret.
func New(secrets ...string) *Redactor {
	r := &Redactor{credentials: newIndex(), streams: newIndex(), added: map[string]bool{}}
	r.Add(secrets...)
	return r
}

// Add makes r know more secrets, as long as it exists.
func (r *Redactor) Add(secrets ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, secret := range secrets {
		if !r.added[secret] { // the token of each request is added
			r.added[secret] = true
			r.credentials.add(secret, true)
		}
	}
}

// AddName makes r know secrets that are masked as a whole only, because a part of them may name
// something that is shown: an access token id may have the customer's id in it.
func (r *Redactor) AddName(secrets ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, secret := range secrets {
		r.credentials.addWhole(secret)
	}
}

// AddStreams makes r know the secrets in URLs of streams. The texts shown are not secret, even if
// they are part of one: the service may make a stream key from the id of its session.
func (r *Redactor) AddStreams(shown []string, addresses ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, text := range shown {
		r.streams.publish(text)
	}
	for _, address := range addresses {
		for _, secret := range streamSecrets(address) {
			r.streams.add(secret, len(r.streams.parts) < enough)
		}
	}
}

// Text masks the secrets in s and leaves all else as it is.
func (r *Redactor) Text(s string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return text(s, r.credentials, r.streams)
}

// text masks the secrets that any of the indexes knows.
func text(s string, known ...*index) string {
	hidden := make([]bool, len(s))
	mark(plainLayer(s), known, encodingsAtMost, true, hidden)
	if !slices.Contains(hidden, true) {
		return s
	}
	var shown strings.Builder
	for i := range len(s) {
		switch {
		case !hidden[i]:
			shown.WriteByte(s[i])
		case i == 0 || !hidden[i-1]:
			shown.WriteString(masked)
		}
	}
	return shown.String()
}

// mark hides the secrets in a layer and in the layers that are encoded in it. What base64 and
// hexadecimal digits say is searched for known secrets only.
func mark(l *layer, known []*index, encodingsLeft int, patterns bool, hidden []bool) {
	if len(l.bytes) == 0 {
		return
	}
	if patterns {
		markPatterns(l, hidden)
	}
	folded := l.folded()
	for _, x := range known {
		x.mark(folded, hidden)
	}
	if encodingsLeft == 0 {
		return
	}
	if u, escaped := l.unescaped(); escaped {
		mark(u, known, encodingsLeft-1, patterns, hidden)
	}
	for i := range encodings {
		for phase := range encodings[i].phases {
			mark(l.decoded(&encodings[i], phase), known, encodingsLeft-1, false, hidden)
		}
	}
}

// Line masks the secrets in s and makes one line of valid UTF-8 of it, without control and format
// characters, of at most 500 characters. Of a long s it reads the words in the first 64 KiB. It
// also masks the secrets in also, which r does not get to know.
func (r *Redactor) Line(s string, also ...string) string {
	known := []*index{r.credentials, r.streams}
	if len(also) > 0 { // an index is large, and most lines have none
		given := newIndex()
		for _, secret := range also {
			given.add(secret, true)
		}
		known = append(known, given)
	}
	if len(s) > lineRead {
		s = s[:lineRead]
		if end := strings.LastIndexAny(s, " \t\r\n"); end > 0 {
			s = s[:end] // half of a short secret would not be recognised
		}
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	s = text(strings.Join(strings.Fields(strings.Map(func(c rune) rune {
		if !parse.Safe(string(c)) && c != '\n' && c != '\t' && c != '\r' {
			return -1
		}
		return c
	}, strings.ToValidUTF8(s, "\uFFFD"))), " "), known...)
	if utf8.RuneCountInString(s) > lineLimit {
		s = strings.TrimSpace(string([]rune(s)[:lineLimit-1])) + "…"
	}
	return s
}

// Lines masks the secrets in s and escapes control, format and bidirectional characters but line
// breaks and tabs.
func (r *Redactor) Lines(s string) string { return parse.EscapeBut(r.Text(s), "\n\t") }

// JSON masks the secrets in a JSON document: fields whose names say that they hold one, and
// whatever Text masks. ok is false if document is not JSON.
func (r *Redactor) JSON(document []byte) (text string, ok bool) {
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.More() {
		return "", false
	}
	shown, err := json.Marshal(r.maskValue(v))
	// Mask the whole, too: a secret need not be a string.
	return r.Text(string(shown)), err == nil
}

func (r *Redactor) maskValue(v any) any {
	switch v := v.(type) {
	case string:
		if strings.HasPrefix(v, "{") || strings.HasPrefix(v, "[") {
			if text, ok := r.JSON([]byte(v)); ok {
				return text
			}
		}
	case []any:
		for i := range v {
			v[i] = r.maskValue(v[i])
		}
	case map[string]any:
		shown := make(map[string]any, len(v))
		for key, value := range v {
			if secretKey(key, v) && value != nil && value != "" {
				shown[key] = masked
			} else {
				shown[key] = r.maskValue(value)
			}
		}
		return shown
	}
	return v
}
