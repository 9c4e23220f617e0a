// Package credential authenticates requests: HTTP basic with an access token id and a secret key,
// and an identity token from a value, a file or a command (SERVICE.md). It also reads when an
// identity token expires, if it is a JWT.
//
// No file is read and no program is run before a request needs the token. No error text holds a
// secret.
package credential

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"
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
	return []string{b.SecretKey, b.TokenID, b.TokenID + ":" + b.SecretKey}
}

// Header implements Credential.
func (b Basic) Header(context.Context, string) (string, error) {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(b.TokenID+":"+b.SecretKey)), nil
}

// Renewable implements Credential.
func (b Basic) Renewable() bool { return false }

// TokenSource gives the identity token. It is safe for concurrent use.
type TokenSource interface {
	// Token returns the token to send. rejected is "" or the token that was just answered with 401:
	// a source that can get a new token gets one then.
	Token(ctx context.Context, rejected string) (string, error)
}

// Bearer is the credential of the upload and batch API: an identity token, which is sent verbatim,
// without a scheme.
type Bearer struct{ Source TokenSource }

// Secrets implements Credential.
func (b Bearer) Secrets() []string {
	token, _ := b.Source.(staticToken)
	return []string{string(token)}
}

// Header implements Credential. Its error is a *TokenError.
func (b Bearer) Header(ctx context.Context, rejected string) (string, error) {
	token, err := b.Source.Token(ctx, rejected)
	token = strings.TrimSpace(token)
	switch {
	case err != nil:
	case token == "":
		err = errors.New("it is empty")
	case strings.ContainsFunc(token, func(r rune) bool { return r < ' ' || r > '~' }):
		err = errors.New("it contains a line break, another control character or a character outside ASCII, which a header cannot carry")
	default:
		return token, nil
	}
	return "", &TokenError{Err: err}
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

type staticToken string

// StaticToken always gives the same token.
func StaticToken(token string) TokenSource { return staticToken(token) }

func (s staticToken) Token(context.Context, string) (string, error) { return string(s), nil }

// renewing keeps a token until it is rejected. One call at a time runs get.
type renewing struct {
	get func(context.Context) (string, error)

	mu    sync.Mutex
	token string
}

func (r *renewing) Token(ctx context.Context, rejected string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.token != "" && r.token != rejected {
		return r.token, nil
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	token, err := r.get(ctx)
	if err == nil {
		r.token = token
	}
	return token, err
}

// TokenExpiry returns the time of the claim exp of a JWT, whose signature is not verified. ok is
// false for other tokens.
func TokenExpiry(token string) (at time.Time, ok bool) {
	parts := strings.Split(strings.TrimPrefix(strings.TrimSpace(token), "Bearer "), ".")
	if len(parts) != 3 {
		return time.Time{}, false
	}
	claims, err := base64.RawURLEncoding.DecodeString(parts[1])
	var known struct {
		Exp float64 `json:"exp"`
	}
	if err != nil || json.Unmarshal(claims, &known) != nil || known.Exp <= 0 || known.Exp > 1e11 {
		return time.Time{}, false
	}
	return time.Unix(int64(known.Exp), 0).UTC(), true
}
