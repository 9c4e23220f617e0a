package simulator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// fields reads a JSON object strictly: names must match exactly, and unknown fields, null and ""
// are errors. Decoding into a struct with encoding/json would accept all of these.
type fields struct {
	path   string
	values map[string]any
	asked  map[string]bool
	faults *[]string
}

func readFields(r io.Reader) fields {
	f := fields{asked: map[string]bool{}, faults: &[]string{}}
	raw, err := io.ReadAll(r)
	if err != nil {
		f.fault("the body cannot be read")
		return f
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&f.values); err != nil || f.values == nil {
		f.fault("the body is not a JSON object")
	} else if decoder.More() {
		f.fault("the body has something behind its JSON object")
	}
	return f
}

func (f *fields) fault(format string, args ...any) {
	*f.faults = append(*f.faults, fmt.Sprintf(format, args...))
}

// value returns the value of a field, and whether it is set.
func (f *fields) value(name string, required bool) (any, bool) {
	f.asked[name] = true
	value, there := f.values[name]
	switch {
	case !there && required:
		f.fault("%s is required", f.path+name)
	case there && (value == nil || value == ""):
		f.fault("%s must not be null or empty", f.path+name)
		return nil, false
	}
	return value, there
}

func read[T any](f *fields, name, kind string, required bool) (T, bool) {
	var zero T
	value, there := f.value(name, required)
	if !there {
		return zero, false
	}
	typed, ok := value.(T)
	if !ok {
		f.fault("%s must be %s", f.path+name, kind)
	}
	return typed, ok
}

func (f *fields) text(name string) string {
	value, _ := read[string](f, name, "a string", true)
	if value != "" && strings.TrimSpace(value) == "" {
		f.fault("%s must not be blank", f.path+name)
	}
	return value
}

// choice is text for a field with a fixed set of values.
func (f *fields) choice(name string, values ...string) string {
	value := f.text(name)
	if value != "" && !slices.Contains(values, value) {
		f.fault("%s must be one of %s", f.path+name, strings.Join(values, ", "))
	}
	return value
}

func (f *fields) boolean(name string) bool {
	value, _ := read[bool](f, name, "a boolean", false)
	return value
}

func (f *fields) integer(name string) int {
	value, ok := read[json.Number](f, name, "an integer", true)
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(value.String())
	if err != nil {
		f.fault("%s must be an integer", f.path+name)
	}
	return n
}

// object returns the fields of an object. Call done on them, too.
func (f *fields) object(name string) fields {
	value, _ := read[map[string]any](f, name, "an object", true)
	return fields{path: f.path + name + ".", values: value, asked: map[string]bool{}, faults: f.faults}
}

// objects returns the fields of each object in an array.
func (f *fields) objects(name string) []fields {
	list, _ := read[[]any](f, name, "an array", true)
	var all []fields
	for i, value := range list {
		typed, ok := value.(map[string]any)
		if !ok {
			f.fault("%s%s[%d] must be an object", f.path, name, i)
		}
		all = append(all, fields{path: fmt.Sprintf("%s%s[%d].", f.path, name, i), values: typed, asked: map[string]bool{}, faults: f.faults})
	}
	return all
}

// texts returns a non-empty array of strings.
func (f *fields) texts(name string) []string {
	list, there := read[[]any](f, name, "an array", true)
	if there && len(list) == 0 {
		f.fault("%s must not be empty", f.path+name)
	}
	var all []string
	for i, value := range list {
		typed, ok := value.(string)
		if !ok || strings.TrimSpace(typed) == "" {
			f.fault("%s%s[%d] must be a string that is not blank", f.path, name, i)
		}
		all = append(all, typed)
	}
	return all
}

// done reports unknown fields: those that were not read.
func (f *fields) done() {
	for _, name := range slices.Sorted(maps.Keys(f.values)) {
		if !f.asked[name] {
			f.fault("%s is unknown", f.path+name)
		}
	}
}

// refused is the message of a refusal, "" if all fields are valid.
func (f *fields) refused() string { return strings.Join(*f.faults, "; ") }
