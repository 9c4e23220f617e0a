package livesession

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/localtime"
)

// stringRule validates a known string.
type stringRule struct {
	allowed string                           // the rule, such as "must not be blank"
	problem func(value string) (text string) // "" for none
	doubts  bool                             // a problem is a warning, not an error
}

func (v stringRule) Description(context.Context) string         { return v.allowed }
func (v stringRule) MarkdownDescription(context.Context) string { return v.allowed }

func (v stringRule) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	switch problem := v.problem(req.ConfigValue.ValueString()); {
	case problem == "":
	case v.doubts:
		resp.Diagnostics.AddAttributeWarning(req.Path, "Doubtful "+label(req.Path), problem)
	default:
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid "+label(req.Path), problem)
	}
}

// label is the path of an attribute without list indexes and set values.
func label(p path.Path) string {
	var names []string
	for _, step := range p.Steps() {
		if name, ok := step.(path.PathStepAttributeName); ok {
			names = append(names, string(name))
		}
	}
	return strings.Join(names, ".")
}

// oneOf allows the given values. If only the case or a separator is wrong, it suggests the right
// value.
func oneOf(values ...string) stringRule {
	allowed := "must be " + quoted(values)
	return stringRule{allowed: allowed, problem: func(value string) string {
		if slices.Contains(values, value) {
			return ""
		}
		problem := fmt.Sprintf("%q was given; it %s.", value, allowed)
		if meant := alike(value, values); meant != "" {
			problem += fmt.Sprintf(" Write %q.", meant)
		}
		return problem
	}}
}

// notBlank rejects an empty string and white space.
func notBlank() stringRule {
	return stringRule{allowed: "must not be blank", problem: func(value string) string {
		if strings.TrimSpace(value) == "" {
			return fmt.Sprintf("%q was given; it must not be blank.", value)
		}
		return ""
	}}
}

// knownStatus only warns of an unknown status, because the service may have added it.
func knownStatus() stringRule {
	return stringRule{allowed: "should be " + quoted(statuses), doubts: true, problem: func(value string) string {
		if slices.Contains(statuses, value) || strings.TrimSpace(value) == "" { // notBlank rejects a blank one
			return ""
		}
		problem := fmt.Sprintf("%q is not a known status. The known ones are %s. The provider uses the value as it is.", value, enumerate(statuses, "and"))
		if meant := alike(value, statuses); meant != "" {
			problem += fmt.Sprintf(" Did you mean %q?", meant)
		}
		return problem
	}}
}

// otherSchemes may be shown in a diagnostic. Any other text before "://" may be part of a secret.
var otherSchemes = regexp.MustCompile(`(?i)^(https?|srt|rtsps?|rtp|udp|tcp|hls|wss?|ftp|file|rtmp[a-z]*)://`)

// streamURL allows an rtmp or rtmps URL with a host. It never shows the value, because the path
// carries a stream key.
func streamURL() stringRule {
	const allowed = "must be an rtmp:// or rtmps:// URL with a host"
	return stringRule{allowed: allowed, problem: func(value string) string {
		if wrong := streamURLProblem(value); wrong != "" {
			return fmt.Sprintf("The value given (sensitive, so not shown) %s; it %s.", wrong, allowed)
		}
		return ""
	}}
}

func streamURLProblem(value string) string {
	switch {
	case value == "":
		return "is an empty string, which is not the same as null"
	case strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return "has a space or a control character in it"
	case len(value) > api.AddressLimit:
		return fmt.Sprintf("is longer than %d KiB", api.AddressLimit>>10)
	}
	u, err := url.Parse(value)
	switch {
	case err != nil:
		return "cannot be read as a URL"
	case u.Scheme == "rtmp" || u.Scheme == "rtmps":
	case otherSchemes.MatchString(value):
		return fmt.Sprintf("begins with %q", strings.ToLower(otherSchemes.FindString(value)))
	default:
		return "does not begin with \"rtmp://\" or \"rtmps://\""
	}
	if u.Hostname() == "" {
		return "has no host"
	}
	return ""
}

// timezone allows the names of the tz database.
func timezone() stringRule {
	return stringRule{
		allowed: "must be a name of the tz database, such as \"Europe/Berlin\", \"America/New_York\" or \"UTC\"",
		problem: localtime.ZoneProblem,
	}
}

// localTime allows YYYY-MM-DD HH:MM with a valid day and hour.
func localTime() stringRule {
	const allowed = "must be a local time of the form YYYY-MM-DD HH:MM, such as \"2031-05-17 20:15\""
	return stringRule{allowed: allowed, problem: func(value string) string {
		if _, err := localtime.Parse(value); err == nil {
			return ""
		}
		problem := fmt.Sprintf("%q was given; it %s.", value, allowed)
		if clock.MatchString(value) {
			return problem + " This day or hour does not exist."
		}
		value = strings.TrimSpace(value)
		t, ok := localtime.Read(value)
		if !ok {
			var err error
			t, err = time.Parse(time.RFC3339, value)
			ok = err == nil
		}
		if ok {
			problem += fmt.Sprintf(" Write %q, and the zone in `timezone`.", t.Format(localtime.Layout))
		}
		return problem
	}}
}

var clock = regexp.MustCompile(`^\d{4}-\d{2}-\d{2} \d{2}:\d{2}$`)
