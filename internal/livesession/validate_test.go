package livesession

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

// TestConditional goes through every combination of a target, a condition on a
// required string and one on an optional bool with a default.
func TestConditional(t *testing.T) {
	t.Parallel()
	null, unknownValue := types.StringNull(), types.StringUnknown()
	text := types.StringValue
	// What the conditions amount to, by kind and by flag.
	kinds := map[string]struct {
		value types.String
		holds truth
	}{
		"x": {text("x"), yes}, "y": {text("y"), yes}, "z": {text("z"), no}, "empty": {text(""), no},
		"null": {null, unknown}, "unknown": {unknownValue, unknown}, // a null required attribute is not judged
	}
	flags := map[string]struct {
		value types.Bool
		holds truth
	}{
		"true": {types.BoolValue(true), yes}, "false": {types.BoolValue(false), no}, "null": {types.BoolNull(), no}, "unknown": {types.BoolUnknown(), unknown},
	}
	targets := map[string]struct {
		value types.String
		set   truth
	}{
		"set": {text("v"), yes}, "empty": {text(""), yes}, "null": {null, no}, "unknown": {unknownValue, unknown},
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
					holds := both(kind.holds, flag.holds)
					missing := target.set == no && holds == yes
					surplus := target.set == yes && holds == no
					c := conditional{"target", target.value, []when{kindIs(kind.value), flagIs(flag.value)}, ""}
					if got, want := c.check().HasError(), missing || surplus; got != want {
						t.Errorf("refused %v, want %v", got, want)
					}
				})
			}
		}
	}
}

func kindIs(value types.String) when { return when{"kind", value, []string{"x", "y"}} }
func flagIs(value types.Bool) when   { return when{"flag", boolText(value), []string{"true"}} }

func TestConditionalTexts(t *testing.T) {
	t.Parallel()
	text := types.StringValue
	tests := map[string]struct {
		rule   conditional
		detail string
	}{
		"missing": {
			conditional{"target", types.StringNull(), []when{kindIs(text("y")), flagIs(types.BoolValue(true))}, "Look it up."},
			"`target` is required when `kind` is x or y and `flag` is true. It is not set, and here `kind` is y and `flag` is true. Look it up.",
		},
		"surplus": {
			conditional{"target", text("secret"), []when{kindIs(text("z"))}, ""},
			"`target` may only be set when `kind` is x or y. It is set, and here `kind` is z. Remove `target`.",
		},
		"surplus by default": {
			conditional{"target", text("secret"), []when{flagIs(types.BoolNull())}, ""},
			"`target` may only be set when `flag` is true. It is set, and here `flag` is false. Remove `target`.",
		},
		"surplus and empty": {
			conditional{"target", text(""), []when{kindIs(text("z"))}, ""},
			"`target` may only be set when `kind` is x or y. It is set, and here `kind` is z. Remove `target`, or write null: an empty string counts as set.",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diags := tt.rule.check()
			if len(diags) != 1 || diags[0].Detail() != tt.detail {
				t.Errorf("got %v\nwant %s", diags, tt.detail)
			}
		})
	}
}
