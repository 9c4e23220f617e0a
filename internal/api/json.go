package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire"
)

// TextLimit and AddressLimit are the lengths, in bytes, of the longest string and URL that are read.
const (
	TextLimit    = 1 << 10
	AddressLimit = 16 << 10
)

// SameText reports whether two strings are the same to a reader: Terraform composes characters, and
// the service may not.
func SameText(a, b string) bool { return norm.NFC.String(a) == norm.NFC.String(b) }

// object is a JSON object.
type object = map[string]any

// parseBody returns a body as JSON values, nil if it is not JSON.
func parseBody(body []byte) any {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.More() {
		return nil
	}
	return v
}

// find returns the object that has one of the keys, bare or in one wrapper: "data", else the body
// itself, else its only object. It returns the body if none has.
func find(v any, keys ...string) object {
	body, _ := v.(object)
	data, _ := body["data"].(object)
	candidates := []object{data, body}
	var inner []object
	for _, member := range body {
		if o, ok := member.(object); ok {
			inner = append(inner, o)
		}
	}
	if len(inner) == 1 {
		candidates = append(candidates, inner[0])
	}
	for _, o := range candidates {
		if slices.ContainsFunc(keys, func(key string) bool { return o[key] != nil }) {
			return o
		}
	}
	return body
}

// textOf returns a member of an object as text; "" for null and what is missing.
func textOf(o object, key string, limit int) (text string, err error) {
	switch v := o[key].(type) {
	case nil:
	case string:
		text = v
	case json.Number:
		text = v.String()
	case bool:
		text = strconv.FormatBool(v)
	default:
		return "", misshapen("%s is %s where a string was expected", key, describe(v))
	}
	if len(text) > limit {
		return "", misshapen("%s has %d bytes, more than %d", key, len(text), limit)
	}
	return text, nil
}

// need is textOf for a text that must not be blank.
func need(o object, key string, limit int) (string, error) {
	text, err := textOf(o, key, limit)
	if err == nil && strings.TrimSpace(text) == "" {
		err = misshapen("%s is missing in %s", key, describe(o))
	}
	return text, err
}

func keyPathOf(o object, key string) (string, error) {
	text, err := need(o, key, TextLimit)
	if err != nil {
		return "", err
	}
	if _, malformed := parse.SplitKeyPath(text); malformed != nil {
		return "", misshapen("%s does not have the form of a key path, %s", key, parse.KeyPathForm)
	}
	return text, nil
}

// presignedOf reads a presigned URL.
func presignedOf(o object, key string) (string, error) {
	text, err := need(o, key, AddressLimit)
	if err != nil {
		return "", err
	}
	text = strings.TrimSpace(text)
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.User != nil {
		return "", misshapen("%s is a string that is no URL with a host", key)
	}
	if err := wire.CheckScheme(u); err != nil {
		return "", misshapen("%s cannot be used: %s", key, err)
	}
	return text, nil
}

// describe says what a value is, without values.
func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case string:
		return "a string"
	case json.Number:
		return "a number"
	case bool:
		return "a boolean"
	case []any:
		return fmt.Sprintf("a list of %d", len(v))
	case object:
		keys := slices.Sorted(maps.Keys(v))
		return strings.TrimSuffix("an object with "+strings.Join(keys[:min(len(keys), 20)], ", "), " with ")
	}
	return "no JSON"
}
