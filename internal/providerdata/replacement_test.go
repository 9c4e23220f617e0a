package providerdata_test

import (
	"testing"

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
