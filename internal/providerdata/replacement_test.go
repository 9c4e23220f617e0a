package providerdata_test

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

func TestHandoverGivesEachItemOnce(t *testing.T) {
	t.Parallel()
	var h providerdata.Handover[string]
	for _, item := range []string{"a1", "b1", "a2"} {
		h.Offer(item)
	}
	isA := func(item string) bool { return item[0] == 'a' }
	for _, want := range []string{"a1", "a2", ""} {
		if has := h.Has(isA); has != (want != "") {
			t.Errorf("before %q: Has is %v", want, has)
		}
		if got, ok := h.Take(isA); got != want || ok != (want != "") {
			t.Errorf("Take returned %q, %v, want %q", got, ok, want)
		}
	}
	if got, _ := h.Take(func(string) bool { return true }); got != "b1" {
		t.Errorf("Take returned %q, want the item that did not fit before", got)
	}
}

// private is the private data of an object.
type private map[string][]byte

func (p private) GetKey(_ context.Context, key string) ([]byte, diag.Diagnostics) { return p[key], nil }

func (p private) SetKey(_ context.Context, key string, value []byte) diag.Diagnostics {
	p[key] = value
	return nil
}

// TestPlanNote: a plan replaces the whole note of an earlier one, and what cannot be read blocks nothing.
func TestPlanNote(t *testing.T) {
	t.Parallel()
	data := private{}
	for _, want := range []providerdata.PlanNote{
		{},
		{Undecided: true, Protected: "vod/input/c/u/a.mp4", Source: "a.mp4", Found: true},
		{Source: "b.mp4"},
		{Destroy: true},
	} {
		if diags := want.Write(t.Context(), data); diags.HasError() {
			t.Fatal(diags)
		}
		if got, diags := providerdata.ReadPlanNote(t.Context(), data); got != want || diags.HasError() {
			t.Errorf("the note is %+v, want %+v", got, want)
		}
	}
	for key := range data {
		data[key] = []byte(`{"destroy":true,"source":1}`)
	}
	if got, diags := providerdata.ReadPlanNote(t.Context(), data); got != (providerdata.PlanNote{}) || diags.HasError() {
		t.Errorf("a note that cannot be read is %+v with %v", got, diags)
	}
}
