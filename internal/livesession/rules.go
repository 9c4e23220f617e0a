package livesession

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// oneOf allows the given values.
func oneOf(values ...string) providerdata.StringRule {
	return providerdata.Rule("must be "+quoted(values), func(value string) (ok bool, hint string) { return slices.Contains(values, value), "" })
}

// notBlank rejects an empty string and white space.
var notBlank = providerdata.Rule("must not be blank", func(value string) (ok bool, hint string) { return strings.TrimSpace(value) != "", "" })

// sessionID rejects what cannot be the id of a session: in the path of a request it would be
// another call.
var sessionID = providerdata.Rule("must be the id of a session", func(value string) (ok bool, hint string) {
	ok = strings.TrimSpace(value) == value && value != "" && value != "." && value != ".." && parse.Safe(value)
	if trimmed := strings.TrimSpace(value); !ok && trimmed != "" && parse.Safe(trimmed) && trimmed != value {
		hint = fmt.Sprintf(" Write %q.", trimmed)
	}
	return ok, hint
})

// knownStatus only warns of an unknown status, because the service may have added it.
var knownStatus = providerdata.StringRule{
	Allowed: "should be " + quoted(statuses), Unknown: "Unknown status",
	Problem: func(string) string { return "" },
	Doubt: func(value string) string {
		if slices.Contains(statuses, value) || strings.TrimSpace(value) == "" { // notBlank rejects a blank one
			return ""
		}
		return fmt.Sprintf("has %q, which is not a known status. The known ones are %s. The provider uses the value as it is.", value, enumerate(statuses, "and"))
	},
}

// otherSchemes may be shown in a diagnostic. Any other text before "://" may be part of a secret.
var otherSchemes = regexp.MustCompile(`(?i)^(https?|srt|rtsps?|rtp|udp|tcp|hls|wss?|ftp|file|rtmp[a-z]*)://`)

// streamURL allows an rtmp or rtmps URL with a host. It never shows the value, because the path
// carries a stream key.
var streamURL = providerdata.StringRule{Allowed: streamURLRule, Problem: func(value string) string {
	if wrong := streamURLProblem(value); wrong != "" {
		return fmt.Sprintf("(sensitive, so not shown) %s; it %s.", wrong, streamURLRule)
	}
	return ""
}}

const streamURLRule = "must be an rtmp:// or rtmps:// URL with a host"

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
	return parse.PortProblem(u)
}

// localTime allows YYYY-MM-DD HH:MM with a valid day and hour.
var localTime = providerdata.Rule("must be a local time of the form YYYY-MM-DD HH:MM, such as \"2031-05-17 20:15\"", func(value string) (ok bool, hint string) {
	if _, err := parse.LocalTime(value); err == nil {
		return true, ""
	} else if errors.Is(err, parse.ErrNoSuchTime) {
		return false, " This day or hour does not exist."
	}
	if _, err := time.Parse(time.RFC3339, value); err == nil {
		return false, " To convert it, use the function `format_scheduled_at`."
	}
	return false, ""
})

// regex allows regular expressions of Go's regexp package.
var regex = providerdata.StringRule{Allowed: "must be a regular expression in RE2 syntax", Problem: func(value string) string {
	if _, err := regexp.Compile(value); err != nil {
		return fmt.Sprintf("is %q; it must be a regular expression in RE2 syntax (%s).", value, err)
	}
	return ""
}}

func statusSet() []validator.Set {
	return []validator.Set{setvalidator.NoNullValues(), setvalidator.ValueStringsAre(notBlank, knownStatus)}
}

// quoted formats items as "A", "B" or "C".
func quoted(items []string) string {
	q := make([]string, len(items))
	for i, item := range items {
		q[i] = fmt.Sprintf("%q", item)
	}
	return enumerate(q, "or")
}
