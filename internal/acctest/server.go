// Package acctest is what the life-cycle tests share: one simulated service per test over loopback, provider factories
// for tests in process, and a real CLI with a built provider for what only that shows (exit codes, interrupts, state
// on disk). It is imported by tests alone. Each test has its own server, folders and environment, so all run in
// parallel.
package acctest

import (
	"fmt"
	"maps"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/vodlive/terraform-provider-vodlive/internal/provider"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// Server is a simulated service that listens on loopback for the length of one test.
type Server struct {
	*simulator.Service
	// URL is the address of both APIs, without a trailing slash.
	URL string
}

// Start runs a simulated service. A request to a route that the service does not have fails the test.
func Start(tb testing.TB, options simulator.Options) *Server {
	tb.Helper()
	if options.UnknownRoute == nil {
		options.UnknownRoute = func(method, path string) { tb.Errorf("request to an unknown route: %s %s", method, path) }
	}
	service := simulator.New(options)
	server := httptest.NewServer(service)
	// Close first lets go the requests that a fault or a test holds; the server waits for them.
	tb.Cleanup(func() {
		_ = service.Close()
		server.CloseClientConnections()
		server.Close()
	})
	return &Server{Service: service, URL: server.URL}
}

// Environment is what a provider in process sees as its environment variables: the server's addresses, the simulator's
// default credentials, and a folder of the test's own for the records of unfinished uploads.
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

// Factories serve the provider in the test's own process, configured by s.Environment with the changes of overrides
// over it. A test configuration then needs no provider block.
func (s *Server) Factories(tb testing.TB, overrides ...map[string]string) map[string]func() (tfprotov6.ProviderServer, error) {
	tb.Helper()
	env := s.Environment(tb)
	for _, o := range overrides {
		maps.Copy(env, o)
	}
	return FactoriesWithEnvironment(env)
}

// FactoriesWithEnvironment serve the provider with exactly the variables given.
func FactoriesWithEnvironment(env map[string]string) map[string]func() (tfprotov6.ProviderServer, error) {
	lookup := func(name string) (string, bool) {
		value, ok := env[name]
		return value, ok
	}
	return map[string]func() (tfprotov6.ProviderServer, error){
		"vodlive": func() (tfprotov6.ProviderServer, error) {
			return provider.NewServer(provider.NewWithEnvironment("test", lookup)(), provider.Logged), nil
		},
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
		fmt.Fprintf(&b, "%-22s %-4s %s -> %d %s\n", r.Call, r.Method, r.Path, r.Status, r.Fault)
	}
	return b.String()
}
