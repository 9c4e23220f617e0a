package edge

import (
	"bytes"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/sessionfield"
)

// learn makes the masker know the stream keys in the configuration, the plan and the state of a
// request, before the provider calls the service for it: a refusal may repeat a key.
// A state file is not read for this: its upgrade has an error only if nobody can read it.
func (s *server) learn(of object) {
	for _, v := range of.values {
		// Most values have no URL, and the state of a folder is large. MessagePack has names as
		// they are.
		if v == nil || of.schema == nil || !hasURLs(v.MsgPack) {
			continue
		}
		if value, err := v.Unmarshal(of.schema.ValueType()); err == nil { // else the framework says what is wrong with it
			s.learnValue(value)
		}
	}
}

// urlNames begin the names of attributes whose values are URLs of streams, whatever they look like.
var urlNames = fieldNames(func(f sessionfield.Field) bool { return f.Kind == sessionfield.URL })

// shownNames are the attributes of a session that a stream key may repeat without making them
// secret.
var shownNames = fieldNames(sessionfield.Field.Public)

func fieldNames(of func(sessionfield.Field) bool) (names []string) {
	for _, f := range sessionfield.All {
		if of(f) {
			names = append(names, f.Name)
		}
	}
	return names
}

// hasURLs reports whether a value has something that learnValue learns from.
func hasURLs(form []byte) bool {
	return bytes.Contains(form, []byte("://")) || slices.ContainsFunc(urlNames, func(name string) bool { return bytes.Contains(form, []byte(name)) })
}

func (s *server) learnValue(value tftypes.Value) {
	var shown, addresses []string
	_ = tftypes.Walk(value, func(path *tftypes.AttributePath, v tftypes.Value) (bool, error) {
		text, steps := textOf(v), path.Steps()
		var name tftypes.AttributeName
		if len(steps) > 0 {
			name, _ = steps[len(steps)-1].(tftypes.AttributeName)
		}
		isURL := slices.ContainsFunc(urlNames, func(prefix string) bool { return strings.HasPrefix(string(name), prefix) })
		switch {
		case text == "":
		case isURL || len(text) > 4 && strings.EqualFold(text[:4], "rtmp") && strings.Contains(text, "://"):
			addresses = append(addresses, text)
		case slices.Contains(shownNames, string(name)):
			shown = append(shown, text)
		}
		return true, nil
	})
	if len(addresses) > 0 {
		s.config.Redactor.AddStreams(shown, addresses...)
	}
}

// textOf returns the value of a string, "" if it is unknown or null.
func textOf(v tftypes.Value) (text string) {
	if v.Type() != nil && v.Type().Is(tftypes.String) && v.IsKnown() && !v.IsNull() {
		_ = v.As(&text)
	}
	return text
}
