// Package credential authenticates requests: HTTP basic with an access token id and a secret key,
// and an identity token from a value, a file or a command (SERVICE.md). It also reads what an
// identity token says of itself if it is a JWT: when it expires and whose it is.
//
// No file is read and no program is run before a request needs the token. No error text holds a
// secret.
package credential

import (
	"context"
	"encoding/base64"
	"strings"
)

// Credential authenticates the requests to one API. It is safe for concurrent use.
type Credential interface {
	// Secrets lists the secrets that are known before the first request.
	Secrets() []string
	// Header returns the value of the Authorization header. rejected is "" or the value that was
	// just answered with 401.
	Header(ctx context.Context, rejected string) (string, error)
	// Renewable reports whether Header may return another value after a 401.
	Renewable() bool
}

// Basic is the credential of the live API. A TokenID with a colon cannot be sent.
type Basic struct{ TokenID, SecretKey string }

// Secrets implements Credential.
func (b Basic) Secrets() []string {
	return []string{b.SecretKey}
}

// Header implements Credential.
func (b Basic) Header(context.Context, string) (string, error) {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(b.TokenID+":"+b.SecretKey)), nil
}

// Renewable implements Credential.
func (b Basic) Renewable() bool { return false }

// Bearer is the credential of the upload and batch API: an identity token, which is sent verbatim,
// without a scheme.
type Bearer struct{ Source TokenSource }

// Secrets implements Credential.
func (b Bearer) Secrets() []string {
	if token, fixed := b.Source.(staticToken); fixed {
		return []string{string(token)}
	}
	return nil
}

// Header implements Credential. Its error is a *TokenError.
func (b Bearer) Header(ctx context.Context, rejected string) (string, error) {
	token, err := b.Source.Token(ctx, rejected)
	if err == nil {
		token = strings.TrimSpace(token)
		err = checkToken(token)
	}
	if err != nil {
		return "", &TokenError{Err: err}
	}
	return token, nil
}

// Renewable implements Credential.
func (b Bearer) Renewable() bool {
	_, fixed := b.Source.(staticToken)
	return !fixed
}

// TokenError says why there is no identity token, or none that can be sent in a header.
type TokenError struct{ Err error }

func (e *TokenError) Error() string { return "the identity token: " + e.Err.Error() }

func (e *TokenError) Unwrap() error { return e.Err }
