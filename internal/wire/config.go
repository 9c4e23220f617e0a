package wire

import (
	"context"
	"crypto/x509"
	"net"
	"net/http"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

// defaultRequestTimeout limits one attempt of a call unless the Config does.
const defaultRequestTimeout = 30 * time.Second

// Config configures a Client.
type Config struct {
	// MaxRetries is how often one call may be repeated; 0: never.
	MaxRetries int
	// RequestTimeout is for one attempt of one call, from the connection to the end of the
	// response; 0: 30 seconds. All attempts and the waits between them are limited by the call's
	// context only.
	RequestTimeout time.Duration
	// UserAgent is sent with every request, also to storage.
	UserAgent string
	// RootCAs are the trusted certificate authorities; nil: the system's.
	RootCAs *x509.CertPool
	// Transport replaces all transports of the client, in tests; nil: own transports, with proxies
	// from the environment.
	Transport http.RoundTripper
	// DialContext makes the connections of the client's own transports, in tests; nil: TCP
	// connections.
	DialContext func(ctx context.Context, network, address string) (net.Conn, error)
	// Redactor masks what is logged and the texts of errors. It is required. The client adds the
	// tokens that it sends.
	Redactor *redact.Redactor
}
