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
)

const (
	regionsPath  = "/live/v1/regions"
	sessionsPath = "/live/v1/live-streams/session"
)

// Regions lists the regions in which a session may be made (interface 4.2, call
// 8), in the service's order.
func (c *Client) Regions(ctx context.Context) ([]Region, error) {
	var regions []Region
	err := c.do(ctx, &call{
		op: opRegions, attempted: "list the regions", half: &c.live,
		method: http.MethodGet, path: regionsPath,
		read: func(v value) (err error) { regions, err = decodeRegions(v); return err },
	})
	if err != nil {
		return nil, err
	}
	return regions, nil
}

// createBody is the JSON of a create (interface 4.2, call 9).
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

// CreateSession makes a session (interface 4.2, call 9). It is sent again only
// when it was surely not processed: see MayHaveBeenProcessed. A session whose
// id can be read is returned even if another field of the answer cannot: the
// id must not be lost, and GetSession reports such a field.
func (c *Client) CreateSession(ctx context.Context, spec SessionSpec) (*Session, error) {
	var session *Session
	err := c.do(ctx, &call{
		op: opCreateSession, attempted: "create the live session", half: &c.live,
		method: http.MethodPost, path: sessionsPath, body: spec.body(),
		secrets: redact.StreamSecrets(spec.InputSourceA, spec.InputSourceB, spec.OutputDestinationA, spec.OutputDestinationB),
		read: func(v value) (err error) {
			if session, err = decodeSession(v); session != nil {
				return nil
			}
			return err
		},
	})
	if err != nil {
		return nil, err
	}
	return session, nil
}

// GetSession reads a session (interface 4.2, call 10); NotFound tells that
// there is none with this id.
func (c *Client) GetSession(ctx context.Context, id string) (*Session, error) {
	var session *Session
	request := &call{
		op: opGetSession, attempted: "read the live session " + c.mask.Line(id), half: &c.live,
		method: http.MethodGet, path: sessionsPath + "/" + url.PathEscape(id),
		read: func(v value) (err error) { session, err = decodeSession(v); return err },
	}
	if err := checkID(id); err != nil {
		request.path = sessionsPath
		return nil, c.refuse(request, err)
	}
	if err := c.do(ctx, request); err != nil {
		return nil, err
	}
	return session, nil
}

// checkID keeps an id from making the path that of another call.
func checkID(id string) error {
	switch {
	case strings.TrimSpace(id) == "":
		return errors.New("the id of the session is empty")
	case id == "." || id == "..":
		return fmt.Errorf("%q is not an id of a session", id)
	case strings.ContainsFunc(id, unicode.IsControl):
		return errors.New("the id of the session holds a control character")
	}
	return nil
}

// ListSessions reads one page of the listing (interface 4.2, call 11): the
// first with a nil cursor, the next ones with SessionPage.Next.
func (c *Client) ListSessions(ctx context.Context, after Cursor) (*SessionPage, error) {
	query := url.Values{}
	for key, v := range after {
		if v != "" {
			query.Set(key, v)
		}
	}
	var page *SessionPage
	err := c.do(ctx, &call{
		op: opListSessions, attempted: "list the live sessions", half: &c.live,
		method: http.MethodGet, path: sessionsPath, query: query,
		read: func(v value) (err error) { page, err = decodePage(v); return err },
	})
	if err != nil {
		return nil, err
	}
	return page, nil
}
