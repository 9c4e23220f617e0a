package simulator

import (
	"net/url"
	"reflect"
	"strings"
	"time"
	_ "time/tzdata" // time zones must not depend on the machine
)

// SessionRecord has all fields of a live session (SERVICE.md, "Sessions").
type SessionRecord struct {
	ID, UserID, Region, Name, Input, Mode, OutputMode, Status string
	Codec, Resolution, Bitrate                                string
	InputSourceA, InputSourceB                                string
	OutputDestinationA, OutputDestinationB                    string
	EnableInputRecord, IsScheduled                            bool
	Timezone, ScheduledAt                                     string
	InputEndpointA, InputEndpointB                            string
	OutputEndpointA, OutputEndpointB                          string
	TranscoderID, SubDomainA, SubDomainB                      string
	ElasticIPA, ElasticIPB                                    string
	Port, EgressPort                                          int64
	CreatedAt                                                 time.Time
}

// readSession reads a create request by the rules of SERVICE.md, "Sessions". It refuses fields that
// do not apply, because the service would not return them.
func (s *Service) readSession(f *fields) SessionRecord {
	rec := SessionRecord{
		Name:       f.text("name"),
		Region:     f.text("region"),
		Input:      f.choice("input", "RTMP_PUSH", "RTMP_PULL", "RTMPS_PUSH", "RTMPS_PULL"),
		Mode:       f.choice("mode", modeHA, "NORM"),
		OutputMode: f.choice("output_mode", "RTMP_PULL", "RTMPS_PULL", "RTMP_PUSH", "RTMPS_PUSH"),
	}
	preset := f.object("input_preset")
	rec.Codec = preset.choice("codec", "H264")
	rec.Resolution = preset.choice("resolution", "SD", "HD", "FULL_HD")
	rec.Bitrate = preset.choice("bitrate", "MAX_10_MBPS", "MAX_20_MBPS")
	preset.done()
	ha := rec.Mode == modeHA
	pull, push := strings.HasSuffix(rec.Input, "_PULL"), strings.HasSuffix(rec.OutputMode, "_PUSH")
	rec.InputSourceA = f.endpoint("input_source_a", pull, "input is RTMP_PULL or RTMPS_PULL")
	rec.InputSourceB = f.endpoint("input_source_b", pull && ha, "mode is HA and input is RTMP_PULL or RTMPS_PULL")
	rec.OutputDestinationA = f.endpoint("output_destination_a", push, "output_mode is RTMP_PUSH or RTMPS_PUSH")
	rec.OutputDestinationB = f.endpoint("output_destination_b", push && ha, "mode is HA and output_mode is RTMP_PUSH or RTMPS_PUSH")
	rec.EnableInputRecord = f.boolean("enable_input_record")
	rec.IsScheduled = f.boolean("is_scheduled")
	return rec
}

// conditional is text for a field that must be set exactly when it applies.
func (f *fields) conditional(name string, applies bool, when string) string {
	f.asked[name] = true
	if _, there := f.values[name]; there != applies {
		if applies {
			f.fault("%s is required when %s", name, when)
		} else {
			f.fault("%s applies only when %s", name, when)
		}
		return ""
	}
	if !applies {
		return ""
	}
	return f.text(name)
}

func (f *fields) endpoint(name string, applies bool, when string) string {
	value := f.conditional(name, applies, when)
	if value == "" {
		return ""
	}
	if u, err := url.Parse(value); err != nil || u.Scheme != "rtmp" && u.Scheme != "rtmps" || u.Host == "" {
		f.fault("%s must be a RTMP or RTMPS endpoint", name)
	}
	return value
}

// readSchedule returns the start of the session: now, unless it is scheduled.
func (s *Service) readSchedule(f *fields, rec *SessionRecord, now time.Time) time.Time {
	rec.Timezone = f.conditional("timezone", rec.IsScheduled, "is_scheduled is true")
	rec.ScheduledAt = f.conditional("scheduled_at", rec.IsScheduled, "is_scheduled is true")
	if rec.Timezone == "" || rec.ScheduledAt == "" {
		return now
	}
	location, err := time.LoadLocation(rec.Timezone)
	if err != nil || rec.Timezone == "Local" {
		f.fault("timezone must be a name of the tz database")
		return now
	}
	const layout = "2006-01-02 15:04"
	starts, err := time.ParseInLocation(layout, rec.ScheduledAt, location)
	switch {
	case err != nil || len(rec.ScheduledAt) != len(layout):
		f.fault("scheduled_at must be YYYY-MM-DD HH:MM")
	case starts.Format(layout) != rec.ScheduledAt:
		f.fault("scheduled_at is skipped by a clock change in %s", rec.Timezone)
	case !starts.After(now):
		f.fault("scheduled_at must be in the future")
	}
	return starts
}

