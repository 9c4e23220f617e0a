// Package acctest is the one harness of the tests that need a service. It has a simulated service
// for each test, over loopback (Start) or over a network in memory (NewWorld); the provider in
// process, driven over its protocol as Terraform drives it (Provider); and a real CLI with a built
// provider (NewCLI) for what only that shows: exit codes, interrupts, state on disk. It is imported
// by tests alone. Each test has its own service, folders and environment, so all run in parallel.
package acctest

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/provider"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// Server is a simulated service that listens for the length of one test.
type Server struct {
	*simulator.Service
	// URL is the address of both APIs, without a trailing slash.
	URL string
}

// Start runs a simulated service on loopback, for a CLI. With -short it skips the test: a run of a
// CLI takes a second.
func Start(tb testing.TB, options simulator.Options) *Server {
	tb.Helper()
	if testing.Short() {
		tb.Skip("starts a CLI")
	}
	service := newService(tb, options)
	server := httptest.NewServer(service)
	// Close first lets go the requests that a fault or a test holds; the server waits for them.
	tb.Cleanup(func() {
		_ = service.Close()
		server.CloseClientConnections()
		server.Close()
	})
	return &Server{Service: service, URL: server.URL}
}

// newService is a simulator that fails the test on a request to a route that the service does not
// have.
func newService(tb testing.TB, options simulator.Options) *simulator.Service {
	tb.Helper()
	options.UnknownRoute = func(method, path string) { tb.Errorf("request to an unknown route: %s %s", method, path) }
	return simulator.New(options)
}

// Environment has what a provider needs as its environment variables: the server's addresses, the
// simulator's default credentials, and a folder of its own for the records of unfinished uploads.
func (s *Server) Environment(tb testing.TB) map[string]string {
	tb.Helper()
	return map[string]string{
		"VODLIVE_BASE_URL":        s.URL,
		"VODLIVE_VOD_BASE_URL":    s.URL,
		"VODLIVE_ACCESS_TOKEN_ID": simulator.DefaultAccessTokenID,
		"VODLIVE_SECRET_KEY":      simulator.DefaultSecretKey,
		"VODLIVE_ID_TOKEN":        simulator.DefaultIDToken,
		"VODLIVE_RESUME_DIR":      tb.TempDir(),
	}
}

func lookup(env map[string]string) provider.Environment {
	return func(name string) (string, bool) {
		value, ok := env[name]
		return value, ok
	}
}

// AssertCalls fails the test unless the service has received exactly n requests of a call.
func (s *Server) AssertCalls(tb testing.TB, call string, n int) {
	tb.Helper()
	if got := s.Count(call); got != n {
		tb.Errorf("the service received %d requests of %s, want %d. Journal:\n%s", got, call, n, s.JournalText())
	}
}

// JournalText is the journal, a line each, for a failing test's message.
func (s *Server) JournalText() string {
	var b strings.Builder
	for _, r := range s.Journal() {
		fmt.Fprintf(&b, "%-22s %-4s %s -> %d, failed: %t\n", r.Call, r.Method, r.Path, r.Status, r.Failed)
	}
	return b.String()
}
