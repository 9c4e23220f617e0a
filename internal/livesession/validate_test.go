package livesession

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// TestConditional goes through every combination of a target, a condition on a
// required string and one on an optional bool with a default.
func TestConditional(t *testing.T) {
	t.Parallel()
	null, unknownValue := any(nil), any(tftypes.UnknownValue)
	kindIs := when{attribute: "kind", in: []string{"x", "y"}}
	flagIs := when{attribute: "flag", in: []string{"true"}, null: "false"}
	// What the conditions amount to, by kind and by flag.
	kinds := map[string]struct {
		value any
		holds truth
	}{
		"x": {"x", yes}, "y": {"y", yes}, "z": {"z", no}, "empty": {"", no},
		"null": {null, unknown}, "unknown": {unknownValue, unknown}, // a null required attribute is not judged
	}
	flags := map[string]struct {
		value any
		holds truth
	}{
		"true": {true, yes}, "false": {false, no}, "null": {null, no}, "unknown": {unknownValue, unknown},
	}
	targets := map[string]struct {
		value any
		set   truth
	}{
		"set": {"v", yes}, "empty": {"", yes}, "null": {null, no}, "unknown": {unknownValue, unknown},
	}
	both := func(a, b truth) truth {
		switch {
		case a == no || b == no:
			return no
		case a == yes && b == yes:
			return yes
		}
		return unknown
	}
	for kindName, kind := range kinds {
		for flagName, flag := range flags {
			for targetName, target := range targets {
				t.Run(fmt.Sprintf("kind %s flag %s target %s", kindName, flagName, targetName), func(t *testing.T) {
					t.Parallel()
					config := configOf(target.value, kind.value, flag.value)
					holds := both(kind.holds, flag.holds)
					missing := target.set == no && holds == yes
					surplus := target.set == yes && holds == no
					rule := exactlyWhen("target", "", kindIs, flagIs)
					if got, want := rule.check(config).HasError(), missing || surplus; got != want {
						t.Errorf("%s: refused %v, want %v", rule.Description(t.Context()), got, want)
					}
				})
			}
		}
	}
}

func configOf(target, kind, flag any) tfsdk.Config {
	s := schema.Schema{Attributes: map[string]schema.Attribute{
		"target": schema.StringAttribute{Optional: true},
		"kind":   schema.StringAttribute{Required: true},
		"flag":   schema.BoolAttribute{Optional: true},
	}}
	return tfsdk.Config{Schema: s, Raw: tftypes.NewValue(s.Type().TerraformType(nil), map[string]tftypes.Value{ //nolint:staticcheck // the type needs no context
		"target": tftypes.NewValue(tftypes.String, target),
		"kind":   tftypes.NewValue(tftypes.String, kind),
		"flag":   tftypes.NewValue(tftypes.Bool, flag),
	})}
}

func TestConditionalTexts(t *testing.T) {
	t.Parallel()
	kindIs := when{attribute: "kind", in: []string{"x", "y"}}
	flagIs := when{attribute: "flag", in: []string{"true"}, null: "false"}
	tests := map[string]struct {
		rule   conditional
		config tfsdk.Config
		detail string
	}{
		"missing": {
			exactlyWhen("target", "Look it up.", kindIs, flagIs), configOf(nil, "y", true),
			"`target` is required when `kind` is x or y and `flag` is true. It is not set, and here `kind` is y and `flag` is true. Look it up.",
		},
		"surplus": {
			exactlyWhen("target", "", kindIs), configOf("secret", "z", nil),
			"`target` may only be set when `kind` is x or y. It is set, and here `kind` is z. Remove `target`.",
		},
		"surplus by default": {
			exactlyWhen("target", "", flagIs), configOf("secret", "z", nil),
			"`target` may only be set when `flag` is true. It is set, and here `flag` is false. Remove `target`.",
		},
		"surplus and empty": {
			exactlyWhen("target", "", kindIs), configOf("", "z", nil),
			"`target` may only be set when `kind` is x or y. It is set, and here `kind` is z. Remove `target`, or write null: an empty string counts as set.",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diags := tt.rule.check(tt.config)
			if len(diags) != 1 || diags[0].Detail() != tt.detail {
				t.Errorf("got %v\nwant %s", diags, tt.detail)
			}
		})
	}
}
