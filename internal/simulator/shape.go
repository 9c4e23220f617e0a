package simulator

import (
	"net/url"
	"strconv"
	"strings"
)

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
	s.putNumber(object, "port", rec.Port)
	s.putNumber(object, "egress_port", rec.EgressPort)
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

// put sets a field that may not apply or not be known yet.
func (s *Service) put(object map[string]any, name string, applies bool, value string) {
	switch {
	case applies && value != "":
		object[name] = value
	case s.o.Absent == "empty":
		object[name] = ""
	case s.o.Absent == "null":
		object[name] = nil
	}
}

func (s *Service) putNumber(object map[string]any, name string, value int64) {
	switch {
	case value != 0 && s.o.NumbersAsStrings:
		object[name] = strconv.FormatInt(value, 10)
	case value != 0:
		object[name] = value
	case s.o.Absent == "empty" && s.o.NumbersAsStrings:
		object[name] = ""
	case s.o.Absent == "empty":
		object[name] = 0
	case s.o.Absent == "null":
		object[name] = nil
	}
}
