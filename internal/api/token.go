package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// TokenSource gives the identity token of the upload and batch API (interface
// 5.2), which is sent as the authorization header as it is. A source is asked
// for nothing before a call needs it, and by many calls at once.
type TokenSource interface {
	// Token returns the token to send. rejected is "" or the token that the
	// service just answered 401 to: then a source that can get a new one does,
	// once for all concurrent callers.
	Token(ctx context.Context, rejected string) (string, error)
}

// tokenLimit, in bytes, is the longest token: longer ones fit no header.
const tokenLimit = 64 << 10

// CheckToken tells why a token cannot be sent as a header; nil when it can. The
// error does not quote it.
func CheckToken(token string) error {
	switch {
	case strings.TrimSpace(token) == "":
		return errors.New("the token is empty")
	case len(token) > tokenLimit:
		return fmt.Errorf("the token is longer than %d KiB", tokenLimit>>10)
	case !printable(token):
		return errors.New("the token holds a control character, a line break for one, or a character outside ASCII, which a header cannot carry")
	}
	return nil
}

// CheckBasicCredentials tells why an access token id and a secret key cannot be
// sent; nil when they can, or are empty. The error does not quote them.
func CheckBasicCredentials(tokenID, secretKey string) error {
	switch {
	case tokenID != "" && strings.TrimSpace(tokenID) == "":
		return errors.New("the access token id is blank")
	case secretKey != "" && strings.TrimSpace(secretKey) == "":
		return errors.New("the secret key is blank")
	case strings.Contains(tokenID, ":"):
		return errors.New("the access token id holds a colon, which ends it in basic credentials: is it followed by the secret key?")
	case hasControl(tokenID):
		return errors.New("the access token id holds a control character, a line break for one")
	case hasControl(secretKey):
		return errors.New("the secret key holds a control character, a line break for one")
	}
	return nil
}

func hasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 })
}

// printable tells whether s holds printable ASCII only.
func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

type staticToken string

// StaticToken gives always the same token, without surrounding white space.
func StaticToken(token string) TokenSource { return staticToken(strings.TrimSpace(token)) }

func (s staticToken) Token(context.Context, string) (string, error) {
	return string(s), CheckToken(string(s))
}

// FileToken reads the token from a file, and again when the service rejects it.
// Surrounding white space is not part of it.
func FileToken(path string) TokenSource {
	return &renewing{get: func(context.Context) (string, error) { return readToken(path) }}
}

func readToken(path string) (string, error) {
	// Before it is opened: opening a pipe would wait for its other end.
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", fmt.Errorf("the file %s does not exist", path)
	case err != nil:
		return "", fmt.Errorf("the file %s cannot be read: %w", path, fileProblem(err))
	case info.IsDir():
		return "", fmt.Errorf("%s is a folder, not a file", path)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a regular file, so it could not be read again", path)
	}
	f, err := os.Open(path) // #nosec G304 -- the user names it
	if err != nil {
		return "", fmt.Errorf("the file %s cannot be read: %w", path, fileProblem(err))
	}
	defer func() { _ = f.Close() }()
	content, err := io.ReadAll(io.LimitReader(f, tokenLimit+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("the file %s cannot be read: %w", path, fileProblem(err))
	case len(content) > tokenLimit:
		return "", fmt.Errorf("the file %s is longer than %d KiB: it does not hold a token alone", path, tokenLimit>>10)
	}
	token := strings.TrimSpace(string(content))
	if token == "" {
		return "", fmt.Errorf("the file %s is empty", path)
	}
	if err := CheckToken(token); err != nil {
		return "", fmt.Errorf("the file %s: %w", path, err)
	}
	return token, nil
}

// fileProblem is the cause of a file error, whose text repeats the path.
func fileProblem(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	return err
}

// renewing keeps a token until it is rejected. Callers that need a new one at
// the same time share one run of get.
type renewing struct {
	get func(context.Context) (string, error)

	mu     sync.Mutex
	token  string
	flight *flight
}

// flight is one run of get, which goes on as long as somebody waits for it.
type flight struct {
	done    chan struct{}
	cancel  context.CancelFunc
	waiting int
	token   string
	err     error
}

func (r *renewing) Token(ctx context.Context, rejected string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	r.mu.Lock()
	if r.token != "" && r.token != rejected {
		defer r.mu.Unlock()
		return r.token, nil
	}
	f := r.flight
	if f == nil {
		f = r.start(ctx)
	}
	f.waiting++
	r.mu.Unlock()

	select {
	case <-f.done:
		return f.token, f.err
	case <-ctx.Done():
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if f.waiting--; f.waiting == 0 {
		f.cancel()
		if r.flight == f {
			r.flight = nil
		}
	}
	return "", ctx.Err()
}

// start begins a run of get, with what ctx holds but not its end. The caller
// holds mu.
func (r *renewing) start(ctx context.Context) *flight {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &flight{done: make(chan struct{}), cancel: cancel}
	r.flight = f
	go func() {
		defer cancel()
		token, err := r.get(ctx)
		r.mu.Lock()
		defer r.mu.Unlock()
		f.token, f.err = token, err
		if r.flight == f {
			r.flight = nil
			if err == nil {
				r.token = token
			}
		}
		close(f.done)
	}()
	return f
}

// TokenExpiry tells when a token expires, if it is a JWT that says so (its exp;
// the signature is not verified); false when it is opaque.
func TokenExpiry(token string) (time.Time, bool) {
	seconds, ok := tokenClaims(token)["exp"].(float64)
	// Beyond the year 9999 it is no date, and times cannot be written down.
	if !ok || !(seconds > 0 && seconds < 253402300800) {
		return time.Time{}, false
	}
	return time.Unix(int64(seconds), 0).UTC(), true
}

// TokenAccount identifies the account of a token, if it is a JWT that names a subject or a customer (the signature is not
// verified); "" otherwise. It is the same for every token of the account.
func TokenAccount(token string) string {
	claims := tokenClaims(token)
	identity := map[string]any{}
	for _, name := range []string{"sub", "customer_id", "custom:customer_id"} {
		if value, ok := claims[name]; ok && value != nil && value != "" {
			identity[name] = value
		}
	}
	if len(identity) == 0 {
		return ""
	}
	identity["iss"] = claims["iss"] // a subject is unique for its issuer only
	text, err := json.Marshal(identity)
	if err != nil {
		return ""
	}
	return string(text)
}

// tokenClaims are the claims of a JWT, nil if the token is none.
func tokenClaims(token string) jwt.MapClaims {
	if kind, bare, found := strings.Cut(strings.TrimSpace(token), " "); found && strings.EqualFold(kind, "bearer") {
		token = bare
	}
	token = strings.TrimSpace(token)
	if len(token) > tokenLimit {
		return nil
	}
	parsed, _, err := jwt.NewParser().ParseUnverified(token, jwt.MapClaims{})
	if parsed == nil || (err != nil && !errors.Is(err, jwt.ErrTokenUnverifiable)) {
		return nil
	}
	claims, _ := parsed.Claims.(jwt.MapClaims)
	return claims
}
