// Package redact takes secrets out of texts before they are shown: texts of the service and of
// storage, errors, logs and diagnostics. No other package masks anything.
//
// A Redactor finds secrets in two ways. It searches for those that it was told, in every encoding
// in which a service may repeat them (known.go). It replaces whatever looks like a secret: query
// strings, user info, stream keys, tokens, signatures (looks.go).
//
// Limits: a known secret of fewer than 4 bytes is not searched for, because masking it would make
// every text unreadable. A secret that is neither known nor recognisable is shown.
package redact

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

const (
	// addedKept is how many secrets of Add are remembered: tokens are renewed again and again.
	addedKept = 16
	// lineLimit, in characters, is the length of a Line.
	lineLimit = 500
)

// Redactor masks the secrets in texts. It is safe for concurrent use.
type Redactor struct {
	parent *Redactor // its secrets are masked, too; nil: none
	fixed  []string

	mu       sync.Mutex
	added    []string          // oldest first
	replacer *strings.Replacer // masks fixed and added; nil: to be made
}

// New returns a Redactor that knows the secrets given. Without any it masks only what looks like a
// secret.
func New(secrets ...string) *Redactor { return &Redactor{fixed: secrets} }

// With returns a Redactor that knows the secrets given and those of r, also those that are added to
// r later. It is for the texts of one request.
func (r *Redactor) With(secrets ...string) *Redactor {
	if len(secrets) == 0 {
		return r
	}
	return &Redactor{parent: r, fixed: secrets}
}

// Add makes r know one more secret. Of secrets that were added, the latest 16 are remembered.
func (r *Redactor) Add(secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if secret == "" || slices.Contains(r.added, secret) {
		return
	}
	r.added = append(r.added, secret)
	r.added = r.added[max(0, len(r.added)-addedKept):]
	r.replacer = nil
}

// Text masks the secrets in s and leaves all else as it is.
func (r *Redactor) Text(s string) string { return maskByLooks(r.known().Replace(s)) }

// known returns what masks the known secrets.
func (r *Redactor) known() *strings.Replacer {
	if r.parent != nil { // not kept: the parent's secrets change
		return newReplacer(r.secrets())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.replacer == nil {
		r.replacer = newReplacer(slices.Concat(r.fixed, r.added))
	}
	return r.replacer
}

func (r *Redactor) secrets() []string {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Concat(r.parent.secrets(), r.fixed, r.added)
}

// Line masks the secrets in s and makes one line of valid UTF-8 of it, without control and format
// characters, of at most 500 characters.
func (r *Redactor) Line(s string) string {
	// Mask twice: collapsing white space can hide a secret, dropping control characters can
	// complete one. Mask before cutting, because half of a secret would not be recognised.
	s = r.Text(strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case unicode.IsControl(c), unicode.Is(unicode.Cf, c):
			return -1
		}
		return c
	}, s)
	s = r.Text(strings.Join(strings.Fields(s), " "))
	if utf8.RuneCountInString(s) > lineLimit {
		s = strings.TrimSpace(string([]rune(s)[:lineLimit-1])) + "…"
	}
	return s
}

// JSON masks the secrets in a JSON document: fields whose names say that they hold one, and
// whatever Text masks. ok is false if document is not JSON.
func (r *Redactor) JSON(document []byte) (text string, ok bool) {
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.More() {
		return "", false
	}
	known := r.known()
	shown, err := json.Marshal(maskValue(v, func(s string) string { return maskByLooks(known.Replace(s)) }))
	if err != nil {
		return "", false
	}
	// Mask the whole, too: a secret need not be a string.
	return r.Text(string(shown)), true
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
		shown := make(map[string]any, len(v))
		for key, value := range v {
			if secretKey(key) && value != nil && value != "" {
				shown[text(key)] = masked
			} else {
				shown[text(key)] = maskValue(value, text)
			}
		}
		return shown
	}
	return v
}

// Cut shortens a text to at most limit bytes, between two words. A secret that is cut in half would
// not be recognised.
func Cut(text []byte, limit int) []byte {
	if len(text) <= limit {
		return text
	}
	return text[:max(0, bytes.LastIndexAny(text[:limit], " \t\r\n"))]
}
