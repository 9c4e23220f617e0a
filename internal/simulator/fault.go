package simulator

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Fault makes matching requests fail. Faults are tried in the order of the calls of Fail, and only
// the first that matches and is due is applied.
//
// The order is: Delay; Stall; BreakBefore; the call itself, unless Status is set without Processed;
// BreakAfter; the response, changed by Status, Header, Body and Rewrite, and cut by Truncate.
type Fault struct {
	// Call is one of the Call constants; "" matches every call, but no unknown route.
	Call string
	// Match selects requests of Call; nil selects all. It must not read the body nor call Fail.
	Match func(*http.Request) bool
	// After is the number of matching requests to skip. Requests that another fault has hit do not
	// count.
	After int
	// Times is the number of requests to hit; 0 is all from then on.
	Times int

	// Delay is the wait before anything else. It ends when the client disconnects.
	Delay time.Duration
	// Stall reads StallAfter bytes of the body of a PUT to storage and then nothing, until
	// Service.Release or Close is called or the client disconnects. Then it breaks the connection.
	Stall      bool
	StallAfter int64
	// BreakBefore breaks the connection without processing the call. BreakAfter processes it first.
	BreakBefore, BreakAfter bool

	// Status, unless 0, is the response, with Body, in place of processing the call. The body of
	// the request is read first.
	Status int
	// Processed processes the call although Status replaces its response.
	Processed bool
	// Body replaces the body of the response. Without Status, the call is processed and keeps its
	// status.
	Body string
	// Header replaces headers of the response. A key without values removes the header.
	Header http.Header
	// Rewrite edits the body of the response.
	Rewrite func(body []byte) []byte
	// Truncate sends the Content-Length of the whole response and half of its body, and breaks the
	// connection.
	Truncate bool
}

// name is the name of the fault in the journal.
func (f *Fault) name() string {
	switch {
	case f.Stall:
		return "stall"
	case f.BreakBefore:
		return "break before"
	case f.BreakAfter:
		return "break after"
	case f.Truncate:
		return "truncate"
	case f.Status != 0:
		return fmt.Sprintf("status %d", f.Status)
	case f.Body != "" || f.Rewrite != nil:
		return "body"
	case f.Header != nil:
		return "header"
	}
	return "delay"
}

// apply applies the fault to the response of the call, which is zero if the call was not processed.
func (f *Fault) apply(result answer) answer {
	if result.header == nil {
		result.header = http.Header{}
	}
	if f.Status != 0 {
		result.status, result.body = f.Status, nil
		result.header.Del("Content-Type")
		result.header.Del("ETag")
	}
	if f.Body != "" {
		result.body = []byte(f.Body)
		result.header.Set("Content-Type", http.DetectContentType(result.body))
	}
	if f.Rewrite != nil {
		result.body = f.Rewrite(result.body)
	}
	for name, values := range f.Header {
		name = http.CanonicalHeaderKey(name)
		if len(values) == 0 {
			delete(result.header, name)
		} else {
			result.header[name] = slices.Clone(values)
		}
	}
	return result
}

// interference has the faults, hooks and holds.
type interference struct {
	// deciding serializes the counting of requests. It is not mu, so that Match may use the
	// Service.
	deciding *sync.Mutex
	mu       *sync.Mutex
	faults   []*armed
	hooks    []*hook
	holds    []*Hold
	release  chan struct{}
}

type armed struct {
	Fault
	seen int
}

type hook struct {
	call string
	f    func(*http.Request)
}

func newInterference() interference {
	return interference{deciding: &sync.Mutex{}, mu: &sync.Mutex{}, release: make(chan struct{})}
}

// take returns the fault that is due for a request, or nil, and the channel that ends its stall.
func (i *interference) take(call string, r *http.Request) (*Fault, <-chan struct{}) {
	i.deciding.Lock()
	defer i.deciding.Unlock()
	i.mu.Lock()
	faults, release := slices.Clone(i.faults), i.release
	i.mu.Unlock()
	for _, f := range faults {
		if f.Call != "" && f.Call != call || f.Times > 0 && f.seen >= f.After+f.Times || f.Match != nil && !f.Match(r) {
			continue
		}
		f.seen++
		if f.seen > f.After {
			return &f.Fault, release
		}
	}
	return nil, release
}

