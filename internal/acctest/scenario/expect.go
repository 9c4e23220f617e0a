package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"
)

// expect checks what must hold after the last step.
func (s *scenario) expect(what, text string) {
	if text == "" || s.step == "" || s.calls == nil && what != "is" {
		s.t.Fatalf("%s: nothing is expected, or of no step", s.at)
	}
	switch what {
	case "calls":
		s.expectCalls(text)
	case "reads":
		read := []string{}
		s.reads.Range(func(name, _ any) bool { read = append(read, fmt.Sprint(name)); return true })
		if slices.Sort(read); strings.Join(read, " ") != strings.TrimPrefix(text, "none") || s.cli != nil {
			s.errorf("it reads %q, want %s", read, text)
		}
	case "says":
		s.any = true
		if text == "nothing" {
			return // see unsaid
		}
		if !s.hears(text) {
			s.errorf("the diagnostics do not say %q", s.template(text))
		}
	case "shows", "hides":
		if s.cli == nil && s.step != "invoke" || s.holds(s.shown(), text) != (what == "shows") {
			s.errorf("it is not true that a CLI %s %q", what, s.template(text))
		}
	case "lacks":
		if part := flat(s.template(text)); strings.Contains(flat(s.diags.String()), part) {
			s.errorf("the diagnostics say %q", part)
		}
	case "is":
		if !s.value(text).RawEquals(cty.True) {
			s.errorf("%s is not true", text)
		}
	case "took":
		from, to, ranged := strings.Cut(text, " to ")
		least := s.duration(from)
		most := least + time.Second
		if ranged {
			most = s.duration(to)
		}
		if s.took < least || s.took > most {
			s.errorf("it took %s, want %s", s.took, text)
		}
	default:
		s.t.Fatalf("%s: there is no expectation %q", s.at, what)
	}
}

// shown is what a CLI shows: its output, or the progress of an action.
func (s *scenario) shown() string {
	if s.cli != nil {
		return s.cli.output
	}
	return flat(strings.Join(s.progress, " "))
}

func (s *scenario) expectCalls(text string) {
	expected := map[string]int{}
	for pair := range strings.FieldsSeq(text) {
		name, n, _ := strings.Cut(pair, "=")
		switch {
		case text == "none":
		case n == "*":
			expected[s.call(name)] = s.calls[name]
		default:
			expected[s.call(name)] = s.number(n)
		}
	}
	if !maps.Equal(s.calls, expected) {
		s.errorf("the calls are %v, want %s", s.calls, text)
	}
}

// hears reports whether a diagnostic has the parts of a text in their order, and marks those that
// do as said.
func (s *scenario) hears(text string) (heard bool) {
	for i := range s.diags {
		if s.holds(flat(s.diags[i:i+1].String()), text) {
			s.said[i], heard = true, true
		}
	}
	return heard
}

// holds reports whether a flat text has the parts of another one in their order.
func (s *scenario) holds(rest, text string) (found bool) {
	found = true
	for part := range strings.SplitSeq(flat(s.template(text)), "...") {
		_, after, ok := strings.Cut(rest, strings.TrimSpace(part))
		rest, found = after, found && ok
	}
	return found
}

// flat is a text with single spaces.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }
