package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
	"github.com/vodlive/terraform-provider-vodlive/internal/sessionfield"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire"
)

const sessionsPath = "/live/v1/live-streams/session"

// Regions lists the regions for sessions, in the service's order (SERVICE.md, call 8).
func (c *Client) Regions(ctx context.Context) ([]Region, error) {
	call := wire.Call{Endpoint: c.live, Method: http.MethodGet, Path: "/live/v1/regions"}
	return ask(ctx, c, "listing the regions", call, decodeRegions)
}

// CreateSession creates a session (SERVICE.md, call 9). A second session would cost money, so the
// call is repeated only if it was surely not processed: see MayHaveBeenProcessed. A session whose
// id can be read is returned even if another field cannot: the id must not be lost, and GetSession
// reports the field.
func (c *Client) CreateSession(ctx context.Context, spec SessionSpec) (Session, error) {
	given := Session{}
	for name, value := range spec {
		given[name], _ = value.(string)
	}
	c.mask.AddStreams(given.public(), given.urls()...)
	call := wire.Call{
		Endpoint: c.live, Method: http.MethodPost, Path: sessionsPath, Body: spec, NonIdempotent: true, Refusal: refusal(false, isCreated),
	}
	return ask(ctx, c, "creating the live session", call, func(v value) (Session, error) {
		session, err := c.decodeMasked(v)
		if session != nil {
			return session, nil
		}
		return nil, err
	})
}

// isCreated reports whether a response to a create has an id, although it may say little else.
func isCreated(v value) bool {
	_, found := aSession.find(v)
	return hasSession(v) || found && !saysError(v) && !passing(v)
}

// GetSession reads a session (SERVICE.md, call 10). NotFound tells that there is none with this id.
func (c *Client) GetSession(ctx context.Context, id string) (Session, error) {
	attempted := "reading the live session " + c.mask.Line(id)
	if err := checkID(id); err != nil {
		return nil, &Error{Attempted: attempted, Method: http.MethodGet, Err: err}
	}
	call := wire.Call{
		Endpoint: c.live, Method: http.MethodGet, Path: sessionsPath + "/" + url.PathEscape(id), Refusal: refusal(false, hasSession),
		Shown: func(body []byte) bool { return hasSession(parseBody(body)) },
	}
	return ask(ctx, c, attempted, call, func(v value) (Session, error) {
		s, err := c.decodeMasked(v)
		if err == nil && !strings.EqualFold(s.ID(), id) {
			err = misshapen("it shows another session than the one asked for")
		}
		return s, err
	})
}

// decodeMasked is decodeSession, and makes the masker know the stream keys of the session. A stream
// key may repeat the values shown, without making them secret.
func (c *Client) decodeMasked(v value) (Session, error) {
	s, urls, err := decodeSession(v)
	if s != nil {
		c.mask.AddStreams(s.public(), urls...)
	}
	return s, err
}

// public returns the values that a stream key may repeat without making them secret.
func (s Session) public() []string { return s.texts(sessionfield.Field.Public) }

// urls returns the URLs of a session.
func (s Session) urls() []string {
	return s.texts(func(f sessionfield.Field) bool { return f.Kind == sessionfield.URL })
}

// texts returns the values of some fields.
func (s Session) texts(of func(sessionfield.Field) bool) (list []string) {
	for _, f := range sessionfield.All {
		if text := s[f.Name]; text != "" && of(f) {
			list = append(list, text)
		}
	}
	return list
}

// checkID returns an error for an id that would make the path that of another call.
func checkID(id string) error {
	switch {
	case strings.TrimSpace(id) == "":
		return errors.New("the id of the session is empty")
	case id == "." || id == "..":
		return fmt.Errorf("%q is not an id of a session", id)
	case !parse.Safe(id):
		return errors.New("the id of the session contains a control character")
	}
	return nil
}

// ListSessions reads one page of the listing (SERVICE.md, call 11): the first with a nil cursor,
// the next ones with SessionPage.Next.
func (c *Client) ListSessions(ctx context.Context, after Cursor) (*SessionPage, error) {
	query := url.Values{}
	for key, v := range after {
		if v != "" {
			query.Set(key, v)
		}
	}
	call := wire.Call{Endpoint: c.live, Method: http.MethodGet, Path: sessionsPath, Query: query, Shown: func(body []byte) bool { return hasSessions(parseBody(body)) }}
	return ask(ctx, c, "listing the live sessions", call, func(v value) (*SessionPage, error) { return decodePage(ctx, v) })
}
