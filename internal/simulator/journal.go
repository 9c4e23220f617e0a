package simulator

import (
	"context"
	"maps"
	"net/http"
	"slices"
)

// journal has all requests. Service.mu guards it.
type journal struct {
	requests []*Request
	arrived  map[string]int
}

func (s *Service) begin(call string, r *http.Request, fault *Fault) *Request {
	entry := &Request{
		Call: call, Method: r.Method, Path: r.URL.Path, Query: r.URL.Query(), Header: r.Header.Clone(), At: s.o.Clock(), Failed: fault != nil,
	}
	s.mu.Lock()
	s.journal.requests = append(s.journal.requests, entry)
	s.journal.arrived[call]++
	s.mu.Unlock()
	return entry
}

func (s *Service) setBody(entry *Request, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	entry.Body = body
}

func (s *Service) end(entry *Request, status int, bodyBytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	entry.Status, entry.BodyBytes = status, bodyBytes
}

// Journal returns a copy of all requests in order of arrival. Header, Query and Body are shared
// with other copies: do not change them.
func (s *Service) Journal() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	requests := make([]Request, 0, len(s.journal.requests))
	for _, entry := range s.journal.requests {
		requests = append(requests, *entry)
	}
	return requests
}

// Count returns how many requests of the call have arrived; "" counts those to unknown routes.
func (s *Service) Count(call string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.journal.arrived[call]
}

// Counts returns Count of every call, by call.
func (s *Service) Counts() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.journal.arrived)
}

// ResetJournal removes the requests so far and their counts. Faults keep their counts.
func (s *Service) ResetJournal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.journal.requests = nil
	clear(s.journal.arrived)
}

// Batches returns every batch job in order of submission.
func (s *Service) Batches() []Batch {
	s.mu.Lock()
	defer s.mu.Unlock()
	batches := slices.Clone(s.batches)
	for i, b := range batches {
		batches[i] = Batch{slices.Clone(b.Paths), slices.Clone(b.ServiceModes)}
	}
	return batches
}

// Objects returns all complete objects in order of completion. With Options.Storage it reads them
// there, and panics if that fails.
func (s *Service) Objects() []Object {
	objects, err := s.storage.Objects(context.Background())
	if err != nil {
		panic(err)
	}
	return objects
}

// Uploads returns all unfinished multipart uploads of the simulator's own storage in order of
// creation.
func (s *Service) Uploads() []Upload { return s.own.unfinished() }

// DropUpload removes an unfinished upload, as a lifecycle rule of S3 does. Later requests for it
// get NoSuchUpload.
func (s *Service) DropUpload(uploadID string) {
	if err := s.storage.Drop(context.Background(), uploadID); err != nil {
		panic(err)
	}
}
