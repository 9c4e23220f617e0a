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

// Fault is something that goes wrong with the requests it matches. Faults are
// tried in the order in which they were given to Fail; the first that matches
// and is due is applied, alone.
//
// A fault runs in this order: Delay; Stall; BreakBefore; then, unless Status is
// set without Processed, the call itself; BreakAfter; then the answer, changed
// by Status, Header, Body and Rewrite, and cut by Truncate.
type Fault struct {
	// Call is one of the Call constants; "" is every call (but no route that does not exist).
	Call string
	// Match narrows further; it must not read the body, nor call Fail. nil is every request of Call.
	Match func(*http.Request) bool
	// After skips the first so many matching requests. A request that a fault before this one hits is not counted.
	After int
	// Times is how many requests are hit; 0 is every one from then on.
	Times int

	// Delay is waited before anything else; it ends when the client goes away.
	Delay time.Duration
	// Stall reads StallAfter bytes of the body of a PUT to storage and then does nothing until
	// Service.Release or Close is called, or the client is seen to go away; then the connection is broken.
	Stall      bool
	StallAfter int64
	// BreakBefore breaks the connection without processing the call; BreakAfter processes it and breaks then.
	BreakBefore, BreakAfter bool

	// Status, when not 0, is answered with Body in place of processing the call
	// (the body of the request is read first, unless Early).
	Status int
	// Processed has the call processed although Status replaces its answer.
	Processed bool
	// Early answers Status without reading any of the body of a PUT to storage. (That of a JSON call is always read.)
	Early bool
	// Body replaces the body of the answer; without Status, the call is processed and keeps its status.
	Body string
	// Header is set over the answer's; a key with no values removes that header.
	Header http.Header
	// Rewrite edits the body of the answer.
	Rewrite func(body []byte) []byte
	// Truncate declares the whole answer, sends half of it and breaks the connection.
	Truncate bool
}

// name is how the journal names the fault.
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
	case f.Early:
		return fmt.Sprintf("early status %d", f.Status)
	case f.Status != 0:
		return fmt.Sprintf("status %d", f.Status)
	case f.Body != "" || f.Rewrite != nil:
		return "body"
	case f.Header != nil:
		return "header"
	}
	return "delay"
}

// apply makes the answer of the fault from that of the call, which is zero where it was not processed.
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

// interference is what tests have put in the way of requests.
type interference struct {
	// deciding has faults count requests one at a time. It is not mu, so that Match may use the Service.
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

// take returns the fault that is due for a request, nil for none, and what ends its stall.
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

// Fail adds a fault. It holds for requests that arrive from now on.
func (s *Service) Fail(f Fault) {
	s.interference.mu.Lock()
	defer s.interference.mu.Unlock()
	s.interference.faults = append(s.interference.faults, &armed{Fault: f})
}

// ClearFaults forgets every fault, those not used up too. Requests that a fault has hit already stay hit.
func (s *Service) ClearFaults() {
	s.interference.mu.Lock()
	defer s.interference.mu.Unlock()
	s.interference.faults = nil
}

// Release lets every request go that has arrived and that a Stall holds; their connections break.
func (s *Service) Release() {
	s.interference.mu.Lock()
	defer s.interference.mu.Unlock()
	close(s.interference.release)
	s.interference.release = make(chan struct{})
}

// stall reads n bytes of the body and waits; it always ends with the connection broken.
func (s *Service) stall(w http.ResponseWriter, r *http.Request, n int64, release <-chan struct{}) {
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.CopyN(io.Discard, r.Body, n) // how it ends makes no difference: nothing is answered
	}()
	select {
	case <-release:
	case <-r.Context().Done():
	case <-s.closed:
	}
	// The body must not be read any more when the handler returns.
	_ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0))
	<-read
	panic(http.ErrAbortHandler)
}

// Hook has f called for every request of the call ("" is every call) that
// arrives from now on, in the request's goroutine, before Latency, faults and
// processing; a panic with http.ErrAbortHandler breaks the connection. The
// returned function removes it.
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

// Hold keeps requests of a call from being processed.
type Hold struct {
	call  string
	match func(*http.Request) bool

	mu       sync.Mutex
	arrived  int
	changed  chan struct{}
	released chan struct{}
	once     sync.Once
}

// Hold holds every request of the call ("" is every call) that match accepts
// (nil is all) before it is processed, until Release or Service.Close is called
// or its client goes away.
func (s *Service) Hold(call string, match func(*http.Request) bool) *Hold {
	h := &Hold{call: call, match: match, changed: make(chan struct{}), released: make(chan struct{})}
	s.interference.mu.Lock()
	defer s.interference.mu.Unlock()
	s.interference.holds = append(s.interference.holds, h)
	return h
}

// Arrived waits until n requests in all have been held. Its error is that of ctx.
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

// Release lets go what is held, and holds nothing from now on.
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
