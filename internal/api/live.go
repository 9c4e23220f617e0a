package api

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

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
	for _, value := range spec {
		if text, ok := value.(string); ok && strings.Contains(text, "://") {
			c.mask.AddURLs(text)
		}
	}
	call := wire.Call{Endpoint: c.live, Method: http.MethodPost, Path: sessionsPath, Body: spec, NonIdempotent: true}
	return ask(ctx, c, "creating the live session", call, func(body any) (Session, error) {
		s, err := c.decodeSession(body)
		if s != nil {
			return s, nil
		}
		return nil, err
	})
}

// GetSession reads a session (SERVICE.md, call 10). NotFound tells that there is none with this id.
func (c *Client) GetSession(ctx context.Context, id string) (Session, error) {
	attempted := "reading the live session " + c.mask.Line(id)
	if strings.Trim(id, ". \t\n") == "" { // it would make the path that of another call
		return nil, &Error{Attempted: attempted, Method: http.MethodGet, Err: fmt.Errorf("%q is not an id of a session", id)}
	}
	call := wire.Call{Endpoint: c.live, Method: http.MethodGet, Path: sessionsPath + "/" + url.PathEscape(id)}
	return ask(ctx, c, attempted, call, func(body any) (Session, error) {
		s, err := c.decodeSession(body)
		if err == nil && !strings.EqualFold(s.ID(), id) {
			err = misshapen("the response shows another session than the one asked for")
		}
		return s, err
	})
}

// decodeSession reads a session, bare or wrapped, and makes the masker know its stream keys.
func (c *Client) decodeSession(body any) (Session, error) {
	s, err := readSession(find(body, "id"))
	if s != nil {
		c.mask.AddURLs(s.urls()...)
	}
	return s, err
}

// ListSessions reads one page of the listing (SERVICE.md, call 11): the first with a nil cursor,
// the next ones with SessionPage.Next.
func (c *Client) ListSessions(ctx context.Context, after Cursor) (*SessionPage, error) {
	query := url.Values{}
	for key, v := range after {
		query.Set(key, v)
	}
	call := wire.Call{Endpoint: c.live, Method: http.MethodGet, Path: sessionsPath, Query: query}
	return ask(ctx, c, "listing the live sessions", call, decodePage)
}
