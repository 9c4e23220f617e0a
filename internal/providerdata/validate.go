package providerdata

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
)

// The summaries of errors about the value of an argument. Their link is the documentation of the
// argument.
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
	switch problem := v.Problem(given); {
	case problem == "" && v.Doubt == nil:
	case problem == "":
		if doubt := v.Doubt(given); doubt != "" {
			resp.Diagnostics.AddAttributeWarning(req.Path, v.Unknown, fmt.Sprintf("`%s` %s", argument(req.Path), doubt))
		}
	default:
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid "+cmp.Or(v.Kind, "value"), fmt.Sprintf("`%s` %s", argument(req.Path), problem))
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
	Hint    func(value int64) string // what a value that is not allowed was meant as, "" for nothing; nil: always
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

// NoNulls rejects a null element of a list, a set or a map, as of a variable that is not set: what
// it would do is never what was meant.
var NoNulls noNulls

type noNulls struct{}

func (noNulls) Description(context.Context) string               { return "must have no null element" }
func (v noNulls) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (noNulls) ValidateList(_ context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	for i, element := range req.ConfigValue.Elements() {
		if element.IsNull() {
			nullElement(req.Path.AtListIndex(i), &resp.Diagnostics)
		}
	}
}

func (noNulls) ValidateSet(_ context.Context, req validator.SetRequest, resp *validator.SetResponse) {
	if slices.ContainsFunc(req.ConfigValue.Elements(), attr.Value.IsNull) {
		nullElement(req.Path, &resp.Diagnostics)
	}
}

func (noNulls) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	elements := req.ConfigValue.Elements()
	for _, key := range slices.Sorted(maps.Keys(elements)) {
		if elements[key].IsNull() {
			nullElement(req.Path.AtMapKey(key), &resp.Diagnostics)
		}
	}
}

func nullElement(at path.Path, diags *diag.Diagnostics) {
	last, _ := at.Steps().LastStep()
	where := "is null"
	if _, whole := last.(path.PathStepAttributeName); whole {
		where = "has an element that is null"
	}
	diags.AddAttributeError(at, InvalidValue,
		fmt.Sprintf("`%s` %s, as a variable is that is not set. Give the element a value, or leave it out.", at, where))
}

// PathProblem returns why a text cannot be meant as a path on this machine, "" if it can.
func PathProblem(given string) string {
	scheme, _, isURL := strings.Cut(given, "://")
	switch {
	case strings.TrimSpace(given) == "":
		return "is blank"
	case given == "~" || strings.HasPrefix(given, "~/"):
		return fmt.Sprintf("is %q, and neither Terraform nor the provider replaces the ~ by a home folder: write pathexpand(%q)", given, given)
	case isURL && len(scheme) > 1 && !strings.ContainsAny(scheme, `/\`): // not shown: a URL may hold a secret
		return "is a URL, not a path on this machine: download the file first, as the guide \"Uploads\" shows, and write its path"
	}
	return ""
}

// argument is the path of an argument, or of its element unless that is named by its value.
func argument(p path.Path) path.Path {
	if last, _ := p.Steps().LastStep(); last != nil {
		if _, ofSet := last.(path.PathStepElementKeyValue); ofSet {
			return p.ParentPath()
		}
	}
	return p
}

const keyPathForm = "must be a key path, " + parse.KeyPathForm

// KeyPath accepts the key path of a stored file.
var KeyPath = StringRule{Kind: "key path", Allowed: keyPathForm, Problem: func(given string) string {
	if _, err := parse.SplitKeyPath(given); err == nil {
		return ""
	}
	return fmt.Sprintf("is %q, which %s. The attribute `key_path` of an uploaded file has it.", given, keyPathForm)
}}

// Nearest returns the known word that a given one probably means, "" if there is none. respelled
// reports whether the two differ in letter case and separators only. Otherwise they also differ in
// one letter: another one, one too many, one too few, or two that are exchanged.
func Nearest(given string, known ...string) (near string, respelled bool) {
	separators := strings.NewReplacer("-", "", "_", "", " ", "", ".", "")
	plain := func(word string) []rune { return []rune(separators.Replace(strings.ToLower(word))) }
	for _, word := range known {
		a, b := plain(given), plain(word)
		for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
			a, b = a[1:], b[1:]
		}
		for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
			a, b = a[:len(a)-1], b[:len(b)-1]
		}
		switch {
		case len(a) == 0 && len(b) == 0:
			return word, true
		case near != "":
		case len(a) < 2 && len(b) < 2, len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]:
			near = word
		}
	}
	return near, false
}
