package livesession

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

// ValidateConfig checks the rules over several attributes: the rules of the service (SERVICE.md,
// "Sessions") and their converses. The service does not return a value that does not apply, so a
// configured one would be a difference in every plan.
func (r *liveSession) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var m model
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	pullIn := when{attribute: "input", value: m.Input, in: pullValues}
	pushOut := when{attribute: "output_mode", value: m.OutputMode, in: pushValues}
	ha := when{attribute: "mode", value: m.Mode, in: []string{modeHA}}
	scheduled := when{attribute: "is_scheduled", value: boolText(m.IsScheduled), in: []string{"true"}}

	const generated = "A configuration that Terraform generated for an import leaves this value out because it is sensitive: fill it in."
	for _, c := range []conditional{
		{"input_source_a", m.InputSourceA, []when{pullIn}, generated},
		{"input_source_b", m.InputSourceB, []when{pullIn, ha}, generated},
		{"output_destination_a", m.OutputDestinationA, []when{pushOut}, generated},
		{"output_destination_b", m.OutputDestinationB, []when{pushOut, ha}, generated},
		{"timezone", m.Timezone, []when{scheduled}, ""},
		{"scheduled_at", m.ScheduledAt, []when{scheduled}, ""},
	} {
		resp.Diagnostics.Append(c.check()...)
	}
	resp.Diagnostics.Append(checkLocalTime(m.ScheduledAt.ValueString(), m.Timezone.ValueString())...)
	resp.Diagnostics.Append(checkDistinctStatuses(m.WaitForStatus, m.ReplaceOnStatus)...)
}

// boolText returns a bool with the default false as text.
func boolText(b types.Bool) types.String {
	if b.IsUnknown() {
		return types.StringUnknown()
	}
	return types.StringValue(strconv.FormatBool(b.ValueBool()))
}

// truth is the result of a condition. It is unknown if a value is not known yet.
type truth int

const (
	unknown truth = iota
	no
	yes
)

// when is the condition that an attribute has one of the values in.
type when struct {
	attribute string
	value     types.String
	in        []string
}

// judge returns whether the condition holds. A required attribute that is null is not judged:
// Terraform itself reports that it is missing.
func (w when) judge() truth {
	switch {
	case w.value.IsNull() || w.value.IsUnknown():
		return unknown
	case slices.Contains(w.in, w.value.ValueString()):
		return yes
	}
	return no
}

func (w when) String() string { return fmt.Sprintf("`%s` is %s", w.attribute, orList(w.in)) }

// conditional requires that target is set exactly when all conditions hold. It never shows the
// value of target, which may be a secret.
type conditional struct {
	target     string
	value      types.String
	conditions []when
	hint       string // appended if target is missing
}

// judge returns whether all conditions hold: no if one does not hold, even if others are unknown.
// rule lists the conditions, here the values of their attributes.
func (c conditional) judge() (holds truth, rule, here string) {
	holds = yes
	var rules, values []string
	for _, w := range c.conditions {
		judged := w.judge()
		if judged == no || (judged == unknown && holds == yes) {
			holds = judged
		}
		rules = append(rules, w.String())
		if w.value.ValueString() != "" {
			values = append(values, fmt.Sprintf("`%s` is %s", w.attribute, w.value.ValueString()))
		}
	}
	return holds, andList(rules), andList(values)
}

func (c conditional) check() (diags diag.Diagnostics) {
	holds, rule, here := c.judge()
	at := path.Root(c.target)
	switch {
	case c.value.IsUnknown():
	case c.value.IsNull() && holds == yes:
		detail := fmt.Sprintf("`%s` is required when %s. It is not set, and here %s.", c.target, rule, here)
		if c.hint != "" {
			detail += " " + c.hint
		}
		diags.AddAttributeError(at, c.target+" is missing", detail)
	case !c.value.IsNull() && holds == no:
		detail := fmt.Sprintf("`%s` may only be set when %s. It is set, and here %s. Remove `%s`", c.target, rule, here, c.target)
		if c.value.ValueString() == "" {
			detail += ", or write null: an empty string counts as set"
		}
		diags.AddAttributeError(at, c.target+" does not apply", detail+".")
	}
	return diags
}

// checkDistinctStatuses warns of a status that is in both wait_for_status and replace_on_status.
func checkDistinctStatuses(waited, replaced types.Set) (diags diag.Diagnostics) {
	if waited.IsUnknown() {
		return nil
	}
	good := waitFor(waited)
	for _, status := range elements(replaced) {
		if slices.Contains(good, status) {
			diags.AddAttributeWarning(path.Root("replace_on_status"), "Every plan will replace the session",
				fmt.Sprintf("%s is in both `replace_on_status` and `wait_for_status` (by default %s). "+
					"Each apply would create a session that the next plan replaces. Remove %s from one of them.", status, andList(defaultWaitForStatus), status))
		}
	}
	return diags
}

// elements are the known strings of a set, sorted.
func elements(set basetypes.SetValue) []string {
	var items []string
	for _, e := range set.Elements() {
		if s, ok := e.(basetypes.StringValue); ok && !s.IsNull() && !s.IsUnknown() {
			items = append(items, s.ValueString())
		}
	}
	slices.Sort(items)
	return items
}

// waitFor returns the statuses of wait_for_status, or the default.
func waitFor(set basetypes.SetValue) []string {
	if set.IsNull() {
		return defaultWaitForStatus
	}
	return elements(set)
}

// quoted formats items as "A", "B" or "C".
func quoted(items []string) string {
	q := make([]string, len(items))
	for i, item := range items {
		q[i] = fmt.Sprintf("%q", item)
	}
	return orList(q)
}

// alike returns the element of values that equals value after fold, or "".
func alike(value string, values []string) string {
	for _, v := range values {
		if fold(v) == fold(value) {
			return v
		}
	}
	return ""
}

// fold removes letter case, spaces and separators.
func fold(s string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "", ".", "").Replace(strings.ToUpper(s))
}
