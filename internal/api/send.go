package api

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

// answerLimit, in bytes, is how much of an answer is read.
const answerLimit = 16 << 20

// send makes one request and reads its whole answer.
func (c *Client) send(ctx context.Context, x *exchange) (*answer, error) {
	if ctx.Err() != nil {
		return nil, ended(ctx)
	}
	x.requests++
	way := &progress{}
	req, err := c.request(way.watch(ctx), x)
	if err != nil {
		return nil, &callError{fault: faultFinal, text: "the request cannot be made: " + err.Error()}
	}
	transport := c.kept
	if onlyOnce(x.op) || x.timedOut {
		transport = c.fresh
	}
	defer func() {
		if _, late := errors.AsType[*attemptTimeoutError](context.Cause(ctx)); late {
			x.timedOut = true
			closeIdle(transport)
		}
	}()
	// Not an http.Client: what that adds, redirects, cookies and errors with
	// whole URLs, is not wanted here.
	res, err := transport.RoundTrip(req)
	if err != nil {
		return nil, c.explain(ctx, err, way)
	}
	defer func() { _ = res.Body.Close() }()
	a := &answer{status: res.StatusCode, header: res.Header}
	a.body, err = io.ReadAll(io.LimitReader(res.Body, answerLimit+1))
	if len(a.body) > answerLimit {
		a.body, a.tooLong = a.body[:answerLimit], true
	} else if err != nil {
		a.broken = c.explain(ctx, err, way)
	}
	return a, nil
}

func (c *Client) request(ctx context.Context, x *exchange) (*http.Request, error) {
	var body io.Reader
	if x.payload != nil {
		body = bytes.NewReader(x.payload)
	}
	req, err := http.NewRequestWithContext(ctx, x.method, x.url.String(), body)
	if err != nil {
		return nil, errors.New("its address is not valid")
	}
	if onlyOnce(x.op) {
		// Without it net/http has no second body to send on its own account.
		req.GetBody = nil
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Authorization", x.authorization)
	req.Header.Set("User-Agent", c.userAgent)
	if x.payload != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// progress is how far a request got.
type progress struct {
	began     atomic.Bool // the transport reports
	connected atomic.Bool
	wrote     atomic.Bool
	answered  atomic.Bool
}

func (p *progress) watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn:              func(string) { p.began.Store(true) },
		GotConn:              func(httptrace.GotConnInfo) { p.connected.Store(true) },
		WroteRequest:         func(i httptrace.WroteRequestInfo) { p.wrote.Store(i.Err == nil) },
		GotFirstResponseByte: func() { p.answered.Store(true) },
	})
}

// notSent tells whether no byte of the request can have left: the transport
// never got a connection or, for one that does not report, the error is one of
// making a connection.
func (p *progress) notSent(err error) bool {
	if p.began.Load() {
		return !p.connected.Load()
	}
	return connecting(err)
}

// connecting tells errors of making a connection from those of using it.
func connecting(err error) bool {
	var op *net.OpError
	if errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect") {
		return true
	}
	var dns *net.DNSError
	return errors.As(err, &dns) || untrusted(err)
}

// untrusted reports whether the connection failed because the server does not speak TLS or its
// certificate is not trusted. Another attempt would meet the same server.
func untrusted(err error) bool {
	// A record error without a connection comes later than the handshake: damage on the way.
	record, ok := errors.AsType[tls.RecordHeaderError](err)
	if ok && record.Conn != nil {
		return true
	}
	_, ok = errors.AsType[*tls.CertificateVerificationError](err)
	return ok
}

// explain says what became of a request without an answer, without the address
// that errors of net/http carry.
func (c *Client) explain(ctx context.Context, err error, way *progress) *callError {
	f := &callError{fault: faultLost}
	if way.notSent(err) {
		f.fault = faultNotSent
		if untrusted(err) {
			f.fault = faultFinal
		}
	}
	cause := context.Cause(ctx)
	var late *attemptTimeoutError
	switch {
	case errors.As(cause, &late):
		f.cause = late
		f.text = fmt.Sprintf("%s: %s", late, way.waitingFor(f.fault))
	case cause != nil:
		f.cause = ctx.Err()
		f.text = fmt.Sprintf("%s: %s", ended(ctx), way.waitingFor(f.fault))
	default:
		f.cause = redact.URLError(err)
		f.text = c.mask.Line(way.problem(f.cause, f.fault))
	}
	return f
}

func (p *progress) waitingFor(f fault) string {
	switch {
	case f == faultNotSent:
		return "no connection was made"
	case p.answered.Load():
		return "the answer had not ended"
	case p.wrote.Load() || !p.began.Load():
		return "the request was sent but not answered"
	}
	return "the request was being sent"
}

// problem puts an error of the network into words.
func (p *progress) problem(err error, f fault) string {
	if text := tlsProblem(err); text != "" {
		return text
	}
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &dns):
		if dns.IsNotFound {
			return fmt.Sprintf("the host name %q is not known", dns.Name)
		}
		return fmt.Sprintf("the host name %q could not be looked up: %s", dns.Name, dns.Err)
	case isAny(err, errnosRefused):
		return "connection refused" + at(err)
	case f == faultNotSent && errors.As(err, &op) && op.Timeout():
		return "no connection was made in time" + at(err)
	case f == faultNotSent:
		return "no connection was made: " + err.Error()
	}
	where := "while the request was being sent"
	switch {
	case p.answered.Load():
		where = "in the middle of the answer"
	case p.wrote.Load() || !p.began.Load():
		where = "after the request was sent"
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || isAny(err, errnosBroken) {
		return "connection broken " + where
	}
	return fmt.Sprintf("connection broken %s: %s", where, err)
}

func isAny(err error, targets []error) bool {
	return slices.ContainsFunc(targets, func(target error) bool { return errors.Is(err, target) })
}

func at(err error) string {
	var op *net.OpError
	if errors.As(err, &op) && op.Addr != nil {
		return " by " + op.Addr.String()
	}
	return ""
}

func tlsProblem(err error) string {
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	var certificate *tls.CertificateVerificationError
	var alert tls.AlertError
	switch {
	case errors.As(err, &unknown):
		return "TLS: the certificate is signed by an unknown authority"
	case errors.As(err, &host):
		return "TLS: " + strings.TrimPrefix(host.Error(), "x509: ")
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "TLS: the certificate has expired or is not yet valid"
	case errors.As(err, &record):
		return "TLS: the server does not answer in TLS; is the port right?"
	case errors.As(err, &certificate):
		return "TLS: the certificate cannot be verified: " + certificate.Err.Error()
	case errors.As(err, &alert):
		return "TLS: the server ended the connection: " + alert.Error()
	}
	return ""
}

// unusable says what is wrong with the body of a 2xx answer.
func (c *Client) unusable(a *answer) error {
	media, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	if err != nil || media == "" {
		media = "of no media type"
	}
	switch {
	case a.tooLong:
		return misshapen("it is longer than %d MiB", answerLimit>>20)
	case a.broken != nil:
		return fmt.Errorf("the answer broke off after %d bytes: %w", len(a.body), a.broken)
	case len(bytes.TrimSpace(a.body)) == 0:
		return misshapen("it is empty where JSON was expected")
	}
	return misshapen("it is not JSON (%s, %d bytes)", c.mask.Line(media), len(a.body))
}