// Fail adds a fault for requests that arrive from now on.
func (s *Service) Fail(f Fault) {
	s.interference.mu.Lock()
	defer s.interference.mu.Unlock()
	s.interference.faults = append(s.interference.faults, &armed{Fault: f})
}

// ClearFaults removes all faults. They still affect requests that they have hit already.
func (s *Service) ClearFaults() {
	s.interference.mu.Lock()
	defer s.interference.mu.Unlock()
	s.interference.faults = nil
}

// Release ends the requests that are stalled now, by breaking their connections.
func (s *Service) Release() {
	s.interference.mu.Lock()
	defer s.interference.mu.Unlock()
	close(s.interference.release)
	s.interference.release = make(chan struct{})
}

// stall reads n bytes of the body, waits and then breaks the connection.
func (s *Service) stall(w http.ResponseWriter, r *http.Request, n int64, release <-chan struct{}) {
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.CopyN(io.Discard, r.Body, n) // the error does not matter: there is no response
	}()
	select {
	case <-release:
	case <-r.Context().Done():
	case <-s.closed:
	}
	// The body must not be read after the handler has returned.
	_ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0))
	<-read
	panic(http.ErrAbortHandler)
}

// Hook adds f, which is called for every later request of the call ("" is every call), in the
// goroutine of the request, before Latency, faults and processing. A panic with
// http.ErrAbortHandler breaks the connection. The returned function removes the hook.
func (s *Service) Hook(call string, f func(*http.Request)) (remove func()) {
	h := &hook{call, f}
	i := &s.interference
	i.mu.Lock()
	defer i.mu.Unlock()
	i.hooks = append(i.hooks, h)
	return func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.hooks = slices.DeleteFunc(i.hooks, func(other *hook) bool { return other == h })
	}
}

// Hold delays the processing of requests until Release.
type Hold struct {
	call  string
	match func(*http.Request) bool

	mu       sync.Mutex
	arrived  int
	changed  chan struct{}
	released chan struct{}
	once     sync.Once
}

// Hold delays every request of the call ("" is every call) that match accepts (nil accepts all),
// until Release or Service.Close is called or the client disconnects.
func (s *Service) Hold(call string, match func(*http.Request) bool) *Hold {
	h := &Hold{call: call, match: match, changed: make(chan struct{}), released: make(chan struct{})}
	s.interference.mu.Lock()
	defer s.interference.mu.Unlock()
	s.interference.holds = append(s.interference.holds, h)
	return h
}

// Arrived waits until n requests in total have been held. It returns the error of ctx.
func (h *Hold) Arrived(ctx context.Context, n int) error {
	for {
		h.mu.Lock()
		done, changed := h.arrived >= n, h.changed
		h.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Release ends the hold for the held requests and for all later ones.
func (h *Hold) Release() { h.once.Do(func() { close(h.released) }) }

func (h *Hold) hold(r *http.Request, closed <-chan struct{}) {
	select {
	case <-h.released:
		return
	default:
	}
	h.mu.Lock()
	h.arrived++
	close(h.changed)
	h.changed = make(chan struct{})
	h.mu.Unlock()
	select {
	case <-h.released:
	case <-r.Context().Done():
		panic(http.ErrAbortHandler)
	case <-closed:
		panic(http.ErrAbortHandler)
	}
}

// interfere runs the hooks and the holds that a request meets.
func (s *Service) interfere(call string, r *http.Request) {
	s.interference.mu.Lock()
	hooks, holds := slices.Clone(s.interference.hooks), slices.Clone(s.interference.holds)
	s.interference.mu.Unlock()
	for _, h := range hooks {
		if h.call == "" || h.call == call {
			h.f(r)
		}
	}
	for _, h := range holds {
		if (h.call == "" || h.call == call) && (h.match == nil || h.match(r)) {
			h.hold(r, s.closed)
		}
	}
	select {
	case <-s.closed:
		panic(http.ErrAbortHandler)
	default:
	}
}
