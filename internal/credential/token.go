package credential

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/vodlive/terraform-provider-vodlive/internal/disk"
)

// TokenSource gives the identity token. It is safe for concurrent use.
type TokenSource interface {
	// Token returns the token to send. rejected is "" or the token that was just answered with 401.
	// A source that can get a new token gets one then, once for all concurrent callers.
	Token(ctx context.Context, rejected string) (string, error)
}

// tokenLimit, in bytes, is the length of the longest token that fits into a header.
const tokenLimit = 64 << 10

// checkToken returns why a token cannot be sent in a header. The error does not quote the token.
func checkToken(token string) error {
	switch {
	case strings.TrimSpace(token) == "":
		return errors.New("the token is empty")
	case len(token) > tokenLimit:
		return fmt.Errorf("the token is longer than %d KiB", tokenLimit>>10)
	case strings.ContainsFunc(token, func(r rune) bool { return r < ' ' || r > '~' }):
		return errors.New("the token contains a line break, another control character or a character outside ASCII, which a header cannot carry")
	}
	return nil
}

type staticToken string

// StaticToken always gives the same token, without surrounding white space.
func StaticToken(token string) TokenSource { return staticToken(strings.TrimSpace(token)) }

func (s staticToken) Token(context.Context, string) (string, error) {
	return string(s), checkToken(string(s))
}

// renewing keeps a token until it is rejected. One call at a time runs get, and calls that waited
// meanwhile share its result.
type renewing struct {
	get   func(context.Context) (string, error)
	turn  chan struct{} // contains an element while a call uses token and err
	runs  atomic.Int64  // but for those whose call was cancelled
	token string
	err   error // of the last run
}

func newRenewing(get func(context.Context) (string, error)) TokenSource {
	return &renewing{get: get, turn: make(chan struct{}, 1)}
}

func (r *renewing) Token(ctx context.Context, rejected string) (string, error) {
	runs := r.runs.Load()
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	switch {
	case r.token != "" && r.token != rejected:
		return r.token, nil
	case r.runs.Load() > runs:
		return r.token, r.err
	}
	token, err := r.get(ctx)
	if ctx.Err() != nil {
		return token, err
	}
	r.runs.Add(1)
	if r.err = err; err == nil {
		r.token = token
	}
	return token, err
}

// FileToken reads the token, without surrounding white space, from a file, and again when rejected.
func FileToken(path string, hook disk.Hook) TokenSource {
	return fileToken(func() (string, error) { return readToken(path, hook) })
}

func fileToken(read func() (string, error)) TokenSource {
	return newRenewing(func(ctx context.Context) (string, error) {
		var token string
		var err error
		done := make(chan struct{})
		go func() {
			defer close(done)
			token, err = read()
		}()
		select {
		case <-done:
			return token, err
		case <-ctx.Done(): // does not wait for a file system that hangs
			return "", ctx.Err()
		}
	})
}

func readToken(path string, hook disk.Hook) (string, error) {
	f, _, err := hook.Open(path)
	if irregular, ok := errors.AsType[*disk.IrregularError](err); ok && irregular.Mode.IsDir() {
		return "", fmt.Errorf("the path %s is a folder, not a file", path)
	} else if ok {
		return "", fmt.Errorf("the path %s is not a regular file, so it could not be read again", path)
	}
	if errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("the file %s does not exist", path)
	}
	if err != nil {
		return "", fmt.Errorf("the file %s cannot be read: %w", path, err)
	}
	defer func() { _ = f.Close() }()
	// PowerShell writes UTF-16, or UTF-8 with a byte-order mark.
	content, err := io.ReadAll(io.LimitReader(transform.NewReader(f, unicode.BOMOverride(transform.Nop)), tokenLimit+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("the file %s cannot be read: %w", path, disk.Cause(err))
	case len(content) > tokenLimit:
		return "", fmt.Errorf("the file %s is longer than %d KiB: it does not hold a token alone", path, tokenLimit>>10)
	}
	token := strings.TrimSpace(string(content))
	if token == "" {
		return "", fmt.Errorf("the file %s is empty", path)
	}
	if err := checkToken(token); err != nil {
		return "", fmt.Errorf("the file %s: %w", path, err)
	}
	return token, nil
}
