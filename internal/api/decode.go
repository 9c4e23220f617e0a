package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// The interface leaves open how answers are wrapped and how some fields are
// typed (interface 2.4, 2.5, 4.2). What follows reads every plausible shape. It
// looks at a body level by level, as raw JSON, so that an answer costs memory
// in proportion to what is wanted of it and not to what it holds.

// namesShown bounds the keys that an error text lists.
const namesShown = 20

// shapeError tells what was found where something else was expected: types and
// keys, never values.
type shapeError struct{ text string }

const shapePrefix = "the answer cannot be read: "

func (e *shapeError) Error() string { return shapePrefix + e.text }

func misshapen(format string, args ...any) error {
	return &shapeError{text: fmt.Sprintf(format, args...)}
}

// fold makes keys of different letter cases equal: fileKeyPath, file_key_path.
func fold(key string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, key)
}

// value is one JSON value, not looked into yet.
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

// text is the content of a JSON string.
func (v value) text() string {
	var s string
	if json.Unmarshal(v, &s) != nil {
		return ""
	}
	return s
}

// items yields the elements of a list, one at a time: a list of a million
// nothings is not held as a million values.
func (v value) items() iter.Seq2[int, value] {
	return func(yield func(int, value) bool) {
		d := json.NewDecoder(bytes.NewReader(v))
		if t, err := d.Token(); err != nil || t != json.Delim('[') {
			return
		}
		for i := 0; d.More(); i++ {
			var raw json.RawMessage
			if d.Decode(&raw) != nil || !yield(i, value(raw)) {
				return
			}
		}
	}
}

// countedAtMost bounds what is counted for an error text.
const countedAtMost = 1000

// count counts the elements of a list up to a limit, and returns the first.
func (v value) count(limit int) (n int, first value) {
	for i, item := range v.items() {
		if i == 0 {
			first = item
		}
		if n++; n == limit {
			break
		}
	}
	return n, first
}

// object is a JSON object, its members found by key in any letter case.
type object struct {
	members map[string]value
	folded  map[string]string // folded key: key
}

func (v value) object() object {
	var raw map[string]json.RawMessage
	if !v.isObject() || json.Unmarshal(v, &raw) != nil {
		return object{}
	}
	o := object{members: make(map[string]value, len(raw)), folded: make(map[string]string, len(raw))}
	for _, key := range slices.Sorted(maps.Keys(raw)) {
		o.members[key] = value(bytes.TrimSpace(raw[key]))
		if _, taken := o.folded[fold(key)]; !taken {
			o.folded[fold(key)] = key
		}
	}
	return o
}

// get returns the first member there is under one of the keys that is not null.
func (o object) get(keys ...string) value {
	for _, key := range keys {
		if v, ok := o.members[key]; ok && !v.isNull() {
			return v
		}
		if v := o.members[o.folded[fold(key)]]; !v.isNull() {
			return v
		}
	}
	return nil
}

// has tells whether there is a member of that name, be it null.
func (o object) has(key string) bool {
	_, ok := o.folded[fold(key)]
	return ok
}

// hasAny tells whether one of the keys has a value.
func (o object) hasAny(keys ...string) bool { return !o.get(keys...).isNull() }

func (o object) keys() []string { return slices.Sorted(maps.Keys(o.members)) }

// describe says what a value is, for an error text.
func (v value) describe() string {
	switch v.kind() {
	case 0:
		return "nothing"
	case 'n':
		return "null"
	case '{':
		keys := v.object().keys()
		if len(keys) == 0 {
			return "an empty object"
		}
		return "an object with " + nameKeys(keys)
	case '[':
		n, first := v.count(countedAtMost)
		switch n {
		case 0:
			return "an empty list"
		case countedAtMost:
			return fmt.Sprintf("a list of %d or more, the first %s", n, first.brief())
		}
		return fmt.Sprintf("a list of %d, the first %s", n, first.brief())
	}
	return v.brief()
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
	}
	return "a number"
}

func nameKeys(keys []string) string {
	shown := make([]string, 0, namesShown)
	for _, key := range keys[:min(len(keys), namesShown)] {
		if runes := []rune(key); len(runes) > 40 {
			key = string(runes[:40]) + "…"
		}
		shown = append(shown, strconv.Quote(key))
	}
	text := strings.Join(shown, ", ")
	if more := len(keys) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// parse takes a body that is known to be valid JSON.
func parse(body []byte) value { return value(bytes.TrimSpace(body)) }

// fields reads the members of one object and keeps the first complaint.
type fields struct {
	object
	err error
}

func (f *fields) complain(key string, v value, expected string) {
	if f.err == nil {
		f.err = misshapen("%s is %s where %s was expected", key, v.describe(), expected)
	}
}

// str reads a string, a number or a boolean as a string; "" when there is
// nothing under any of the keys.
func (f *fields) str(keys ...string) string {
	v := f.get(keys...)
	s, ok := v.scalar()
	if !ok {
		f.complain(keys[0], v, "a string")
	}
	return s
}

// scalar is the text of a string, number or boolean; "" of nothing, an empty
// object or an empty list.
func (v value) scalar() (string, bool) {
	switch v.kind() {
	case 0, 'n':
		return "", true
	case '"':
		return v.text(), true
	case '{':
		return "", len(v.object().members) == 0
	case '[':
		n, _ := v.count(1)
		return "", n == 0
	}
	return string(v), true
}

// empty reports whether there is nothing in a value: null, "", {} or [].
func (v value) empty() bool {
	text, ok := v.scalar()
	return ok && strings.TrimSpace(text) == ""
}

// boolean reads true, "true", "True", 1 and "1", and their opposites.
func (f *fields) boolean(key string) *bool {
	v := f.get(key)
	text, ok := v.scalar()
	text = strings.ToLower(strings.TrimSpace(text))
	if ok && text == "" {
		return nil
	}
	b, err := strconv.ParseBool(text)
	if err != nil || !ok {
		f.complain(key, v, "true or false")
		return nil
	}
	return &b
}

// integer reads 8080, 8080.0, "8080" and 8.08e3.
func (f *fields) integer(key string) *int64 {
	v := f.get(key)
	text, ok := v.scalar()
	text = strings.TrimSpace(text)
	if ok && text == "" {
		return nil
	}
	if n, err := strconv.ParseInt(text, 10, 64); ok && err == nil {
		return &n
	}
	number, err := strconv.ParseFloat(text, 64)
	const exact = 1 << 53
	if !ok || err != nil || number != math.Trunc(number) || math.Abs(number) > exact {
		f.complain(key, v, "an integer")
		return nil
	}
	n := int64(number)
	return &n
}
