package api

import (
	"slices"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/quote"
)

// InputPreset is the codec, maximum resolution and maximum bit rate of a session's input.
type InputPreset struct {
	Codec      string `json:"codec,omitempty"`      // H264
	Resolution string `json:"resolution,omitempty"` // SD, HD, FULL_HD
	Bitrate    string `json:"bitrate,omitempty"`    // MAX_10_MBPS, MAX_20_MBPS
}

// SessionSpec has the arguments of a session. An empty string is not sent, a boolean always is.
type SessionSpec struct {
	Name       string `json:"name,omitempty"`
	Region     string `json:"region,omitempty"`
	Input      string `json:"input,omitempty"`       // RTMP_PUSH, RTMP_PULL, RTMPS_PUSH, RTMPS_PULL
	Mode       string `json:"mode,omitempty"`        // HA, NORM
	OutputMode string `json:"output_mode,omitempty"` // as Input

	InputPreset InputPreset `json:"input_preset,omitzero"`

	// rtmp or rtmps URLs
	InputSourceA       string `json:"input_source_a,omitempty"`
	InputSourceB       string `json:"input_source_b,omitempty"`
	OutputDestinationA string `json:"output_destination_a,omitempty"`
	OutputDestinationB string `json:"output_destination_b,omitempty"`

	EnableInputRecord bool `json:"enable_input_record"`
	IsScheduled       bool `json:"is_scheduled"`

	Timezone    string `json:"timezone,omitempty"`     // name of the tz database
	ScheduledAt string `json:"scheduled_at,omitempty"` // YYYY-MM-DD HH:MM in Timezone
}

// Session is a live session as the service returns it: create returns fewer fields than get, and
// get fewer than the listing. "" and nil mean that a field was not in the response or does not
// apply.
type Session struct {
	ID, UserID, Region, Name string
	Input, Mode              string
	// OutputMode is "" if the service sent an empty object. The listing has it as a string.
	OutputMode string
	// Status is one of SERVICE.md, or one that was added to the service since.
	Status string

	InputPreset InputPreset

	// The paths of these URLs contain stream keys: they are secrets.
	InputSourceA, InputSourceB             string
	OutputDestinationA, OutputDestinationB string

	EnableInputRecord, IsScheduled *bool

	Timezone    string
	ScheduledAt string // YYYY-MM-DD HH:MM in Timezone

	// The paths of these URLs contain stream keys: they are secrets.
	InputEndpointA, InputEndpointB   string
	OutputEndpointA, OutputEndpointB string

	TranscoderID           string
	SubDomainA, SubDomainB string
	ElasticIPA, ElasticIPB string
	Port, EgressPort       *int64
}

var (
	// sessionKeys are fields by which a session is told from its wrappers.
	sessionKeys = []string{"region", "input", "mode", "input_preset", "output_mode", "name", "is_scheduled", "enable_input_record"}
	// sessionObjects are the fields of a session that may be objects.
	sessionObjects = []string{"input_preset", "output_mode"}
)

// aSession is a session, wrapped or not. The response to a create may have little more than the id.
var aSession = wanted{
	sure:  func(o object) bool { return o.hasAny("id") && slices.ContainsFunc(sessionKeys, o.has) },
	maybe: func(o object) bool { return o.hasAny("id") }, own: sessionObjects, inLists: true,
}

// hasSession reports whether a body has an object that is surely a session.
func hasSession(v value) bool {
	_, found := aSession.search(v, aSession.sure, false, 0)
	return found == 1
}

