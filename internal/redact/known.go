package redact

import (
	"cmp"
	"encoding/binary"
	"net/url"
	"slices"
	"strings"
)

const (
	// shortestSecret, in bytes, is the shortest secret that is searched for.
	shortestSecret = 4
	// partLength, in bytes, is the length of the parts by which longer secrets are found, so that
	// half of a secret is masked, too.
	partLength = 12
	// encodingsAtMost is how many encodings around a secret are undone.
	encodingsAtMost = 3
)

// index finds secrets in folded layers: longer ones by their parts, shorter ones as a whole. The
// zero value finds none.
type index struct {
	secrets map[string]bool
	parts   map[string]struct{}
	lengths []int  // of the parts
	begins  []bool // by beginOf; few places in a text begin like a part
}

func beginOf(part []byte) uint16 {
	return uint16(binary.LittleEndian.Uint32(part) * 0x9e3779b1 >> 16) // #nosec G115 -- a hash
}

// add makes the secret known, but no part of it that is in one of the texts shown.
func (x *index) add(secret string, shown ...string) {
	if len(secret) < shortestSecret || x.secrets[secret] {
		return
	}
	if x.secrets == nil {
		x.secrets, x.parts, x.begins = map[string]bool{}, map[string]struct{}{}, make([]bool, 1<<16)
	}
	x.secrets[secret] = true
	// The secret itself may look escaped: then it is found in the text's last layer.
	public := string(plainLayer(strings.Join(shown, "\n")).folded().bytes)
	form := plainLayer(secret)
	for n := 0; form != nil && n <= encodingsAtMost; form, n = form.unescaped(), n+1 {
		folded := strings.TrimSpace(string(form.folded().bytes))
		length := min(len(folded), partLength)
		if length < shortestSecret {
			continue
		}
		if at, known := slices.BinarySearch(x.lengths, length); !known {
			x.lengths = slices.Insert(x.lengths, at, length)
		}
		for i := range len(folded) - length + 1 {
			if strings.Contains(public, folded[i:i+length]) {
				continue
			}
			x.parts[folded[i:i+length]] = struct{}{}
			x.begins[beginOf([]byte(folded[i:i+shortestSecret]))] = true
		}
	}
	// The part of a credential behind "Basic " or "Bearer ".
	if _, bare, found := strings.Cut(secret, " "); found {
		x.add(bare, shown...)
	}
}

// mark hides the secrets in a folded layer.
func (x *index) mark(f *layer, hidden []bool) {
	if x.secrets == nil {
		return
	}
	for i := range len(f.bytes) - shortestSecret + 1 {
		if !x.begins[beginOf(f.bytes[i:])] {
			continue
		}
		for _, n := range x.lengths {
			if i+n > len(f.bytes) {
				break
			}
			if _, found := x.parts[string(f.bytes[i:i+n])]; found {
				f.hide(i, i+n, hidden)
			}
		}
	}
}

// AddStreams makes r know the secrets in URLs of streams. The texts shown are not secret, even if
// they are part of one: the service may make a stream key from the id of its session.
func (r *Redactor) AddStreams(shown []string, addresses ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, secret := range streamSecrets(addresses) {
		r.kept.add(secret, shown...)
	}
}

// streamSecrets lists the secrets in the URLs of streams: user name and password, the segments of
// the path behind the first, of which the last is the stream key, and the values of the query.
func streamSecrets(addresses []string) []string {
	var secrets []string
	for _, address := range addresses {
		_, rest, _ := strings.Cut(address, "://")
		rest, query, _ := strings.Cut(rest, "?")
		authority, path, _ := strings.Cut(rest, "/")
		if info, _, found := strings.Cut(authority, "@"); found {
			user, password, _ := strings.Cut(info, ":")
			secrets = append(secrets, info, user, password)
		}
		segments := strings.Split(path, "/")
		for i, segment := range segments {
			if i == 0 && len(segments) > 1 {
				continue // the application
			}
			if len(segment) < shortestSecret && i > 0 {
				segment = segments[i-1] + "/" + segment
			}
			secrets = append(secrets, segment)
		}
		secrets = append(secrets, queryValues(query)...)
	}
	return secrets
}

// PresignedSecrets lists the secrets in a presigned URL: the values of its query but those that are
// known not to be secret.
func PresignedSecrets(address string) []string {
	_, query, _ := strings.Cut(address, "?")
	return queryValues(query)
}

// plainParameters are parameters of queries whose values are shown.
var plainParameters = []string{
	"partnumber", "uploadid", "versionid", "x-id", "expires", "date",
	"x-amz-algorithm", "x-amz-date", "x-amz-expires", "x-amz-signedheaders", "x-amz-content-sha256",
	"x-goog-algorithm", "x-goog-date", "x-goog-expires", "x-goog-signedheaders",
}

// queryValues lists the values of a query. A short one comes with its name.
func queryValues(query string) []string {
	var values []string
	for pair := range strings.SplitSeq(query, "&") {
		name, value, found := strings.Cut(pair, "=")
		if slices.Contains(plainParameters, strings.ToLower(name)) {
			continue
		}
		if plain, err := url.QueryUnescape(value); err == nil {
			value = plain
		}
		if len(value) < shortestSecret && found {
			value = pair
		}
		values = append(values, cmp.Or(value, name))
	}
	return values
}
