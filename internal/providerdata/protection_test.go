package providerdata_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// private is the private data of an object.
type private map[string][]byte

func (p private) GetKey(_ context.Context, key string) ([]byte, diag.Diagnostics) { return p[key], nil }

func (p private) SetKey(_ context.Context, key string, value []byte) diag.Diagnostics {
	p[key] = value
	return nil
}

// TestPlanNote: a plan replaces the whole note of an earlier one, and what cannot be read blocks
// nothing.
func TestPlanNote(t *testing.T) {
	t.Parallel()
	data := private{}
	for _, want := range []providerdata.PlanNote{
		{},
		{Protected: "vod/input/c/u/a.mp4"},
		{Destroy: true},
	} {
		if diags := want.Write(t.Context(), data); diags.HasError() {
			t.Fatal(diags)
		}
		if got, diags := providerdata.ReadPlanNote(t.Context(), data); !reflect.DeepEqual(got, want) || diags.HasError() {
			t.Errorf("the note is %+v, want %+v", got, want)
		}
	}
	for key := range data {
		data[key] = []byte(`{"destroy":true,"protected":1}`)
	}
	if got, diags := providerdata.ReadPlanNote(t.Context(), data); !reflect.DeepEqual(got, providerdata.PlanNote{}) || diags.HasError() {
		t.Errorf("a note that cannot be read is %+v with %v", got, diags)
	}
}
