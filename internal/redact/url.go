package redact

import (
	"errors"
	"net/url"
)

// Address returns a URL as it may be shown, without query and user info.
func Address(u *url.URL) string {
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	return shown.String()
}

// URLError returns the cause of an error of net/http or net/url, whose own text repeats a whole
// URL.
func URLError(err error) error {
	for {
		quoting, ok := errors.AsType[*url.Error](err)
		if !ok {
			return err
		}
		err = quoting.Err
	}
}
