package api

import (
	"slices"
	"strings"
)

var (
	// sessionKeys are fields that tell a session from what is around it.
	sessionKeys = []string{"region", "input", "mode", "input_preset", "output_mode", "name", "is_scheduled", "enable_input_record"}
	// sessionObjects are the fields of a session that may be objects.
	sessionObjects = []string{"input_preset", "output_mode"}
)

// aSession is a session, wrapped or not. A create may be answered with little more than the id.
var aSession = wanted{
	name: "session", full: isSession, bare: func(o object) bool { return o.hasAny("id") },
	own: sessionObjects, inLists: true,
}

func isSession(o object) bool {
	return o.hasAny("id") && slices.ContainsFunc(sessionKeys, o.has)
}

// decodeSession reads a session, wrapped or bare (interface 2.5). Of a field
// that cannot be read it returns the error with all the rest of the session.
// Without an id there is none.
func decodeSession(v value) (*Session, error) {
	o, ok := aSession.find(v)
	if !ok {
		return nil, misshapen("no session with an id was found in %s%s", v.describe(), innards(v))
	}
	f := &fields{object: o}
	s := &Session{
		ID: f.str("id"), UserID: f.str("user_id"), Region: f.str("region"), Name: f.str("name"),
		Input: f.str("input"), Mode: f.str("mode"), OutputMode: f.outputMode(), Status: f.str("status"),
		InputPreset:  f.preset(),
		InputSourceA: f.str("input_source_a"), InputSourceB: f.str("input_source_b"),
		OutputDestinationA: f.str("output_destination_a"), OutputDestinationB: f.str("output_destination_b"),
		EnableInputRecord: f.boolean("enable_input_record"), IsScheduled: f.boolean("is_scheduled"),
		Timezone: f.str("timezone"), ScheduledAt: f.str("scheduled_at"),
		InputEndpointA: f.str("input_endpoint_a"), InputEndpointB: f.str("input_endpoint_b"),
		OutputEndpointA: f.str("output_endpoint_a"), OutputEndpointB: f.str("output_endpoint_b"),
		TranscoderID: f.str("transcoder_id"),
		SubDomainA:   f.str("sub_domain_a"), SubDomainB: f.str("sub_domain_b"),
		ElasticIPA: f.str("elastic_ip_a"), ElasticIPB: f.str("elastic_ip_b"),
		Port: f.integer("port"), EgressPort: f.integer("egress_port"),
	}
	if strings.TrimSpace(s.ID) == "" {
		return nil, misshapen("the session's id is %s", o.get("id").describe())
	}
	return s, f.err
}

// innards describes what "data" holds, when there is one.
func innards(v value) string {
	if data := v.object().get("data"); !data.isNull() {
		return "; data is " + data.describe()
	}
	return ""
}

func (f *fields) preset() InputPreset {
	v := f.get("input_preset")
	if text, ok := v.scalar(); ok && text == "" {
		return InputPreset{}
	}
	if !v.isObject() {
		f.complain("input_preset", v, "an object")
		return InputPreset{}
	}
	inner := &fields{object: v.object()}
	preset := InputPreset{Codec: inner.str("codec"), Resolution: inner.str("resolution"), Bitrate: inner.str("bitrate")}
	if f.err == nil {
		f.err = inner.err
	}
	return preset
}

// outputModes are the values of output_mode (interface 2.5, rules of 4.2).
var outputModes = []string{"RTMP_PULL", "RTMPS_PULL", "RTMP_PUSH", "RTMPS_PUSH"}

// outputModeKeys are where an object is most likely to hold the mode.
var outputModeKeys = []string{"output_mode", "mode", "value", "type", "name", "protocol", "key", "id"}

// outputMode reads a string or an object holding it (interface 2.5); "" of an
// object that holds nothing.
func (f *fields) outputMode() string {
	v := f.get("output_mode")
	mode, ok := modeIn(v, 0)
	if !ok {
		f.complain("output_mode", v, "a string, or an object holding one,")
	}
	return mode
}

func modeIn(v value, depth int) (string, bool) {
	switch {
	case v.isString():
		return v.text(), true
	case v.isArray():
		if n, only := v.count(2); n == 1 && depth < 3 {
			return modeIn(only, depth+1)
		}
	case v.isObject() && depth < 3:
		return modeInObject(v.object(), depth)
	}
	text, ok := v.scalar()
	return text, ok && text == ""
}

