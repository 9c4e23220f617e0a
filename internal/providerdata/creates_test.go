package providerdata_test

import (
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

func TestCreates(t *testing.T) {
	t.Parallel()
	var c providerdata.Creates
	if !c.Own("mine") || c.Own("mine") {
		t.Error("Own does not tell whether a session was noted before")
	}
	if !c.Owns("mine") || c.Owns("other") {
		t.Error("Owns does not tell own sessions from others")
	}
	spec := api.SessionSpec{Name: "match"}
	first, second := c.Begin(spec), c.Begin(spec)
	first()
	if !c.Waiting(spec) || c.Waiting(api.SessionSpec{}) {
		t.Error("Waiting does not tell which creates are in flight")
	}
	if second(); c.Waiting(spec) {
		t.Error("a create that has ended is in flight")
	}
}
