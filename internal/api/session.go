package api

import (
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
	"github.com/vodlive/terraform-provider-vodlive/internal/sessionfield"
)

// SessionSpec has the arguments of a session by the service's names, as JSON can hold them.
type SessionSpec map[string]any

// Session is a live session as the service returns it, by the service's names, numbers and booleans
// as text. A part of an object has a name such as input_preset.codec. A create returns fewer fields
// than a GET, and a GET fewer than the listing. A field that was not in the response, or does not
// apply, is missing. The URLs contain stream keys: they are secrets. A nil Session is none.
type Session map[string]string

// ID returns the id, which every session has.
func (s Session) ID() string { return s["id"] }

// Name returns the name.
func (s Session) Name() string { return s["name"] }

// Status returns one of SERVICE.md, or one that was added to the service since.
func (s Session) Status() string { return s["status"] }

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
	_, found := aSession.search(v, aSession.sure, 0)
	return found == 1
}

// decodeSession reads a session, wrapped or bare. If a field cannot be read, it returns the error
// and the rest of the session. Without an id it returns no session. urls are all texts in the
// fields of URLs, whatever shape these have.
func decodeSession(v value) (s Session, urls []string, err error) {
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
	s = make(Session, len(sessionfield.All))
	for _, field := range sessionfield.All {
		if field.Kind == sessionfield.Group {
			f.group(s, field)
		} else {
			s.set(field.Name, f.field(field))
		}
	}
	s["id"] = id
	if at, err := time.Parse(time.RFC3339, s["scheduled_at"]); err == nil { // an instant, in any offset
		if zone, err := parse.Zone(s["timezone"]); err == nil {
			s["scheduled_at"] = at.In(zone).Format(parse.LocalTimeLayout)
		}
	}
	if s["is_scheduled"] == "" && s["scheduled_at"] != "" { // a response with a start may leave it out
		s["is_scheduled"] = "true"
	}
	return s, f.urls, f.err
}

func (s Session) set(name, text string) {
	if text != "" {
		s[name] = text
	}
}

// group reads the parts of an object.
func (f *fields) group(s Session, group sessionfield.Field) {
	v := f.get(group.Name)
	if !v.IsObject() && !v.empty() {
		f.complain(group.Name, v, "an object")
	}
	inner := &fields{object: v.object(), err: f.err}
	for _, part := range group.Parts {
		s.set(group.Name+"."+part.Name, inner.field(part))
	}
	f.err = inner.err
}

// field reads a value as text, "" if there is none.
func (f *fields) field(field sessionfield.Field) string {
	switch field.Kind {
	case sessionfield.URL: // it may carry a token
		f.urls = append(f.urls, f.get(field.Name).strings(0)...)
		return parse.Escape(f.limited(AddressLimit, field.Name))
	case sessionfield.Flag:
		return f.boolean(field.Name)
	case sessionfield.Number:
		return f.integer(field.Name)
	case sessionfield.Zone:
		return parse.ZoneName(f.str(field.Name))
	case sessionfield.LocalTime:
		return parse.LocalTimeText(f.str(field.Name))
	default:
		if field.Name == outputMode {
			return f.outputMode()
		}
		// Terraform composes every string, so names are compared as it has them.
		return sessionfield.Canonical(norm.NFC.String(f.str(field.Name)), field.Values)
	}
}

// outputMode is the only field that may be a text or an object.
const outputMode = "output_mode"

// outputModeKeys are the keys under which an object is most likely to have the mode.
var outputModeKeys = []string{"output_mode", "mode", "value", "type", "name", "protocol", "key", "id"}

// outputMode reads a string or an object with it, which may be empty: the service documents both.
func (f *fields) outputMode() string {
	v := f.get(outputMode)
	texts := v.strings(0)
	modes := slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return !slices.Contains(sessionfield.Directions, text) })
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
		f.complain(outputMode, v, "a string, or an object holding one,")
	}
	if len(mode) > TextLimit {
		f.complain(outputMode, v, "a shorter string")
	}
	return sessionfield.Canonical(parse.Escape(mode), sessionfield.Directions)
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
