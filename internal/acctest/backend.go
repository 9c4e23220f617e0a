package acctest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Backend is a server for Terraform's backend "http". The CLI ends its providers before it saves a
// state there.
type Backend struct {
	url string

	mu    sync.Mutex
	state []byte
	save  func() (status int, keep bool)
}

// NewBackend starts a backend that keeps what it gets.
func NewBackend(tb testing.TB) *Backend {
	tb.Helper()
	b := &Backend{}
	b.Saves(func() (int, bool) { return http.StatusOK, true })
	server := httptest.NewServer(b)
	tb.Cleanup(server.Close)
	b.url = server.URL
	return b
}

// Saves has the backend answer with a status from now on when the CLI saves a state, which it keeps
// or not.
func (b *Backend) Saves(answer func() (status int, keep bool)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.save = answer
}

// Block is the terraform block of a configuration with this backend.
func (b *Backend) Block() string {
	return fmt.Sprintf("terraform {\n  backend \"http\" {\n    address = %q\n    retry_max = 0\n  }\n}\n", b.url)
}

func (b *Backend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	b.mu.Lock()
	save := b.save
	b.mu.Unlock()
	status, keep := http.StatusOK, false
	if r.Method == http.MethodPost {
		status, keep = save()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case keep:
		b.state = body
	case r.Method == http.MethodGet && b.state == nil:
		status = http.StatusNoContent
	case r.Method == http.MethodGet:
		_, _ = w.Write(b.state)
		return
	}
	w.WriteHeader(status)
}

// Init runs `init` for a configuration that has no provider yet, so that it downloads none.
func (c *CLI) Init(block string) {
	c.tb.Helper()
	c.Write("main.tf", block)
	c.Must("init", "-reconfigure")
}
