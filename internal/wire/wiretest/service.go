// Package wiretest answers HTTP requests in memory. Only tests import it.
package wiretest

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
	"testing/iotest"
	"time"
)

// Request is a request as the Service received it.
type Request struct {
	Method, URL, Path string
	Header            http.Header
	Body              string
	At                time.Time
}

// Service is a transport that answers requests in memory.
type Service struct {
	mu   sync.Mutex
	seen []Request
	// Answer answers the nth request, from 1.
	Answer func(n int, r *http.Request) (*http.Response, error)
}

// RoundTrip implements http.RoundTripper.
func (f *Service) RoundTrip(r *http.Request) (*http.Response, error) {
	s := Request{Method: r.Method, URL: r.URL.String(), Path: r.URL.EscapedPath(), Header: r.Header.Clone(), At: time.Now()}
	if r.Body != nil {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		s.Body = string(b)
		_ = r.Body.Close()
	}
	f.mu.Lock()
	f.seen = append(f.seen, s)
	n := len(f.seen)
	f.mu.Unlock()
	return f.Answer(n, r)
}

// Requests returns the requests received so far.
func (f *Service) Requests() []Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.seen)
}

// Response makes a response. header has pairs of name and value.
func Response(status int, body string, header ...string) *http.Response {
	h := http.Header{"Content-Type": {"application/json"}}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}
}

// Always returns a Service that always answers the same.
func Always(status int, body string, header ...string) *Service {
	return &Service{Answer: func(int, *http.Request) (*http.Response, error) {
		return Response(status, body, header...), nil
	}}
}

// InTurn returns a Service that gives one answer after the other, and the last for ever.
func InTurn(answers ...func(*http.Request) (*http.Response, error)) *Service {
	return &Service{Answer: func(n int, r *http.Request) (*http.Response, error) {
		return answers[min(n, len(answers))-1](r)
	}}
}

// With answers with a response.
func With(status int, body string, header ...string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) { return Response(status, body, header...), nil }
}

// Failing answers with an error of the transport.
func Failing(err error) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

// Hanging fails when the request's context ends.
func Hanging(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// BreakingOff answers with a body that ends too early.
func BreakingOff(status int, body string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		res := Response(status, "")
		res.Body = io.NopCloser(io.MultiReader(strings.NewReader(body), iotest.ErrReader(io.ErrUnexpectedEOF)))
		res.ContentLength = int64(len(body)) + 10
		return res, nil
	}
}

// Refused fails because nobody accepts the connection.
func Refused(r *http.Request) (*http.Response, error) {
	httptrace.ContextClientTrace(r.Context()).GetConn("")
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connect: connection refused")}
}

// TokenSource gives tokens in turn: the next one when a token was rejected.
type TokenSource struct {
	mu     sync.Mutex
	Asked  []string // the rejected tokens, "" for none
	Tokens []string
	Err    error // instead of the next one
}

// Token implements credential.TokenSource.
func (s *TokenSource) Token(_ context.Context, rejected string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Asked = append(s.Asked, rejected)
	if rejected != "" {
		if s.Err != nil {
			return "", s.Err
		}
		if len(s.Tokens) > 1 {
			s.Tokens = s.Tokens[1:]
		}
	}
	return s.Tokens[0], nil
}

// Accepting answers 401 to every token but one.
func Accepting(token, body string) *Service {
	return &Service{Answer: func(_ int, r *http.Request) (*http.Response, error) {
		if r.Header.Get("Authorization") != token {
			return Response(401, "token expired"), nil
		}
		return Response(200, body), nil
	}}
}