func modeInObject(o object, depth int) (string, bool) {
	var modes, texts []string
	unreadable := false
	for _, key := range o.keys() {
		text, ok := modeIn(o.members[key], depth+1)
		switch {
		case !ok:
			unreadable = true
		case slices.Contains(outputModes, text):
			modes = append(modes, text)
		case text != "":
			texts = append(texts, text)
		}
	}
	slices.Sort(modes)
	if modes = slices.Compact(modes); len(modes) == 1 {
		return modes[0], true
	}
	if v := o.get(outputModeKeys...); v.isString() && v.text() != "" {
		return v.text(), true
	}
	if len(modes) == 0 && len(texts) == 1 {
		return texts[0], true
	}
	return "", len(modes) == 0 && len(texts) == 0 && !unreadable
}

// decodePage reads a page of the listing (interface 4.2): Sessions and
// LastEvaluatedKey, wrapped or bare, or a list alone.
func decodePage(v value) (*SessionPage, error) {
	list, ok := findList(v, "Sessions", "LastEvaluatedKey")
	if !ok {
		return nil, misshapen("no list of sessions was found in %s%s", v.describe(), innards(v))
	}
	page := &SessionPage{}
	for i, item := range list.items() {
		if !item.isObject() {
			return nil, misshapen("entry %d of the sessions is %s where an object was expected", i+1, item.brief())
		}
		s, err := decodeSession(item)
		if err != nil {
			return nil, misshapen("entry %d of the sessions: %s", i+1, strings.TrimPrefix(err.Error(), shapePrefix))
		}
		page.Sessions = append(page.Sessions, *s)
	}
	if o, ok := aCursor.find(v); ok {
		next, err := decodeCursor(o.get("LastEvaluatedKey"))
		if err != nil {
			return nil, err
		}
		page.Next = next
	}
	return page, nil
}

// aCursor is an object that says where the listing goes on, beside the list or around it.
var aCursor = wanted{
	full: func(o object) bool { return !o.get("LastEvaluatedKey").empty() },
	own:  []string{"Sessions"},
}

// cursorKeys are the values that a cursor is known to have (interface 4.2).
var cursorKeys = []string{"id", "user_id", "created_at_user_id"}

// decodeCursor reads LastEvaluatedKey; nil when it says that there is no more. The values that the
// interface names decide: without any of them this is the last page, whatever else is there. With
// one, all other values that are strings go back too, under the names that they came with.
func decodeCursor(v value) (Cursor, error) {
	if !v.isObject() {
		return nil, misshapen("LastEvaluatedKey is %s where an object was expected", v.describe())
	}
	o := v.object()
	next := Cursor{}
	for _, key := range cursorKeys {
		text, ok := cursorValue(o.get(key))
		if !ok {
			return nil, misshapen("%s of LastEvaluatedKey is %s where a string was expected", key, o.get(key).describe())
		}
		if strings.TrimSpace(text) != "" {
			next[key] = text
		}
	}
	known := slices.ContainsFunc(cursorKeys, o.has)
	for _, key := range o.keys() {
		if slices.ContainsFunc(cursorKeys, func(k string) bool { return fold(k) == fold(key) }) {
			continue
		}
		text, ok := cursorValue(o.members[key])
		switch {
		case !known && (!ok || strings.TrimSpace(text) != ""):
			// It says where the listing goes on in a way that is not understood. Taking this for the
			// last page would hide sessions.
			return nil, misshapen("LastEvaluatedKey is %s, of which none is %s", v.describe(), strings.Join(cursorKeys, ", "))
		case len(next) > 0 && ok && strings.TrimSpace(text) != "":
			next[key] = text
		}
	}
	if len(next) == 0 {
		return nil, nil
	}
	return next, nil
}

// cursorValue reads a scalar, or one in the form of the store, {"S": "…"}.
func cursorValue(v value) (string, bool) {
	if v.isObject() {
		if o := v.object(); len(o.members) == 1 {
			if inner := o.members[o.keys()[0]]; !inner.isObject() {
				return inner.scalar()
			}
		}
	}
	return v.scalar()
}
