// Package redact takes secrets out of texts before they are shown: texts of the service and of
// storage, errors, logs and diagnostics. No other package masks anything.
//
// A Redactor finds secrets in two ways. It searches for those that it was told, also for parts of
// 12 bytes, in any letter case, and behind up to three encodings: percent, JSON, HTML, base64,
// hexadecimal (known.go, layer.go). It hides whatever looks like a secret: query strings, user info,
// stream keys, tokens, signatures, values of fields with such names (pattern.go). Both search copies of
// the text, and hide the bytes that the found ones come from.
//
// Limits: a known secret of fewer than 4 bytes is not searched for, because masking it would make
// every text unreadable. For the same reason values of fewer than 8 bytes in the URL of a stream
// are searched for together with their names only, and the only segment of its path if it has at
// least 12. Of a longer value the first 128 bytes are searched for, and what follows them in a word is
// masked, too. With thousands of stream keys, only the first 12 bytes of further ones are searched
// for (known.go). A secret that is neither known nor recognisable is shown.
package redact

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	// masked replaces a secret.
	masked = "***"
	// tokensKept is how many secrets of AddToken are remembered: tokens are renewed again and again.
	tokensKept = 16
	// lineLimit, in characters, is the length of a Line, and lineRead, in bytes, how much of a text
	// is read for it.
	lineLimit = 500
	lineRead  = 64 << 10
)

// Redactor masks the secrets in texts. It is safe for concurrent use.
type Redactor struct {
	mu      sync.RWMutex
	kept    index
	latest  index // of tokens
	tokens  []string
	streams index // of AddStreams
	listed  index // of AddListed

	// whether a secret found no room in an index, and whether LeftOut has reported it
	leftOut, reported bool
}

// New returns a Redactor that knows the secrets given. Without any it masks only what looks like a
// secret.
func New(secrets ...string) *Redactor {
	return newRedactor(enough, secrets)
}

func newRedactor(room room, secrets []string) *Redactor {
	r := &Redactor{
		kept: index{room: room}, latest: index{room: room},
		streams: index{room: room, limit: streamLength}, listed: index{room: room, limit: streamLength},
	}
	r.Add(secrets...)
	return r
}

// Add makes r know more secrets, as long as it exists.
func (r *Redactor) Add(secrets ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, secret := range secrets {
		r.know(&r.kept, secret, nil)
	}
}

// AddToken makes r know one more token. The latest 16 are remembered.
func (r *Redactor) AddToken(token string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if token == "" || slices.Contains(r.tokens, token) {
		return
	}
	r.tokens = append(r.tokens, token)
	r.tokens = r.tokens[max(0, len(r.tokens)-tokensKept):]
	r.latest = index{room: r.latest.room}
	for _, token := range r.tokens {
		r.know(&r.latest, token, nil)
	}
}

// AddStreams makes r know the secrets in URLs of streams that belong to the user's configuration. The
// texts shown are not secret, even if they are part of one: the service may make a stream key from
// the id of its session.
func (r *Redactor) AddStreams(shown []string, addresses ...string) {
	r.addTo(&r.streams, shown, addresses)
}

// AddListed is AddStreams for what else the account has. However much that is, it takes no room from
// the secrets of AddStreams.
func (r *Redactor) AddListed(shown []string, addresses ...string) {
	r.addTo(&r.listed, shown, addresses)
}

func (r *Redactor) addTo(x *index, shown, addresses []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	names := x.publish(shown)
	for _, address := range addresses {
		for _, secret := range streamSecrets(address) {
			r.know(x, secret, names)
		}
	}
}

func (r *Redactor) know(x *index, secret string, names map[uint64]bool) {
	if !x.add(secret, names) {
		r.leftOut = true
	}
}

// LeftOut reports once that there was no room for a secret, which is shown unless a pattern finds it.
func (r *Redactor) LeftOut() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	report := r.leftOut && !r.reported
	r.reported = r.leftOut
	return report
}

// Text masks the secrets in s and leaves all else as it is.
func (r *Redactor) Text(s string) string { return r.text(s, nil) }

// text is Text that also masks the secrets in also, which may be nil.
func (r *Redactor) text(s string, also *index) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	known := indexes{}
	for _, x := range []*index{&r.kept, &r.latest, &r.streams, &r.listed, also} {
		if x != nil && len(x.parts) > 0 {
			known = append(known, x)
		}
	}
	hidden := make([]bool, len(s))
	known.mark(plainLayer(s), encodingsAtMost, true, hidden)
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

// indexes are the indexes that are not empty.
type indexes []*index

// mark hides the secrets in a layer and in the layers that are encoded in it. What base64 and
// hexadecimal digits say is searched for known secrets only.
func (known indexes) mark(l *layer, encodings int, patterns bool, hidden []bool) {
	if l == nil || len(l.bytes) == 0 {
		return
	}
	if patterns {
		markPatterns(l, hidden)
	}
	if encodings > 0 {
		known.mark(l.unescaped(), encodings-1, patterns, hidden)
	}
	if len(known) == 0 {
		return
	}
	folded := l.folded()
	for _, x := range known {
		x.mark(folded, hidden)
	}
	if encodings == 0 {
		return
	}
	known.mark(l.unhexed(), encodings-1, false, hidden)
	sextets := l.sextets()
	for offset := range 4 {
		known.mark(sextets.decoded(offset), encodings-1, false, hidden)
	}
}

// Line masks the secrets in s and makes one line of valid UTF-8 of it, without control and format
// characters, of at most 500 characters. Of a long s it reads the words in the first 64 KiB. It also
// masks the secrets in also, which r does not get to know.
func (r *Redactor) Line(s string, also ...string) string {
	given := index{room: enough}
	for _, secret := range also {
		given.add(secret, nil)
	}
	if len(s) > lineRead {
		s = s[:lineRead]
		if end := strings.LastIndexAny(s, " \t\r\n"); end > 0 {
			s = s[:end] // half of a short secret would not be recognised
		}
	}
	if strings.ContainsAny(s, "\r\n") {
		s = r.text(s, &given) // base64 in several lines, of which the next step makes words
	}
	s = r.text(strings.Join(strings.Fields(strings.Map(func(c rune) rune {
		if unsafe(c) && c != '\n' && c != '\t' && c != '\r' {
			return -1
		}
		return c
	}, strings.ToValidUTF8(s, "\uFFFD"))), " "), &given)
	if utf8.RuneCountInString(s) > lineLimit {
		s = strings.TrimSpace(string([]rune(s)[:lineLimit-1])) + "…"
	}
	return s
}

// Lines masks the secrets in s and escapes control, format and bidirectional characters but line
// breaks and tabs.
func (r *Redactor) Lines(s string) string { return escape(r.Text(s), "\n\t") }

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
		return r.Text(v)
	case []any:
		for i := range v {
			v[i] = r.maskValue(v[i])
		}
	case map[string]any:
		shown := make(map[string]any, len(v))
		for key, value := range v {
			if secretKey(key) && value != nil && value != "" {
				shown[r.Text(key)] = masked
			} else {
				shown[r.Text(key)] = r.maskValue(value)
			}
		}
		return shown
	}
	return v
}
