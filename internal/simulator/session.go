package simulator

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	statusReady     = "READY"
	statusScheduled = "SCHEDULED"
	modeHA          = "HA"
)

// session is a live session with the data that determines its status.
type session struct {
	rec SessionRecord
	// position is the index in sessions.all, 0 for the oldest.
	position int
	// existing is set for a session that a test has added.
	existing bool
	// fixed keeps rec.Status; otherwise the status follows Options.StatusPath.
	fixed bool
	// looks counts the responses that showed the session, for Options.ReadyAfter 0.
	looks   int
	starts  time.Time
	removed bool
}

// sessions has all sessions. Service.mu guards it. Removed sessions keep their index, so that a
// cursor at one of them still works.
type sessions struct {
	o    Options
	all  []*session
	byID map[string]*session
}

func newSessions(o Options) sessions { return sessions{o: o, byID: map[string]*session{}} }

func (l *sessions) add(rec SessionRecord, fixed bool, starts time.Time) *session {
	e := &session{rec: rec, position: len(l.all), existing: fixed, fixed: fixed, starts: starts}
	if e.rec.ID == "" {
		e.rec.ID = newUUID()
	}
	l.generate(&e.rec, e.position)
	l.all = append(l.all, e)
	l.byID[e.rec.ID] = e
	return e
}

// get returns a session, or nil if it does not exist or has been removed.
func (l *sessions) get(id string) *session {
	if e := l.byID[id]; e != nil && !e.removed {
		return e
	}
	return nil
}

// late reports whether a created session does not appear yet.
func (l *sessions) late(e *session, after time.Duration) bool {
	return !e.existing && l.o.Clock().Before(e.rec.CreatedAt.Add(after))
}

// generate sets the values that the service allocates, unless the record has them.
func (l *sessions) generate(rec *SessionRecord, position int) {
	text := func(p *string, applies bool, format string, args ...any) {
		if applies && *p == "" {
			*p = fmt.Sprintf(format, args...)
		}
	}
	number := func(p *int64, value int64) {
		if *p == 0 {
			*p = value
		}
	}
	ha := rec.Mode == modeHA
	push, pull := strings.HasSuffix(rec.Input, "_PUSH"), strings.HasSuffix(rec.OutputMode, "_PULL")
	scheme := func(kind string) string {
		if strings.HasPrefix(kind, "RTMPS") {
			return "rtmps"
		}
		return "rtmp"
	}
	text(&rec.UserID, true, "%s", DefaultUserID)
	text(&rec.TranscoderID, true, "transcoder-%s", strings.ToLower(strings.ReplaceAll(rec.Resolution, "_", "-")))
	text(&rec.SubDomainA, true, "live-%d-a.simulator.example", position)
	text(&rec.SubDomainB, ha, "live-%d-b.simulator.example", position)
	text(&rec.ElasticIPA, true, "198.18.%d.%d", position>>8&0xff, position&0xff)
	text(&rec.ElasticIPB, ha, "198.19.%d.%d", position>>8&0xff, position&0xff)
	number(&rec.Port, 20_000+int64(position)%10_000)
	number(&rec.EgressPort, 30_000+int64(position)%10_000)
	key := strings.ReplaceAll(rec.ID, "-", "")
	text(&rec.InputEndpointA, push, "%s://%s:%d/live/in-%s", scheme(rec.Input), rec.SubDomainA, rec.Port, key)
	text(&rec.InputEndpointB, push && ha, "%s://%s:%d/live/in-%s", scheme(rec.Input), rec.SubDomainB, rec.Port, key)
	text(&rec.OutputEndpointA, pull, "%s://%s:%d/live/out-%s", scheme(rec.OutputMode), rec.SubDomainA, rec.EgressPort, key)
	text(&rec.OutputEndpointB, pull && ha, "%s://%s:%d/live/out-%s", scheme(rec.OutputMode), rec.SubDomainB, rec.EgressPort, key)
}

// look is record for a response, which it counts.
func (l *sessions) look(e *session) SessionRecord {
	e.looks++
	return l.record(e)
}

func (l *sessions) record(e *session) SessionRecord {
	rec := e.rec
	rec.Status = l.status(e)
	// A test that adds a session decides what it has.
	if rec.Status == statusScheduled && !e.existing || l.o.LateAllocation && slices.Contains([]string{"PENDING", "PROVISIONING", statusScheduled}, rec.Status) {
		rec.InputEndpointA, rec.InputEndpointB, rec.OutputEndpointA, rec.OutputEndpointB = "", "", "", ""
		rec.ElasticIPA, rec.ElasticIPB, rec.Port, rec.EgressPort = "", "", 0, 0
	}
	return rec
}

func (l *sessions) status(e *session) string {
	if e.fixed {
		return e.rec.Status
	}
	now := l.o.Clock()
	if e.rec.IsScheduled && now.Before(e.starts) {
		return statusScheduled
	}
	last := len(l.o.StatusPath) - 1
	step := last
	switch {
	case l.o.ReadyAfter > 0:
		step = int(int64(now.Sub(e.starts)) * int64(last) / int64(l.o.ReadyAfter))
		if now.Sub(e.starts) >= l.o.ReadyAfter {
			step = last
		}
	case !e.rec.IsScheduled:
		step = min(e.looks, last)
	}
	return l.o.StatusPath[max(step, 0)]
}

// Sessions returns a copy of every session, oldest first.
func (s *Service) Sessions() []SessionRecord {
	s.mu.Lock()
	defer s.mu.Unlock()
	records := make([]SessionRecord, 0, len(s.sessions.all))
	for _, e := range s.sessions.all {
		if !e.removed {
			records = append(records, s.sessions.record(e))
		}
	}
	return records
}

// AddSession adds an existing session and returns its id. Empty fields get the values of a READY
// session with input RTMP_PUSH. Its status stays.
func (s *Service) AddSession(rec SessionRecord) string {
	for _, field := range []struct {
		p     *string
		value string
	}{
		{&rec.Name, "session"},
		{&rec.Region, s.allocated()[0]},
		{&rec.Input, "RTMP_PUSH"},
		{&rec.Mode, "NORM"},
		{&rec.OutputMode, "RTMP_PULL"},
		{&rec.Codec, "H264"},
		{&rec.Resolution, "HD"},
		{&rec.Bitrate, "MAX_10_MBPS"},
		{&rec.Status, statusReady},
	} {
		if *field.p == "" {
			*field.p = field.value
		}
	}
	if rec.CreatedAt.IsZero() {
		rec.CreatedAt = s.o.Clock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sessions.add(rec, true, rec.CreatedAt).rec.ID
}

// SetStatus sets a status that stays. It panics if the session does not exist.
func (s *Service) SetStatus(id, status string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.sessions.must(id)
	e.fixed, e.rec.Status = true, status
}

// RemoveSession removes a session, as if outside of Terraform. It panics if the session does not
// exist.
func (s *Service) RemoveSession(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions.must(id).removed = true
}

func (l *sessions) must(id string) *session {
	e := l.get(id)
	if e == nil {
		panic("simulator: no session " + id)
	}
	return e
}