// decodeSession reads a session, wrapped or bare. If a field cannot be read, it returns the error
// and the rest of the session. Without an id it returns no session. urls are all texts in the
// fields of URLs, whatever shape these have.
func decodeSession(v value) (s *Session, urls []string, err error) {
	o, ok := aSession.find(v)
	if !ok {
		return nil, nil, misshapen("no session with an id was found in %s%s", v.describe(), describeData(v))
	}
	f := &fields{object: o}
	id, ok := o.get("id").scalar()
	if !ok || strings.TrimSpace(id) == "" {
		return nil, nil, misshapen("the session's id is %s", o.get("id").describe())
	}
	if id = f.need("id"); f.err != nil {
		return nil, nil, f.err
	}
	s = &Session{
		ID: id, UserID: f.str("user_id"), Region: f.str("region"), Name: f.str("name"),
		Input: f.str("input"), Mode: f.str("mode"), OutputMode: f.outputMode(), Status: f.str("status"),
		InputPreset:  f.preset(),
		InputSourceA: f.streamURL("input_source_a"), InputSourceB: f.streamURL("input_source_b"),
		OutputDestinationA: f.streamURL("output_destination_a"), OutputDestinationB: f.streamURL("output_destination_b"),
		EnableInputRecord: f.boolean("enable_input_record"), IsScheduled: f.boolean("is_scheduled"),
		Timezone: f.str("timezone"), ScheduledAt: f.str("scheduled_at"),
		InputEndpointA: f.streamURL("input_endpoint_a"), InputEndpointB: f.streamURL("input_endpoint_b"),
		OutputEndpointA: f.streamURL("output_endpoint_a"), OutputEndpointB: f.streamURL("output_endpoint_b"),
		TranscoderID: f.str("transcoder_id"),
		SubDomainA:   f.str("sub_domain_a"), SubDomainB: f.str("sub_domain_b"),
		ElasticIPA: f.str("elastic_ip_a"), ElasticIPB: f.str("elastic_ip_b"),
		Port: f.integer("port"), EgressPort: f.integer("egress_port"),
	}
	return s, f.urls, f.err
}

// streamURL reads a URL, which may carry a token.
func (f *fields) streamURL(key string) string {
	f.urls = append(f.urls, f.get(key).strings(0)...)
	return quote.Escape(f.limited(AddressLimit, key))
}

func (f *fields) preset() InputPreset {
	v := f.get("input_preset")
	if !v.isObject() && !v.empty() {
		f.complain("input_preset", v, "an object")
	}
	inner := &fields{object: v.object(), err: f.err}
	preset := InputPreset{Codec: inner.str("codec"), Resolution: inner.str("resolution"), Bitrate: inner.str("bitrate")}
	f.err = inner.err
	return preset
}

// outputModes are the values of output_mode, also those that only the rules of SERVICE.md name.
var outputModes = []string{"RTMP_PULL", "RTMPS_PULL", "RTMP_PUSH", "RTMPS_PUSH"}

// outputModeKeys are the keys under which an object is most likely to have the mode.
var outputModeKeys = []string{"output_mode", "mode", "value", "type", "name", "protocol", "key", "id"}

// outputMode reads a string or an object with it, which may be empty: the service documents both.
func (f *fields) outputMode() string {
	v := f.get("output_mode")
	texts := v.strings(0)
	modes := slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return !slices.Contains(outputModes, text) })
	slices.Sort(modes)
	modes = slices.Compact(modes)
	likely := v.object().get(outputModeKeys...)
	mode := ""
	switch {
	case len(modes) == 1:
		mode = modes[0]
	case likely.isString() && !likely.empty():
		mode = likely.text()
	case len(modes) == 0 && len(texts) == 1:
		mode = texts[0]
	case !v.hollow(0):
		f.complain("output_mode", v, "a string, or an object holding one,")
	}
	if len(mode) > TextLimit {
		f.complain("output_mode", v, "a shorter string")
	}
	return quote.Escape(mode)
}

// strings lists what a value says up to three levels deep, in objects and in lists of one element.
func (v value) strings(depth int) (texts []string) {
	if v.isString() && v.text() != "" {
		return []string{v.text()}
	}
	if depth == 3 {
		return nil
	}
	if n, only := v.count(); n == 1 {
		return only.strings(depth + 1)
	}
	for _, member := range v.object().members {
		texts = append(texts, member.strings(depth+1)...)
	}
	return texts
}
