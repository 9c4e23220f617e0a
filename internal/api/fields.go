package api

import (
	"math"
	"net/url"
	"strconv"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/wire"
)

// fields reads the members of one object and keeps the first error.
type fields struct {
	object
	err error
}

func (f *fields) complain(key string, v value, expected string) {
	if f.err == nil {
		f.err = misshapen("%s is %s where %s was expected", key, v.describe(), expected)
	}
}

// str reads a string, number or boolean under the first of the keys that is there; "" if none is.
func (f *fields) str(keys ...string) string {
	v := f.get(keys...)
	s, ok := v.scalar()
	if !ok {
		f.complain(keys[0], v, "a string")
	}
	return s
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

// need reads a string that must not be blank.
func (f *fields) need(keys ...string) string {
	s := f.str(keys...)
	if strings.TrimSpace(s) == "" && f.err == nil {
		f.err = misshapen("%s is missing: the answer holds %s", keys[0], listKeys(f.keys()))
	}
	return s
}

// address reads a presigned URL.
func (f *fields) address(keys ...string) string {
	s := strings.TrimSpace(f.need(keys...))
	if f.err != nil {
		return ""
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Hostname() == "":
		f.err = misshapen("%s is a string that is no URL with a host", keys[0])
	case u.User != nil:
		f.err = misshapen("%s is a URL with user info", keys[0])
	default:
		if err := wire.CheckScheme(u); err != nil {
			f.err = misshapen("%s cannot be used: %s", keys[0], err)
		}
	}
	if f.err != nil {
		return ""
	}
	return s
}
