package livesession

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/sessionfield"
)

// TestConditional goes through every combination of a target, a condition on a
// required string and one on an optional bool with a default.
func TestConditional(t *testing.T) {
	t.Parallel()
	null, unknownValue := types.StringNull(), types.StringUnknown()
	text := types.StringValue
	yes, no, unknown := types.BoolValue(true), types.BoolValue(false), types.BoolUnknown()
	// What the conditions amount to, by kind and by flag.
	kinds := map[string]struct {
		value types.String
		holds types.Bool
	}{
		"x": {text("x"), yes}, "y": {text("y"), yes}, "z": {text("z"), no}, "empty": {text(""), unknown}, "w": {text("w"), unknown}, // reported by their own rule
		"null": {null, unknown}, "unknown": {unknownValue, unknown}, // a null required attribute is not judged
	}
	flags := map[string]struct {
		value types.Bool
		holds types.Bool
	}{
		"true": {types.BoolValue(true), yes}, "false": {types.BoolValue(false), no}, "null": {types.BoolNull(), no}, "unknown": {types.BoolUnknown(), unknown},
	}
	targets := map[string]struct {
		value types.String
		set   types.Bool
	}{
		"set": {text("v"), yes}, "empty": {text(""), yes}, "null": {null, no}, "unknown": {unknownValue, unknown},
	}
	both := func(a, b types.Bool) types.Bool {
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
					m := values{"kind": kind.value, "flag": flag.value, "target": target.value}
					if got, want := m.checkConditions(targetIf(kindIn, flagSet)).HasError(), missing || surplus; got != want {
						t.Errorf("refused %v, want %v", got, want)
					}
				})
			}
		}
	}
}

var (
	kindIn  = sessionfield.Condition{Argument: "kind", In: []string{"x", "y"}, Others: []string{"z"}}
	flagSet = sessionfield.Condition{Argument: "flag", In: []string{"true"}, Others: []string{"false"}}
)

func targetIf(needs ...sessionfield.Condition) attribute {
	return newAttribute(sessionfield.Field{Name: "target", Needs: needs})
}

func TestConditionalTexts(t *testing.T) {
	t.Parallel()
	null, text := types.StringNull(), types.StringValue
	tests := map[string]struct {
		target attribute
		here   values
		detail string
	}{
		"missing": {
			targetIf(kindIn, flagSet),
			values{"target": null, "kind": text("y"), "flag": types.BoolValue(true)},
			"`target` is required when `kind` is x or y and `flag` is true. It is not set, and here `kind` is y and `flag` is true. Set `target`, or set `kind` to z or `flag` to false.",
		},
		"surplus": {
			targetIf(kindIn),
			values{"target": text("secret"), "kind": text("z")},
			"`target` may only be set when `kind` is x or y. It is set, and here `kind` is z. Set `kind` to x or y, or remove `target`.",
		},
		"surplus by default": {
			targetIf(flagSet),
			values{"target": text("secret"), "flag": types.BoolNull()},
			"`target` may only be set when `flag` is true. It is set, and here `flag` is false. Set `flag` to true, or remove `target`.",
		},
		"surplus and empty": {
			targetIf(kindIn),
			values{"target": text(""), "kind": text("z")},
			"`target` may only be set when `kind` is x or y. It is set, and here `kind` is z. Set `kind` to x or y, or remove `target`, or write null: an empty string counts as set.",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diags := tt.here.checkConditions(tt.target)
			if len(diags) != 1 || diags[0].Detail() != tt.detail {
				t.Errorf("got %v\nwant %s", diags, tt.detail)
			}
		})
	}
}
