package redact

import (
	"encoding/binary"
	"iter"
	"net/url"
	"slices"
	"strings"
)

const (
	// shortestSecret, in bytes, is the shortest secret that is searched for.
	shortestSecret = 4
	// shortestBare, in bytes, is the shortest value in the URL of a stream that is searched for
	// without its name or the segment before it: shorter ones are ordinary words, such as true.
	shortestBare = 8
	// partLength, in bytes, is the length of the parts by which longer secrets are found, so that
	// half of a secret is masked, too.
	partLength = 12
	// encodingsAtMost is how many encodings around a secret are undone.
	encodingsAtMost = 3
	// streamLength, in bytes, is how much of a secret of a stream is searched for, and
	// streamPartsAtMost how many parts of all together.
	streamLength      = 128
	streamPartsAtMost = 1 << 20
)

// index finds secrets in folded layers: longer ones by their parts, shorter ones as a whole. The
// zero value finds none.
type index struct {
	secrets map[string]bool
	parts   map[string]bool // whether the secret goes on behind the part
	lengths []int           // of the parts
	begins  []bool          // by beginOf; few places in a text begin like a part
}

func beginOf(part []byte) uint16 {
	return uint16(binary.LittleEndian.Uint32(part) * 0x9e3779b1 >> 16) // #nosec G115 -- a hash
}

// add makes at most limit bytes of the secret known, but no part of it that is public.
func (x *index) add(secret string, limit int, public map[string]bool) {
	known := secret[:min(len(secret), limit)]
	if len(known) < shortestSecret || x.secrets[known] {
		return
	}
	if x.secrets == nil {
		x.secrets, x.parts, x.begins = map[string]bool{}, map[string]bool{}, make([]bool, 1<<16)
	}
	x.secrets[strings.Clone(known)] = true
	// The secret itself may look escaped: then it is found in the text's last layer.
	form := plainLayer(known)
	for n := 0; form != nil && n <= encodingsAtMost; form, n = form.unescaped(), n+1 {
		folded := strings.TrimSpace(string(form.folded().bytes))
		length := min(len(folded), partLength)
		if length < shortestSecret {
			continue
		}
		if at, known := slices.BinarySearch(x.lengths, length); !known {
			x.lengths = slices.Insert(x.lengths, at, length)
		}
		for part := range windows(folded, length) {
			if !public[part] {
				x.parts[part] = x.parts[part] || len(known) < len(secret) && strings.HasSuffix(folded, part)
				x.begins[beginOf([]byte(part))] = true
			}
		}
	}
	// The part of a credential behind "Basic " or "Bearer ".
	if _, bare, found := strings.Cut(secret, " "); found {
		x.add(bare, limit, public)
	}
}

// windows yields all parts of a text that have the length given.
func windows(text string, length int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; i+length <= len(text) && yield(text[i:i+length]); i++ {
		}
	}
}

// mark hides the secrets in a folded layer.
func (x *index) mark(f *layer, hidden []bool) {
	if x.secrets == nil {
		return
	}
	for i := 0; i+shortestSecret <= len(f.bytes); i++ {
		if !x.begins[beginOf(f.bytes[i:])] {
			continue
		}
		for _, n := range x.lengths {
			if i+n > len(f.bytes) {
				break
			}
			goesOn, found := x.parts[string(f.bytes[i:i+n])]
			if !found {
				continue
			}
			f.hide(i, i+n, hidden)
			if goesOn {
				end := i + n + lengthOf(f.bytes[i+n:], " \"'`<>", false)
				f.hide(i+n, end, hidden)
				i = end - 1
				break
			}
		}
	}
}

// AddStreams makes r know the secrets in URLs of streams. The texts shown are not secret, even if
// they are part of one: the service may make a stream key from the id of its session.
func (r *Redactor) AddStreams(shown []string, addresses ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.public == nil {
		r.public = map[string]bool{}
	}
	for _, text := range shown {
		text = string(plainLayer(text).folded().bytes)
		for part := range windows(text, min(len(text), partLength)) {
			if len(r.public) < streamPartsAtMost {
				r.public[part] = true
				delete(r.streams.parts, part)
			}
		}
	}
	for _, secret := range streamSecrets(addresses) {
		if len(r.streams.parts) < streamPartsAtMost {
			r.streams.add(secret, streamLength, r.public)
		}
	}
}

// streamSecrets lists the secrets in the URLs of streams: the password, the last segment of the
// path, which is the stream key unless it is the only one, and the values of the query.
func streamSecrets(addresses []string) []string {
	var secrets []string
	for _, address := range addresses {
		_, rest, _ := strings.Cut(address, "://")
		rest, query, _ := strings.Cut(rest, "?")
		authority, path, _ := strings.Cut(rest, "/")
		if info, _, found := strings.Cut(authority, "@"); found {
			_, password, _ := strings.Cut(info, ":")
			secrets = append(secrets, bareOr(password, info, shortestBare))
		}
		if last := strings.LastIndexByte(path, '/'); last >= 0 {
			before := strings.LastIndexByte(path[:last], '/') + 1
			secrets = append(secrets, bareOr(path[last+1:], path[before:], shortestBare))
		}
		secrets = append(secrets, queryValues(query, shortestBare)...)
		// The stream key may stand behind the query.
		if last := strings.LastIndexByte(query, '/'); last >= 0 {
			secrets = append(secrets, bareOr(query[last+1:], "", shortestBare))
		}
	}
	return secrets
}

// bareOr returns a value that is long enough to be searched for alone, else the value with what
// belongs to it. An empty value is no secret.
func bareOr(value, whole string, shortest int) string {
	switch {
	case value == "":
		return ""
	case len(value) < shortest:
		return whole
	}
	return value
}

// PresignedSecrets lists the secrets in a presigned URL: the values of its query but those that are
// known not to be secret.
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
func queryValues(query string, shortest int) []string {
	var values []string
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
