package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httptrace"
	"net/netip"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// trace is how far a request got.
type trace struct {
	connecting atomic.Bool // there is no connection yet
	writing    atomic.Bool // the request has not been sent as a whole
	answered   atomic.Bool // the first byte of the response was received
	loopback   atomic.Bool // the connection is to a loopback address
}

func (t *trace) watch(ctx context.Context, host *retry.Host) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		// net/http gets another connection by itself if a kept one turns out to be closed.
		GetConn: func(string) { t.connecting.Store(true); t.writing.Store(true) },
		GotConn: func(i httptrace.GotConnInfo) {
			t.connecting.Store(false)
			host.Reached()
			peer, err := netip.ParseAddrPort(i.Conn.RemoteAddr().String())
			t.loopback.Store(err == nil && peer.Addr().Unmap().IsLoopback())
		},
		WroteRequest:         func(i httptrace.WroteRequestInfo) { t.writing.Store(i.Err != nil) },
		GotFirstResponseByte: func() { t.answered.Store(true) },
	})
}

// responseGrace is how long a request that is on the wire, and that must not be repeated, may take
// for its response when its operation ends: without the response, nothing tells what was made.
const responseGrace = 4 * time.Second

// outlive returns a context that ends with ctx if the request has no connection yet or the attempt
// timed out, and otherwise responseGrace later.
func (t *trace) outlive(ctx context.Context) (context.Context, context.CancelFunc) {
	kept, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if _, late := errors.AsType[*attemptTimeoutError](context.Cause(ctx)); late || t.connecting.Load() {
			cancel()
			return
		}
		time.AfterFunc(responseGrace, cancel)
	})
	return kept, func() { stop(); cancel() }
}

// failure says why there is no response, or no whole one.
func (t *trace) failure(ctx context.Context, err error, mask *redact.Redactor) *callError {
	f := t.faultOf(err)
	cause := context.Cause(ctx)
	waiting, broken := t.progress(f)
	if late, ok := errors.AsType[*attemptTimeoutError](cause); ok {
		return &callError{fault: f, text: late.Error() + ": " + waiting, cause: late}
	}
	if cause != nil {
		return &callError{fault: f, text: ended(ctx).text + ": " + waiting, cause: ctx.Err()}
	}
	err = redact.URLError(err)
	text := "the response broke off, or is not valid HTTP"
	if !t.answered.Load() || ofConnection(err) {
		text = mask.Line(describe(err, f, broken))
	}
	return &callError{fault: f, text: text, cause: err}
}

// ofConnection reports whether an error is one of the connection. In others net/http quotes the
// response, which may have secrets.
func ofConnection(err error) bool {
	_, isOp := errors.AsType[*net.OpError](err)
	return isOp || retry.Permanent(err) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// faultOf returns the fault of a request that ended with an error.
func (t *trace) faultOf(err error) fault {
	switch {
	case !t.connecting.Load():
		return fault{kind: retry.Failed, ambiguous: true}
	case retry.Permanent(err):
		return fault{kind: retry.Final}
	}
	return fault{kind: retry.Unreached}
}

// progress says how far a request got, for one whose time was over and for one whose connection
// broke.
func (t *trace) progress(f fault) (waiting, broken string) {
	switch {
	case f.kind == retry.Unreached:
		return "no connection was made", ""
	case t.answered.Load():
		return "the response had not ended", "in the middle of the response"
	case !t.writing.Load():
		return "the request was sent but not answered", "after the request was sent"
	}
	return "the request was being sent", "while the request was being sent"
}

// errConnRefused is what Windows says of a connection that nobody accepted. Package syscall has no
// name for it.
const errConnRefused = syscall.Errno(10061)

// describe puts an error of the network into words. broken says when it happened.
func describe(err error, f fault, broken string) string {
	op, _ := errors.AsType[*net.OpError](err)
	if op != nil && op.Op == "proxyconnect" { // net/http's name for it
		return "the proxy cannot be reached: " + describe(op.Err, f, broken)
	}
	if text := tlsProblem(err); text != "" {
		return text
	}
	if why, ok := errors.AsType[retry.PermanentError](err); ok {
		return why.Error()
	}
	if errors.Is(err, retry.ErrFirstContact) {
		return retry.ErrFirstContact.Error()
	}
	lookup, isLookup := errors.AsType[*net.DNSError](err)
	switch {
	case isLookup && lookup.IsNotFound:
		return fmt.Sprintf("the host name %q is not known", lookup.Name)
	case isLookup:
		return fmt.Sprintf("the host name %q could not be looked up: %s", lookup.Name, lookup.Err)
	case (errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, errConnRefused)) && op != nil && op.Addr != nil:
		return "connection refused by " + op.Addr.String()
	case f.kind == retry.Unreached && op != nil && op.Addr != nil && op.Timeout():
		return fmt.Sprintf("no connection to %s was made in time", op.Addr)
	}
	if op != nil && op.Source != nil {
		err = op.Err // without the address of the local socket
	}
	switch {
	case f.kind == retry.Unreached:
		return "no connection was made: " + err.Error()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "connection broken " + broken
	}
	return fmt.Sprintf("connection broken %s: %s", broken, err)
}

func tlsProblem(err error) string {
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "TLS: the certificate is signed by an unknown authority"
	}
	if host, ok := errors.AsType[x509.HostnameError](err); ok {
		return "TLS: " + strings.TrimPrefix(host.Error(), "x509: ")
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired {
		return "TLS: the certificate has expired or is not yet valid"
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return "TLS: the server does not answer in TLS; is the port right?"
	}
	if certificate, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "TLS: the certificate cannot be verified: " + certificate.Err.Error()
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "remote error" { // an alert
		return "TLS: the server ended the connection: " + strings.TrimPrefix(op.Err.Error(), "tls: ")
	}
	return ""
}
