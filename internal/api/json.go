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

	"github.com/tidwall/gjson"
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
// in proportion to what is read from it, not to what it contains. The zero value is none.
type value struct{ gjson.Result }

func (v value) isNull() bool   { return v.Type == gjson.Null }
func (v value) isString() bool { return v.Type == gjson.String }

// text returns the content of a JSON string, a copy: the whole response is not kept for it.
func (v value) text() string { return strings.Clone(strings.ToValidUTF8(v.Str, "\uFFFD")) }

// items yields the elements of a list, one at a time: a million nulls are not kept as values.
func (v value) items() iter.Seq2[int, value] {
	return func(yield func(int, value) bool) {
		if !v.IsArray() {
			return
		}
		i := 0
		for _, item := range v.All() {
			if !yield(i, value{item}) {
				return
			}
			i++
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

// object has the members of a JSON object, which are found by keys in any spelling. Of several
// spellings of one key the first whose value is not null counts, unless one is exactly that asked
// for.
type object struct{ members []member }

type member struct {
	key, folded string
	value
}

// object returns the members of an object, of a very large one the first.
func (v value) object() (o object) {
	if !v.IsObject() {
		return o
	}
	for name, inner := range v.All() {
		if len(o.members) == membersRead {
			break
		}
		key := value{name}.text()
		o.members = append(o.members, member{key, fold(key), value{inner}})
	}
	return o
}

// get returns the member under the first of the keys that is there and not null.
func (o object) get(keys ...string) value {
	for _, key := range keys {
		for _, m := range slices.Backward(o.members) { // of a key that is there twice, JSON has the last
			if m.key == key && !m.isNull() {
				return m.value
			}
		}
		folded := fold(key)
		for _, m := range o.members {
			if m.folded == folded && !m.isNull() {
				return m.value
			}
		}
	}
	return value{}
}

// has reports whether there is a member with that key, even if it is null.
func (o object) has(key string) bool {
	return slices.ContainsFunc(o.members, func(m member) bool { return m.folded == fold(key) })
}

// hasAny reports whether the value under one of the keys is not null.
func (o object) hasAny(keys ...string) bool { return !o.get(keys...).isNull() }

// distinct returns the members by key, and one of several spellings: as get does, the first that is
// not null, and of a key that is there twice the last.
func (o object) distinct() []member {
	kept := map[string]member{}
	for _, m := range o.members {
		if before, there := kept[m.folded]; !there || before.isNull() || before.key == m.key && !m.isNull() {
			kept[m.folded] = m
		}
	}
	return slices.SortedFunc(maps.Values(kept), func(a, b member) int { return strings.Compare(a.key, b.key) })
}

func (o object) keys() (keys []string) {
	for _, m := range o.distinct() {
		keys = append(keys, m.key)
	}
	return keys
}

// describe says what a value is, for an error text. brief says it without its members or elements.
func (v value) describe() string {
	n, first := v.count()
	keys := v.object().keys()
	switch {
	case len(keys) > 0:
		return "an object with " + listKeys(keys)
	case v.IsObject():
		return "an empty object"
	case n > 0:
		return fmt.Sprintf("a list of %d, the first %s", n, first.brief())
	case v.IsArray():
		return "an empty list"
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
	switch {
	case v.IsObject():
		return "an object"
	case v.IsArray():
		return "a list"
	case v.isString() && v.Str == "":
		return "an empty string"
	case v.isString():
		return "a string"
	case v.IsBool():
		return "a boolean"
	case v.Type == gjson.Number:
		return "a number"
	case v.Exists():
		return "null"
	}
	return "nothing"
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

// parse returns a body as a value, none if it is not JSON.
func parseBody(body []byte) value {
	if !json.Valid(body) {
		return value{}
	}
	return value{gjson.ParseBytes(bytes.TrimSpace(body))}
}

// scalar returns the text of a string, number or boolean, and "" for null, {} or [].
func (v value) scalar() (string, bool) {
	switch {
	case v.isNull():
		return "", true
	case v.isString():
		return v.text(), true
	case v.Type == gjson.JSON:
		n, _ := v.count()
		return "", n == 0 && len(v.object().members) == 0
	}
	return strings.Clone(v.Raw), true
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
	return v.Type == gjson.JSON || v.empty()
}
