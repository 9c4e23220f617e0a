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
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// configRules are the rules over several attributes: the rules of the service (SERVICE.md,
// "Sessions") and their converses. The service does not return a value that does not apply, so a
// configured one would be a difference in every plan.
func configRules() []resource.ConfigValidator {
	pullIn := when{attribute: "input", in: pullValues}
	pushOut := when{attribute: "output_mode", in: pushValues}
	ha := when{attribute: "mode", in: []string{modeHA}}
	scheduled := when{attribute: "is_scheduled", in: []string{"true"}, null: "false"}

	const generated = "A configuration that Terraform generated for an import leaves this value out because it is sensitive: fill it in."
	return []resource.ConfigValidator{
		exactlyWhen("input_source_a", generated, pullIn),
		exactlyWhen("input_source_b", generated, pullIn, ha),
		exactlyWhen("output_destination_a", generated, pushOut),
		exactlyWhen("output_destination_b", generated, pushOut, ha),
		exactlyWhen("timezone", "", scheduled),
		exactlyWhen("scheduled_at", "", scheduled),
		realLocalTime{},
		distinctStatuses{},
	}
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
	in        []string
	// null is the attribute's default, which replaces null. It is "" for a required attribute:
	// Terraform itself reports that it is missing.
	null string
}

// judge returns whether the condition holds, and the attribute's value.
func (w when) judge(config tfsdk.Config) (truth, string) {
	value, known := text(config, w.attribute)
	switch {
	case !known:
		return unknown, ""
	case value == nil && w.null == "":
		return unknown, ""
	case value == nil:
		value = &w.null
	}
	if slices.Contains(w.in, *value) {
		return yes, *value
	}
	return no, *value
}

func (w when) String() string { return fmt.Sprintf("`%s` is %s", w.attribute, orList(w.in)) }

// all returns whether all conditions hold: no if one does not hold, even if others are unknown.
// here lists the values of their attributes.
func all(config tfsdk.Config, conditions []when) (result truth, here string) {
	result = yes
	var found []string
	for _, c := range conditions {
		judged, value := c.judge(config)
		if value != "" {
			found = append(found, fmt.Sprintf("`%s` is %s", c.attribute, value))
		}
		if judged == no || (judged == unknown && result == yes) {
			result = judged
		}
	}
	return result, andList(found)
}

// text returns an attribute of the configuration as a string, nil for null. It reads the raw value,
// because GetAttribute copies the map of the schema for each attribute, a fifth of the time of a
// validation.
func text(config tfsdk.Config, name string) (value *string, known bool) {
	found, err := config.Raw.ApplyTerraform5AttributePathStep(tftypes.AttributeName(name))
	v, ok := found.(tftypes.Value)
	if err != nil || !ok || !v.IsKnown() {
		return nil, false
	}
	if v.IsNull() {
		return nil, true
	}
	var s string
	if v.Type().Is(tftypes.Bool) {
		var b bool
		err = v.As(&b)
		s = strconv.FormatBool(b)
	} else {
		err = v.As(&s)
	}
	return &s, err == nil
}

// isNull reports whether an attribute of the configuration is null. It reads the raw value, as text
// does.
func isNull(config tfsdk.Config, name string) bool {
	found, err := config.Raw.ApplyTerraform5AttributePathStep(tftypes.AttributeName(name))
	v, ok := found.(tftypes.Value)
	return err == nil && ok && v.IsNull()
}

// conditional requires that target is set exactly when all conditions hold. It never shows the
// value of target, which may be a secret.
type conditional struct {
	target     string
	conditions []when
	hint       string // appended if target is missing
}

func exactlyWhen(target, hint string, conditions ...when) conditional {
	return conditional{target: target, hint: hint, conditions: conditions}
}

func (c conditional) rule() string {
	parts := make([]string, len(c.conditions))
	for i, w := range c.conditions {
		parts[i] = w.String()
	}
	return andList(parts)
}

func (c conditional) Description(ctx context.Context) string { return c.MarkdownDescription(ctx) }

func (c conditional) MarkdownDescription(context.Context) string {
	return fmt.Sprintf("`%s` is set exactly when %s", c.target, c.rule())
}

func (c conditional) ValidateResource(_ context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	resp.Diagnostics.Append(c.check(req.Config)...)
}

func (c conditional) check(config tfsdk.Config) (diags diag.Diagnostics) {
	value, known := text(config, c.target)
	if !known {
		return nil
	}
	holds, here := all(config, c.conditions)
	at := path.Root(c.target)
	switch {
	case value == nil && holds == yes:
		detail := fmt.Sprintf("`%s` is required when %s. It is not set, and here %s.", c.target, c.rule(), here)
		if c.hint != "" {
			detail += " " + c.hint
		}
		diags.AddAttributeError(at, c.target+" is missing", detail)
	case value != nil && holds == no:
		detail := fmt.Sprintf("`%s` may only be set when %s. It is set, and here %s. Remove `%s`", c.target, c.rule(), here, c.target)
		if *value == "" {
			detail += ", or write null: an empty string counts as set"
		}
		diags.AddAttributeError(at, c.target+" does not apply", detail+".")
	}
	return diags
}

// distinctStatuses warns of a status that is in both wait_for_status and replace_on_status.
type distinctStatuses struct{}

func (distinctStatuses) Description(context.Context) string {
	return "no status is in both wait_for_status and replace_on_status"
}

func (v distinctStatuses) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (distinctStatuses) ValidateResource(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	if isNull(req.Config, "replace_on_status") {
		return
	}
	var waited, replaced basetypes.SetValue
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("wait_for_status"), &waited)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("replace_on_status"), &replaced)...)
	if resp.Diagnostics.HasError() || waited.IsUnknown() {
		return
	}
	good := waitFor(waited)
	for _, status := range elements(replaced) {
		if slices.Contains(good, status) {
			resp.Diagnostics.AddAttributeWarning(path.Root("replace_on_status"), "Every plan will replace the session",
				fmt.Sprintf("%s is in both `replace_on_status` and `wait_for_status` (by default %s). "+
					"Each apply would create a session that the next plan replaces. Remove %s from one of them.", status, andList(defaultWaitForStatus), status))
		}
	}
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
