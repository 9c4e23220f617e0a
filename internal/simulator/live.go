package simulator

import (
	"crypto/subtle"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

const pageSize = 100 // SERVICE.md, call 11

// live handles a call of the live API.
func (s *Service) live(rt route, r *http.Request) answer {
	id, secret, ok := r.BasicAuth()
	if !ok || !same(id, s.o.AccessTokenID) || !same(secret, s.o.SecretKey) {
		return refusal(http.StatusUnauthorized, "the access token id or the secret key is missing or wrong")
	}
	if rt.call != CallListSessions && r.URL.RawQuery != "" {
		return refusal(http.StatusBadRequest, "unknown query parameters")
	}
	switch rt.call {
	case CallRegions:
		return s.regions()
	case CallCreateSession:
		return s.createSession(r)
	case CallGetSession:
		return s.getSession(rt.id)
	}
	return s.listSessions(r.URL.Query())
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

func isJSON(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Content-Type"), "application/json")
}

func (s *Service) regions() answer {
	entries := []any{}
	for _, name := range s.allocated() {
		if s.o.RegionShape == "objects" {
			entries = append(entries, map[string]any{s.o.RegionKey: name, "enabled": true})
		} else {
			entries = append(entries, name)
		}
	}
	return success(http.StatusOK, "regions supported for creating sessions", entries)
}

func (s *Service) createSession(r *http.Request) answer {
	if !isJSON(r) {
		return refusal(http.StatusUnsupportedMediaType, "Content-Type must be application/json")
	}
	f := readFields(r.Body)
	rec := s.readSession(&f)
	now := s.o.Clock()
	starts := s.readSchedule(&f, &rec, now)
	f.done()
	if message := f.refused(); message != "" {
		return refusal(http.StatusBadRequest, "%s", message)
	}
	if !slices.Contains(s.allocated(), rec.Region) {
		return refusal(http.StatusBadRequest, "region %q is invalid or not allocated to the user", rec.Region)
	}
	rec.CreatedAt = now
	s.mu.Lock()
	e := s.sessions.add(rec, false, starts)
	shown := s.sessions.record(e)
	s.mu.Unlock()
	return success(http.StatusCreated, "session created", s.show(shown, shapeCreate))
}

func (s *Service) getSession(id string) answer {
	s.mu.Lock()
	e := s.sessions.get(id)
	if e == nil || s.sessions.late(e, s.o.GetAfter) {
		s.mu.Unlock()
		return refusal(http.StatusNotFound, "there is no session %q", id)
	}
	shown := s.sessions.look(e)
	s.mu.Unlock()
	return success(http.StatusOK, "session", s.show(shown, shapeGet))
}

func (s *Service) listSessions(query url.Values) answer {
	s.mu.Lock()
	next, refused := s.sessions.after(query)
	if refused != "" {
		s.mu.Unlock()
		return refusal(http.StatusBadRequest, "%s", refused)
	}
	page, cursor := s.sessions.page(next)
	s.mu.Unlock()
	shown := make([]any, 0, len(page))
	for _, rec := range page {
		shown = append(shown, s.show(rec, shapeList))
	}
	result := map[string]any{"Sessions": shown}
	if cursor != nil {
		result["LastEvaluatedKey"] = cursor
	}
	return success(http.StatusOK, "sessions", result)
}

// order converts a position in the listing to an index of all, and back.
func (l *sessions) order(i int) int {
	if l.o.ListOrder == "oldest" {
		return i
	}
	return len(l.all) - 1 - i
}

// after reads the cursor of a query and returns the position in the listing after it.
func (l *sessions) after(query url.Values) (next int, refused string) {
	names := []string{"id", "user_id", "created_at_user_id"}
	for name, values := range query {
		if !slices.Contains(names, name) || len(values) != 1 {
			return 0, fmt.Sprintf("unknown or repeated query parameter %q", name)
		}
	}
	if len(query) == 0 {
		return 0, ""
	}
	e := l.byID[query.Get("id")]
	if e == nil || query.Get("user_id") != e.rec.UserID || query.Get("created_at_user_id") != createdKey(e.rec) {
		return 0, "id, user_id and created_at_user_id must be those of one LastEvaluatedKey"
	}
	return l.order(e.position) + 1, ""
}

// page returns the sessions from a position in the listing, and the cursor of the next page, nil at
// the end.
func (l *sessions) page(next int) (page []SessionRecord, cursor map[string]any) {
	var last *session
	for ; next < len(l.all); next++ {
		e := l.all[l.order(next)]
		if e.removed || l.late(e, l.o.ListAfter) {
			continue
		}
		if len(page) == l.o.PageSize {
			return page, cursorAt(last)
		}
		page = append(page, l.look(e))
		last = e
	}
	return page, nil
}

func createdKey(rec SessionRecord) string {
	return rec.CreatedAt.UTC().Format(time.RFC3339Nano) + "#" + rec.UserID
}

func cursorAt(e *session) map[string]any {
	return map[string]any{"id": e.rec.ID, "user_id": e.rec.UserID, "created_at_user_id": createdKey(e.rec)}
}
