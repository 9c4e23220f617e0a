package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire"
)

const (
	regionsPath  = "/live/v1/regions"
	sessionsPath = "/live/v1/live-streams/session"
)

// Regions lists the regions in which a session may be created, in the service's order (SERVICE.md,
// call 8).
func (c *Client) Regions(ctx context.Context) ([]Region, error) {
	var regions []Region
	err := c.do(ctx, call{
		Call:      wire.Call{Endpoint: c.live, Method: http.MethodGet, Path: regionsPath},
		attempted: "list the regions",
		read:      func(v value) (err error) { regions, err = decodeRegions(v); return err },
	})
	if err != nil {
		return nil, err
	}
	return regions, nil
}

// CreateSession creates a session (SERVICE.md, call 9). A second session would cost money, so the
// call is repeated only if it was surely not processed: see MayHaveBeenProcessed. A session whose
// id can be read is returned even if another field cannot: the id must not be lost, and GetSession
// reports the field.
func (c *Client) CreateSession(ctx context.Context, spec SessionSpec) (*Session, error) {
	var session *Session
	err := c.do(ctx, call{
		Call: wire.Call{
			Endpoint: c.live, Method: http.MethodPost, Path: sessionsPath, Body: spec.body(), Once: true,
			Secrets: redact.StreamSecrets(spec.InputSourceA, spec.InputSourceB, spec.OutputDestinationA, spec.OutputDestinationB),
		},
		attempted: "create the live session",
		read: func(v value) (err error) {
			if session, err = decodeSession(v); session != nil {
				return nil
			}
			return err
		},
		sure: hasSession,
	})
	if err != nil {
		return nil, err
	}
	return session, nil
}

// GetSession reads a session (SERVICE.md, call 10). NotFound tells that there is none with this id.
func (c *Client) GetSession(ctx context.Context, id string) (*Session, error) {
	attempted := "read the live session " + c.mask.Line(id)
	if err := checkID(id); err != nil {
		return nil, &Error{Attempted: attempted, Method: http.MethodGet, Err: err}
	}
	var session *Session
	err := c.do(ctx, call{
		Call:      wire.Call{Endpoint: c.live, Method: http.MethodGet, Path: sessionsPath + "/" + url.PathEscape(id)},
		attempted: attempted,
		read:      func(v value) (err error) { session, err = decodeSession(v); return err },
		sure:      hasSession,
	})
	if err != nil {
		return nil, err
	}
	return session, nil
}

// checkID returns an error for an id that would make the path that of another call.
func checkID(id string) error {
	switch {
	case strings.TrimSpace(id) == "":
		return errors.New("the id of the session is empty")
	case id == "." || id == "..":
		return fmt.Errorf("%q is not an id of a session", id)
	case strings.ContainsFunc(id, unicode.IsControl):
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
	var page *SessionPage
	err := c.do(ctx, call{
		Call:      wire.Call{Endpoint: c.live, Method: http.MethodGet, Path: sessionsPath, Query: query},
		attempted: "list the live sessions",
		read:      func(v value) (err error) { page, err = decodePage(v); return err },
	})
	if err != nil {
		return nil, err
	}
	return page, nil
}

// createBody is the body of call 9.
type createBody struct {
	Region             string      `json:"region,omitempty"`
	Name               string      `json:"name,omitempty"`
	Input              string      `json:"input,omitempty"`
	Mode               string      `json:"mode,omitempty"`
	InputPreset        *presetBody `json:"input_preset,omitempty"`
	OutputMode         string      `json:"output_mode,omitempty"`
	InputSourceA       string      `json:"input_source_a,omitempty"`
	InputSourceB       string      `json:"input_source_b,omitempty"`
	OutputDestinationA string      `json:"output_destination_a,omitempty"`
	OutputDestinationB string      `json:"output_destination_b,omitempty"`
	EnableInputRecord  bool        `json:"enable_input_record"`
	IsScheduled        bool        `json:"is_scheduled"`
	Timezone           string      `json:"timezone,omitempty"`
	ScheduledAt        string      `json:"scheduled_at,omitempty"`
}

type presetBody struct {
	Codec      string `json:"codec,omitempty"`
	Resolution string `json:"resolution,omitempty"`
	Bitrate    string `json:"bitrate,omitempty"`
}

func (s SessionSpec) body() createBody {
	b := createBody{
		Region: s.Region, Name: s.Name, Input: s.Input, Mode: s.Mode, OutputMode: s.OutputMode,
		InputSourceA: s.InputSourceA, InputSourceB: s.InputSourceB,
		OutputDestinationA: s.OutputDestinationA, OutputDestinationB: s.OutputDestinationB,
		EnableInputRecord: s.EnableInputRecord, IsScheduled: s.IsScheduled,
		Timezone: s.Timezone, ScheduledAt: s.ScheduledAt,
	}
	if s.InputPreset != (InputPreset{}) {
		b.InputPreset = &presetBody{Codec: s.InputPreset.Codec, Resolution: s.InputPreset.Resolution, Bitrate: s.InputPreset.Bitrate}
	}
	return b
}
