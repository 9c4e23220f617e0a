package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// keysShown is how many keys an error text lists.
	keysShown = 20
	// keyShown, in characters, is the longest key that it shows. A key is not cut: part of a secret
	// could not be masked.
	keyShown = 40
	// membersRead is how many members of an object are read.
	membersRead = 1000
)

// shapeError says what was found where something else was expected, by types and keys, not values.
type shapeError struct{ text string }

const shapePrefix = "the response cannot be read: "

func (e *shapeError) Error() string { return shapePrefix + e.text }

func misshapen(format string, args ...any) error {
	return &shapeError{text: fmt.Sprintf(format, args...)}
}

// fold makes spellings of one key equal: fileKeyPath, file_key_path.
func fold(key string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, key)
}

// among reports whether a key is one of several, in any spelling.
func among(keys []string, key string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { return fold(k) == fold(key) })
}

// value is one JSON value, undecoded. A response is decoded level by level, so that it costs memory
// in proportion to what is read from it, not to what it contains.
type value json.RawMessage

func (v value) kind() byte {
	if len(v) == 0 {
		return 0
	}
	return v[0]
}

func (v value) isNull() bool   { return v.kind() == 0 || v.kind() == 'n' }
func (v value) isObject() bool { return v.kind() == '{' }
func (v value) isArray() bool  { return v.kind() == '[' }
func (v value) isString() bool { return v.kind() == '"' }

// text returns the content of a JSON string.
func (v value) text() string {
	if v.isString() && !bytes.ContainsRune(v, '\\') && utf8.Valid(v) {
		return string(v[1 : len(v)-1]) // most are plain
	}
	var s string
	if json.Unmarshal(v, &s) != nil {
		return ""
	}
	return s
}

// cut returns the first value of valid JSON text, and what follows it.
func cut(text []byte) (first value, rest []byte) {
	text = bytes.TrimLeft(text, " \t\r\n,:")
	depth, quoted := 0, false
	for i, c := range text {
		switch {
		case quoted:
			if c != '"' || escaped(text[:i]) {
				continue
			}
			quoted = false
		case c == '"':
			quoted = true
			continue
		case c == '{' || c == '[':
			depth++
			continue
		case (c == '}' || c == ']') && depth > 0:
			depth--
		case depth == 0 && strings.IndexByte(" \t\r\n,:]}", c) >= 0:
			return value(text[:i]), text[i:]
		default:
			continue
		}
		if depth == 0 {
			return value(text[:i+1]), text[i+1:]
		}
	}
	return value(text), nil
}

// escaped reports whether text ends with a backslash that escapes what follows.
func escaped(text []byte) bool { return (len(text)-len(bytes.TrimRight(text, `\`)))%2 == 1 }

// items yields the elements of a list, one at a time: a million nulls are not kept as values.
func (v value) items() iter.Seq2[int, value] {
	return func(yield func(int, value) bool) {
		if !v.isArray() {
			return
		}
		item, rest := cut(v[1:])
		for i := 0; len(item) > 0 && yield(i, item); i++ {
			item, rest = cut(rest)
		}
	}
}

// count counts the elements of a list and returns the first.
func (v value) count() (n int, first value) {
	for i, item := range v.items() {
		if i == 0 {
			first = item
		}
		n++
	}
	return n, first
}

// object is a JSON object, whose members are found by keys in any spelling. Of several spellings of
// one key it has the first whose value is not null, unless one is exactly that asked for.
type object struct {
	exact   map[string]value  // by key as it is
	members map[string]value  // by folded key
	names   map[string]string // the keys as they are, by folded key
}

// object returns the members of an object, of a very large one the first.
func (v value) object() object {
	o := object{exact: map[string]value{}, members: map[string]value{}, names: map[string]string{}}
	if !v.isObject() {
		return o
	}
	key, rest := cut(v[1:])
	for n := 0; len(key) > 0 && n < membersRead; n++ {
		var member value
		member, rest = cut(rest)
		name := key.text()
		o.exact[name] = member
		if folded := fold(name); o.members[folded].isNull() {
			o.members[folded], o.names[folded] = member, name
		}
		key, rest = cut(rest)
	}
	return o
}

// get returns the member under the first of the keys that is there and not null; nil: none.
func (o object) get(keys ...string) value {
	for _, key := range keys {
		if v := o.exact[key]; !v.isNull() {
			return v
		}
		if v := o.members[fold(key)]; !v.isNull() {
			return v
		}
	}
	return nil
}

// has reports whether there is a member with that key, even if it is null.
func (o object) has(key string) bool {
	_, ok := o.members[fold(key)]
	return ok
}

// hasAny reports whether the value under one of the keys is not null.
func (o object) hasAny(keys ...string) bool { return !o.get(keys...).isNull() }

func (o object) keys() []string { return slices.Sorted(maps.Values(o.names)) }

// describe says what a value is, for an error text. brief says it without its members or elements.
func (v value) describe() string {
	switch v.kind() {
	case '{':
		keys := v.object().keys()
		if len(keys) == 0 {
			return "an empty object"
		}
		return "an object with " + listKeys(keys)
	case '[':
		n, first := v.count()
		if n == 0 {
			return "an empty list"
		}
		return fmt.Sprintf("a list of %d, the first %s", n, first.brief())
	}
	return v.brief()
}

// describeData describes the member "data", if there is one.
func describeData(v value) string {
	if data := v.object().get("data"); !data.isNull() {
		return "; data is " + data.describe()
	}
	return ""
}

func (v value) brief() string {
	switch v.kind() {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		if v.text() == "" {
			return "an empty string"
		}
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	case 0:
		return "nothing"
	}
	return "a number"
}

func listKeys(keys []string) string {
	shown := make([]string, 0, keysShown)
	for _, key := range keys[:min(len(keys), keysShown)] {
		if n := utf8.RuneCountInString(key); n > keyShown {
			shown = append(shown, fmt.Sprintf("a key of %d characters", n))
		} else {
			shown = append(shown, strconv.Quote(key))
		}
	}
	text := strings.Join(shown, ", ")
	if more := len(keys) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// parse returns a body as a value, nothing if it is not JSON.
func parse(body []byte) value {
	if !json.Valid(body) {
		return nil
	}
	return value(bytes.TrimSpace(body))
}

// scalar returns the text of a string, number or boolean, and "" for null, {} or [].
func (v value) scalar() (string, bool) {
	switch v.kind() {
	case 0, 'n':
		return "", true
	case '"':
		return v.text(), true
	case '{':
		return "", len(v.object().members) == 0
	case '[':
		n, _ := v.count()
		return "", n == 0
	}
	return string(v), true
}

// empty reports whether a value is null, blank, {} or [].
func (v value) empty() bool {
	text, ok := v.scalar()
	return ok && strings.TrimSpace(text) == ""
}

// hollow reports whether a value is empty, or contains only empty values.
func (v value) hollow(depth int) bool {
	if depth > messageDepth {
		return false
	}
	for _, item := range v.items() {
		if !item.hollow(depth + 1) {
			return false
		}
	}
	for _, member := range v.object().members {
		if !member.hollow(depth + 1) {
			return false
		}
	}
	return v.isArray() || v.isObject() || v.empty()
}
