// Package acctest is the one harness of the tests that need a service. It has a simulated service
// for each test, over loopback (Start) or over a network in memory (NewWorld); the provider in
// process, driven over its protocol as Terraform drives it (Provider); and a real CLI with a built
// provider (NewCLI) for what only that shows: exit codes, interrupts, state on disk. It is imported
// by tests alone. Each test has its own service, folders and environment, so all run in parallel.
package acctest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
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
	// Client reaches the service as a tool beside Terraform does.
	Client *http.Client
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
	return &Server{Service: service, URL: server.URL, Client: server.Client()}
}

// newService is a simulator that fails the test on a request to a route that the service does not
// have.
func newService(tb testing.TB, options simulator.Options) *simulator.Service {
	tb.Helper()
	if options.UnknownRoute == nil {
		options.UnknownRoute = func(method, path string) { tb.Errorf("request to an unknown route: %s %s", method, path) }
	}
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

// Store puts a file into the service without the provider and returns its key path.
func (s *Server) Store(tb testing.TB) string {
	tb.Helper()
	presigned := s.send(tb, http.MethodPost, s.URL+"/vod/v1/customer/presign-url", "application/json",
		`{"file_name":"stored.mp4","content_type":"video/mp4"}`)
	var target struct {
		Data struct {
			FileKeyPath  string `json:"fileKeyPath"`
			PresignedURL string `json:"presigned_url"`
		} `json:"data"`
	}
	if err := json.Unmarshal(presigned, &target); err != nil {
		tb.Fatal(err)
	}
	s.send(tb, http.MethodPut, target.Data.PresignedURL, "video/mp4", "stored")
	return target.Data.FileKeyPath
}

func (s *Server) send(tb testing.TB, method, address, contentType, body string) (answer []byte) {
	tb.Helper()
	req, err := http.NewRequestWithContext(tb.Context(), method, address, strings.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	if method == http.MethodPost { // storage takes no credential of the service
		req.Header.Set("Authorization", simulator.DefaultIDToken)
	}
	resp, err := s.Client.Do(req)
	if err != nil {
		tb.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		tb.Fatalf("%s %s: %s, %v", method, address, resp.Status, err)
	}
	return answer
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