// shape is the set of fields of a session in a response (SERVICE.md, "Sessions").
type shape int

const (
	shapeCreate shape = iota
	shapeGet
	shapeList
)

// show returns the JSON object of a session.
func (s *Service) show(rec SessionRecord, as shape) map[string]any {
	if s.o.Respelled {
		rec = respelled(rec)
	}
	object := map[string]any{
		"id": rec.ID, "region": rec.Region, "name": rec.Name, "input": rec.Input, "mode": rec.Mode,
		"input_preset":        map[string]any{"codec": rec.Codec, "resolution": rec.Resolution, "bitrate": rec.Bitrate},
		"output_mode":         s.outputMode(rec.OutputMode, as),
		"enable_input_record": rec.EnableInputRecord, "status": rec.Status, "is_scheduled": rec.IsScheduled,
		"timezone": rec.Timezone, "scheduled_at": rec.ScheduledAt,
	}
	if as == shapeCreate {
		return object
	}
	ha := rec.Mode == modeHA
	push, pull := strings.HasSuffix(rec.Input, "_PUSH"), strings.HasSuffix(rec.OutputMode, "_PULL")
	s.put(object, "input_source_a", !push, rec.InputSourceA)
	s.put(object, "input_source_b", !push && ha, rec.InputSourceB)
	s.put(object, "output_destination_a", !pull, rec.OutputDestinationA)
	s.put(object, "output_destination_b", !pull && ha, rec.OutputDestinationB)
	s.put(object, "input_endpoint_a", push, rec.InputEndpointA)
	s.put(object, "input_endpoint_b", push && ha, rec.InputEndpointB)
	s.put(object, "output_endpoint_a", pull, rec.OutputEndpointA)
	s.put(object, "output_endpoint_b", pull && ha, rec.OutputEndpointB)
	if as == shapeGet {
		return object
	}
	object["user_id"] = rec.UserID
	object["transcoder_id"] = rec.TranscoderID
	s.put(object, "sub_domain_a", true, rec.SubDomainA)
	s.put(object, "sub_domain_b", ha, rec.SubDomainB)
	s.put(object, "elastic_ip_a", true, rec.ElasticIPA)
	s.put(object, "elastic_ip_b", ha, rec.ElasticIPB)
	s.put(object, "port", true, rec.Port)
	s.put(object, "egress_port", true, rec.EgressPort)
	return object
}

// respelled returns the record with other spellings of the same values.
func respelled(rec SessionRecord) SessionRecord {
	rec.Region = strings.ToUpper(rec.Region)
	if rec.Timezone == "Asia/Calcutta" {
		rec.Timezone = "Asia/Kolkata"
	}
	for _, endpoint := range []*string{&rec.InputSourceA, &rec.InputSourceB, &rec.OutputDestinationA, &rec.OutputDestinationB} {
		if u, err := url.Parse(*endpoint); err == nil && u.Scheme == "rtmp" && u.Port() == "" {
			u.Host += ":1935"
			*endpoint = u.String()
		}
	}
	return rec
}

func (s *Service) outputMode(value string, as shape) any {
	switch {
	case as == shapeList || s.o.OutputModeShape == "string":
		return value
	case s.o.OutputModeShape == "empty-object":
		return map[string]any{}
	}
	return map[string]any{"output_mode": value}
}

// put sets a field, a string or an int64, that may not apply or not be known yet.
func (s *Service) put(object map[string]any, name string, applies bool, value any) {
	empty := reflect.Zero(reflect.TypeOf(value)).Interface()
	switch {
	case applies && value != empty:
		object[name] = value
	case s.o.Absent == "empty":
		object[name] = empty
	case s.o.Absent == "null":
		object[name] = nil
	}
}
