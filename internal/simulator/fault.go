package simulator

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Fault makes matching requests fail. Faults are tried in the order of the calls of Fail, and only
// the first that matches and is due is applied.
//
// The order is: Delay; BreakBefore; the call itself, unless Status is set without Processed;
// BreakAfter; the response, changed by Status, Header, Body and Rewrite, and cut by Truncate.
type Fault struct {
	// Call is one of the Call constants; "" matches every call, but no unknown route.
	Call string
	// File is the name of the file in the path of a request to storage, and Part the number of the
	// part. "" and 0 match all.
	File string
	Part int
	// After is the number of matching requests to skip. Requests that another fault has hit do not
	// count.
	After int
	// Times is the number of requests to hit; 0 is all from then on.
	Times int

	// Delay is the wait before anything else, also before the body of a PUT is read. It ends when
	// the client disconnects, except while such a body is unread.
	Delay time.Duration
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

func (f *Fault) matches(call string, r *http.Request) bool {
	return (f.Call == "" || f.Call == call) &&
		(f.File == "" || strings.HasSuffix(r.URL.Path, "/"+f.File)) &&
		(f.Part == 0 || strconv.Itoa(f.Part) == r.URL.Query().Get("partNumber"))
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

// interference has the faults and hooks.
type interference struct {
	mu     sync.Mutex
	faults []*armed
	hooks  []*hook
}

type armed struct {
	Fault
	seen int
}

type hook struct {
	call string
	f    func(*http.Request)
}

// take returns the fault that is due for a request, or nil.
func (i *interference) take(call string, r *http.Request) *Fault {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, f := range i.faults {
		if !f.matches(call, r) || f.Times > 0 && f.seen >= f.After+f.Times {
			continue
		}
		f.seen++
		if f.seen > f.After {
			return &f.Fault
		}
	}
	return nil
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

// Hook adds f, which is called for every later request of the call ("" is every call), in the
// goroutine of the request, before Latency, faults and processing. It may wait, and a panic with
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

// callHooks calls the hooks of a request.
func (s *Service) callHooks(call string, r *http.Request) {
	s.interference.mu.Lock()
	hooks := slices.Clone(s.interference.hooks)
	s.interference.mu.Unlock()
	for _, h := range hooks {
		if h.call == "" || h.call == call {
			h.f(r)
		}
	}
}
