package scenario

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// fault has the arguments of `service fails`. The first group is that of simulator.Fault.
type fault struct {
	After, Times int
	Delay        string // a duration
	Status       int
	Processed    bool
	Body         string
	Truncate     bool
	Break        string            // "before" or "after" the call is processed
	Header       map[string]string // "": removed
	Rewrite      map[string]string // texts in the body, which must be there
	File         string            // of the requests to storage: the end of their path
	Part         int               // of the requests to storage: its number
}

// calls are the names that the service knows.
var calls = []string{
	simulator.CallRegions, simulator.CallCreateSession, simulator.CallGetSession, simulator.CallListSessions, simulator.CallPresignURL, simulator.CallPutObject,
	simulator.CallMultipartCreate, simulator.CallMultipartURL, simulator.CallPutPart, simulator.CallMultipartComplete, simulator.CallBatch,
}

// call is the name of a call.
func (s *scenario) call(name string) string {
	s.t.Helper()
	if !slices.Contains(calls, name) {
		s.t.Fatalf("%s: there is no call %q", s.at, name)
	}
	return name
}

// service returns what the service does.
func (s *scenario) service(text string) func() {
	s.t.Helper()
	what, rest, _ := strings.Cut(text, " ")
	switch what {
	case "fails":
		call, object, _ := strings.Cut(rest, " ")
		f := s.fault(s.call(call), object)
		return func() { s.Fail(f) }
	case "recovers":
		return func() { s.ClearFaults() }
	case "has":
		var record simulator.SessionRecord
		s.fill(&record, s.object(rest))
		return func() { s.AddSession(record) }
	case "sets":
		i := strings.LastIndexByte(rest, ' ')
		id, status := s.text(rest[:max(i, 0)]), rest[i+1:]
		return func() { s.SetStatus(id, status) }
	case "removes":
		id := s.text(rest)
		return func() { s.RemoveSession(id) }
	case "stores":
		return func() { s.stored[rest] = s.AddObject() }
	case "serves":
		return func() { s.SetCustomerID(rest) }
	case "drops":
		return func() {
			for _, u := range s.Uploads() {
				s.DropUpload(u.UploadID)
			}
		}
	case "refuses":
		return func() { s.Live.Refuse(-1) }
	}
	s.t.Fatalf("%s: what does the service do?", s.at)
	return nil
}

func (s *scenario) fault(call, object string) simulator.Fault {
	s.t.Helper()
	var f fault
	s.fill(&f, s.object(object))
	made := simulator.Fault{
		Call: call, After: f.After, Times: f.Times, Status: f.Status, Processed: f.Processed, Body: f.Body, Truncate: f.Truncate,
		BreakBefore: f.Break == "before", BreakAfter: f.Break == "after",
	}
	if f.Break != "" && !made.BreakBefore && !made.BreakAfter {
		s.t.Fatalf("%s: when does it break?", s.at)
	}
	if f.Delay != "" {
		made.Delay = s.duration(f.Delay)
	}
	if f.File != "" || f.Part > 0 {
		made.Match = func(r *http.Request) bool {
			return (f.File == "" || strings.HasSuffix(r.URL.Path, "/"+f.File)) && (f.Part == 0 || strconv.Itoa(f.Part) == r.URL.Query().Get("partNumber"))
		}
	}
	for name, value := range f.Header {
		if made.Header == nil {
			made.Header = http.Header{}
		}
		made.Header[name] = nil
		if value != "" {
			made.Header[name] = []string{value}
		}
	}
	if f.Rewrite != nil {
		where := s.at
		made.Rewrite = func(body []byte) []byte {
			for from, to := range f.Rewrite {
				if !bytes.Contains(body, []byte(from)) && !bytes.Contains(body, []byte(to)) {
					s.t.Errorf("%s: the response has no %s: %s", where, from, body)
				}
				body = bytes.ReplaceAll(body, []byte(from), []byte(to))
			}
			return body
		}
	}
	return made
}
