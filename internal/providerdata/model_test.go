package providerdata_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

type part struct {
	Name types.String `tfsdk:"name"`
}

type whole struct {
	part

	Number   types.Int64    `tfsdk:"number"`
	Yes      types.Bool     `tfsdk:"yes"`
	Texts    types.List     `tfsdk:"texts"`
	Set      types.Set      `tfsdk:"set"`
	Map      types.Map      `tfsdk:"map"`
	Object   types.Object   `tfsdk:"object"`
	Timeouts timeouts.Value `tfsdk:"timeouts"`

	private string //nolint:unused // has no tag, so it is left alone
}

var objectTypes = map[string]attr.Type{"text": types.StringType}

func wholeSchema(ctx context.Context) schema.Schema {
	return schema.Schema{Attributes: map[string]schema.Attribute{
		"name":     schema.StringAttribute{Optional: true},
		"number":   schema.Int64Attribute{Optional: true},
		"yes":      schema.BoolAttribute{Optional: true},
		"texts":    schema.ListAttribute{ElementType: types.StringType, Optional: true},
		"set":      schema.SetAttribute{ElementType: types.StringType, Optional: true},
		"map":      schema.MapAttribute{ElementType: types.StringType, Optional: true},
		"object":   schema.SingleNestedAttribute{Optional: true, Attributes: map[string]schema.Attribute{"text": schema.StringAttribute{Optional: true}}},
		"timeouts": timeouts.AttributesAll(ctx),
	}}
}

// TestModel holds Get and Set against the framework's own, of which they are the faster form.
func TestModel(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := wholeSchema(ctx)
	timeoutTypes := map[string]attr.Type{"create": types.StringType, "read": types.StringType, "update": types.StringType, "delete": types.StringType}
	texts := types.ListValueMust(types.StringType, []attr.Value{types.StringValue("a"), types.StringUnknown(), types.StringNull()})
	full := whole{
		part: part{types.StringValue("n")}, Number: types.Int64Value(7), Yes: types.BoolValue(true), Texts: texts,
		Set:    types.SetValueMust(types.StringType, []attr.Value{types.StringValue("a")}),
		Map:    types.MapValueMust(types.StringType, map[string]attr.Value{"k": types.StringValue("v")}),
		Object: types.ObjectValueMust(objectTypes, map[string]attr.Value{"text": types.StringValue("t")}),
		Timeouts: timeouts.Value{Object: types.ObjectValueMust(timeoutTypes, map[string]attr.Value{
			"create": types.StringValue("5m"), "read": types.StringNull(), "update": types.StringNull(), "delete": types.StringNull(),
		})},
	}
	null := whole{
		Texts: types.ListNull(types.StringType), Set: types.SetNull(types.StringType), Map: types.MapNull(types.StringType),
		Object: types.ObjectNull(objectTypes), Timeouts: timeouts.Value{Object: types.ObjectNull(timeoutTypes)},
	}
	unknown := whole{
		part: part{types.StringUnknown()}, Number: types.Int64Unknown(), Yes: types.BoolUnknown(),
		Texts: types.ListUnknown(types.StringType), Set: types.SetUnknown(types.StringType), Map: types.MapUnknown(types.StringType),
		Object: types.ObjectUnknown(objectTypes), Timeouts: timeouts.Value{Object: types.ObjectUnknown(timeoutTypes)},
	}
	for name, m := range map[string]whole{"full": full, "null": null, "unknown": unknown} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			empty := tftypes.NewValue(s.Type().TerraformType(ctx), nil)
			ours, theirs := tfsdk.State{Schema: s, Raw: empty}, tfsdk.State{Schema: s, Raw: empty}
			if diags := append(providerdata.Set(ctx, &ours, m), theirs.Set(ctx, m)...); diags.HasError() {
				t.Fatal(diags)
			}
			if !ours.Raw.Equal(theirs.Raw) {
				t.Errorf("Set wrote %s\nthe framework %s", ours.Raw, theirs.Raw)
			}
			var read, expected whole
			if diags := append(providerdata.Get(ctx, ours, &read), theirs.Get(ctx, &expected)...); diags.HasError() {
				t.Fatal(diags)
			}
			if diff := cmp.Diff(expected, read, cmp.AllowUnexported(whole{})); diff != "" {
				t.Errorf("Get (-framework +ours):\n%s", diff)
			}
		})
	}
}

// TestModelMismatch: a model that does not fit the schema is a bug, and said so.
func TestModelMismatch(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	state := func(names ...string) tfsdk.State {
		s := schema.Schema{Attributes: map[string]schema.Attribute{}}
		values := map[string]tftypes.Value{}
		for _, name := range names {
			s.Attributes[name] = schema.StringAttribute{Optional: true}
			values[name] = tftypes.NewValue(tftypes.String, "n")
		}
		return tfsdk.State{Schema: s, Raw: tftypes.NewValue(s.Type().TerraformType(ctx), values)}
	}
	one := state("name")
	before := one.Raw.Copy()
	type other struct {
		Name types.Int64 `tfsdk:"name"`
	}
	type missing struct {
		part

		Else types.String `tfsdk:"else"`
	}
	type plain struct {
		Name string `tfsdk:"name"`
	}
	for name, diags := range map[string]interface {
		HasError() bool
	}{
		"another type read":    providerdata.Get(ctx, one, &other{}),
		"a surplus field read": providerdata.Get(ctx, one, &missing{}),
		"a missing field read": providerdata.Get(ctx, state("name", "else"), &part{}),
		"a plain field read":   providerdata.Get(ctx, one, &plain{}),
		"another type":         providerdata.Set(ctx, &one, other{}),
		"a surplus field":      providerdata.Set(ctx, &one, missing{}),
		"a missing field":      providerdata.Set(ctx, new(state("name", "else")), part{}),
		"a plain field":        providerdata.Set(ctx, &one, plain{}),
	} {
		if !diags.HasError() {
			t.Errorf("%s: no error", name)
		}
	}
	if !one.Raw.Equal(before) {
		t.Error("a refused Set has changed the state")
	}
	if d := providerdata.Get(ctx, one, &other{}); !strings.Contains(d[0].Detail(), "`name`") {
		t.Errorf("the error does not name the attribute: %v", d)
	}
}
