package api

import (
	"math"
	"net/url"
	"strconv"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire"
)

// fields reads the members of one object and keeps the first error.
type fields struct {
	object
	urls []string // that streamURL has read
	err  error
}

func (f *fields) complain(key string, v value, expected string) {
	if f.err == nil {
		f.err = misshapen("%s is %s where %s was expected", key, v.describe(), expected)
	}
}

const (
	// TextLimit is the length, in bytes, of the longest string that is read, but for a URL.
	TextLimit = 1 << 10
	// AddressLimit is the length, in bytes, of the longest URL that is read.
	AddressLimit = 16 << 10
)

// str reads a string, number or boolean under the first of the keys that is there; "" if none is.
// Characters that could change how a text with the string is shown are escaped.
func (f *fields) str(keys ...string) string { return parse.Escape(f.limited(TextLimit, keys...)) }

// SameText reports whether two strings are the same to the service: one may have characters escaped
// that the other has as they are.
func SameText(a, b string) bool { return parse.Escape(a) == parse.Escape(b) }

func (f *fields) limited(limit int, keys ...string) string {
	v := f.get(keys...)
	s, ok := v.scalar()
	switch {
	case !ok:
		f.complain(keys[0], v, "a string")
	case len(s) <= limit:
		return s
	case f.err == nil:
		f.err = misshapen("%s has %d bytes, more than %d", keys[0], len(s), limit)
	}
	return ""
}

// boolean reads true, "true", "True", 1 and "1", and their opposites, as "true" or "false".
func (f *fields) boolean(key string) string {
	return f.parsed(key, "true or false", func(text string) (string, error) {
		b, err := strconv.ParseBool(strings.ToLower(text))
		return strconv.FormatBool(b), err
	})
}

// integer reads 8080, 8080.0, "8080" and 8.08e3 as "8080", and 0 as "".
func (f *fields) integer(key string) string {
	return f.parsed(key, "an integer", func(text string) (string, error) {
		number, err := strconv.ParseFloat(text, 64)
		const exact = 1 << 53
		if number != math.Trunc(number) || math.Abs(number) > exact {
			err = strconv.ErrRange
		}
		return strings.TrimPrefix(strconv.FormatInt(int64(number), 10), "0"), err
	})
}

// parsed reads a value of another type than string as text; "" if there is none.
func (f *fields) parsed(key, expected string, parse func(string) (string, error)) string {
	v := f.get(key)
	text, ok := v.scalar()
	text = strings.TrimSpace(text)
	if ok && text == "" {
		return ""
	}
	result, err := parse(text)
	if !ok || err != nil {
		f.complain(key, v, expected)
		return ""
	}
	return result
}

// need reads a string that must not be blank. It is sent back, so it must be what it seems to be.
func (f *fields) need(keys ...string) string { return f.needed(TextLimit, keys...) }

func (f *fields) needed(limit int, keys ...string) string {
	s := f.limited(limit, keys...)
	switch {
	case f.err != nil:
	case strings.TrimSpace(s) == "":
		f.err = misshapen("%s is missing: the response holds %s", keys[0], listKeys(f.keys()))
	case !parse.Safe(s):
		f.err = misshapen("%s contains a control or format character", keys[0])
	}
	return s
}

// etag reads the ETag of an object.
func (f *fields) etag(key string) string {
	s := f.limited(TextLimit, key)
	if !parse.ValidETag(s) && f.err == nil {
		f.err = misshapen("%s contains other characters than visible ASCII", key)
	}
	return s
}

// keyPath reads the key path of a file. The error does not quote it: it may be anything, also a
// URL.
func (f *fields) keyPath(keys ...string) string {
	s := f.need(keys...)
	if _, err := parse.SplitKeyPath(s); f.err == nil && err != nil {
		f.err = misshapen("%s does not have the form of a key path, %s", keys[0], parse.KeyPathForm)
	}
	return s
}

// address reads a presigned URL.
func (f *fields) address(keys ...string) string {
	// In the query, a blank would end the request line.
	s := strings.ReplaceAll(strings.TrimSpace(f.needed(AddressLimit, keys...)), " ", "%20")
	u, err := url.Parse(s)
	switch {
	case f.err != nil:
	case err != nil || u.Hostname() == "":
		f.err = misshapen("%s is a string that is no URL with a host", keys[0])
	case u.User != nil:
		f.err = misshapen("%s is a URL with user info", keys[0])
	case parse.PortProblem(u) != "":
		f.err = misshapen("%s is a URL that %s", keys[0], parse.PortProblem(u))
	default:
		if err := wire.CheckScheme(u); err != nil {
			f.err = misshapen("%s cannot be used: %s", keys[0], err)
		}
	}
	return s
}
