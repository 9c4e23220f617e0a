package providerdata

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
)

// The summaries of errors about the value of an argument.
const (
	InvalidValue    = "Invalid value"
	MissingArgument = "An argument is missing"
	DoesNotApply    = "An argument does not apply"
)

// StringRule validates a known string.
type StringRule struct {
	Kind    string                    // what the summary calls the value, "" for "value"
	Allowed string                    // the rule, such as "must not be blank"
	Problem func(value string) string // what follows the path of the attribute, "" for none

	// What the provider does not know may be new at the service, so it is only a warning.
	Unknown string                    // the summary of the warning
	Doubt   func(value string) string // as Problem; not asked if there is a problem
}

// Description returns the rule.
func (v StringRule) Description(context.Context) string { return v.Allowed }

// MarkdownDescription returns the rule.
func (v StringRule) MarkdownDescription(context.Context) string { return v.Allowed }

// ValidateString adds the problem of a value to the response.
func (v StringRule) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	given := req.ConfigValue.ValueString()
	if problem := v.Problem(given); problem != "" {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid "+cmp.Or(v.Kind, "value"), fmt.Sprintf("`%s` %s", req.Path, problem))
	} else if v.Doubt != nil && v.Doubt(given) != "" {
		resp.Diagnostics.AddAttributeWarning(req.Path, v.Unknown, fmt.Sprintf("`%s` %s", req.Path, v.Doubt(given)))
	}
}

// Rule allows the values for which check is true. The hint, if any, ends the text of the error.
func Rule(allowed string, check func(value string) (ok bool, hint string)) StringRule {
	return StringRule{Allowed: allowed, Problem: func(value string) string {
		ok, hint := check(value)
		if ok {
			return ""
		}
		return fmt.Sprintf("is %q; it %s.%s", value, allowed, hint)
	}}
}

// NumberRule validates a known number.
type NumberRule struct {
	Allowed string                   // the rule, such as "must be at least 1"
	Hint    func(value int64) string // ends the text of the error; nil: nothing does
	OK      func(value int64) bool
}

// Description returns the rule.
func (v NumberRule) Description(context.Context) string { return v.Allowed }

// MarkdownDescription returns the rule.
func (v NumberRule) MarkdownDescription(context.Context) string { return v.Allowed }

// ValidateInt64 adds the problem of a value to the response.
func (v NumberRule) ValidateInt64(_ context.Context, req validator.Int64Request, resp *validator.Int64Response) {
	n := req.ConfigValue.ValueInt64()
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() || v.OK(n) {
		return
	}
	problem := fmt.Sprintf("`%s` is %d; it %s.", req.Path, n, v.Allowed)
	if v.Hint != nil {
		problem += v.Hint(n)
	}
	resp.Diagnostics.AddAttributeError(req.Path, InvalidValue, problem)
}

// PathProblem returns why a text cannot be meant as a path on this machine, "" if it can.
func PathProblem(given string) string {
	scheme, _, isURL := strings.Cut(given, "://")
	switch {
	case strings.TrimSpace(given) == "":
		return "is blank"
	case given == "~" || strings.HasPrefix(given, "~/"):
		return fmt.Sprintf("is %q, and nothing replaces the ~ by a home folder: write pathexpand(%q), or $HOME in a variable of the environment", given, given)
	case isURL && len(scheme) > 1: // not shown: a URL may hold a secret
		return "is a URL, not a path on this machine: download the file first, as the guide \"Uploads\" shows, and write its path"
	}
	return ""
}

const keyPathForm = "must be a key path, " + parse.KeyPathForm

// KeyPath accepts the key path of a stored file.
var KeyPath = StringRule{Kind: "key path", Allowed: keyPathForm, Problem: func(given string) string {
	if _, err := parse.SplitKeyPath(given); err == nil {
		return ""
	}
	return fmt.Sprintf("is %q, which %s. The attribute `key_path` of an uploaded file has it.", given, keyPathForm)
}}

// SameTriggers reports whether two values of `triggers` are the same: null, an empty map and a map
// of nulls are. A value that is not known yet differs from every other one.
func SameTriggers(a, b types.Map) bool {
	set := func(triggers types.Map) map[string]attr.Value {
		elements := maps.Clone(triggers.Elements())
		maps.DeleteFunc(elements, func(_ string, v attr.Value) bool { return v.IsNull() })
		return elements
	}
	return !a.IsUnknown() && !b.IsUnknown() && maps.EqualFunc(set(a), set(b), attr.Value.Equal)
}
