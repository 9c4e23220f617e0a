package scenario

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// calls are the names that the service knows.
var calls = []string{
	simulator.CallRegions, simulator.CallCreateSession, simulator.CallGetSession, simulator.CallListSessions, simulator.CallPresignURL, simulator.CallPutObject,
	simulator.CallMultipartCreate, simulator.CallMultipartURL, simulator.CallPutPart, simulator.CallMultipartComplete, simulator.CallBatch,
}

// call is the name of a call.
func (s *scenario) call(name string) string {
	if !slices.Contains(calls, name) {
		s.t.Fatalf("%s: there is no call %q", s.at, name)
	}
	return name
}

// service returns what the service does.
func (s *scenario) service(text string) func() {
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

// fault is a simulator.Fault, whose Rewrite is here an object of texts and what replaces them. The
// response must have one of both.
func (s *scenario) fault(call, text string) (f simulator.Fault) {
	object, where := s.object(text), s.at
	rewrite, _ := object["rewrite"].(acctest.Attrs)
	delete(object, "rewrite")
	s.fill(&f, object)
	f.Call = call
	if rewrite == nil {
		return f
	}
	f.Rewrite = func(body []byte) []byte {
		for from, to := range rewrite {
			if !bytes.Contains(body, []byte(from)) && !bytes.Contains(body, fmt.Append(nil, to)) {
				s.t.Errorf("%s: the response has no %s: %s", where, from, body)
			}
			body = bytes.ReplaceAll(body, []byte(from), fmt.Append(nil, to))
		}
		return body
	}
	return f
}
