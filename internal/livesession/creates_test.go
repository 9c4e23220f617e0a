package livesession

import (
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
)

func TestCreates(t *testing.T) {
	t.Parallel()
	var c creates
	if !c.own("mine") || c.own("mine") {
		t.Error("own does not tell whether a session was noted before")
	}
	if !c.owns("mine") || c.owns("other") {
		t.Error("owns does not tell own sessions from others")
	}
	spec := api.SessionSpec{Name: "match"}
	first, second := c.begin(spec), c.begin(spec)
	first()
	if !c.waiting(spec) || c.waiting(api.SessionSpec{}) {
		t.Error("waiting does not tell which creates are in flight")
	}
	if second(); c.waiting(spec) {
		t.Error("a create that has ended is in flight")
	}
}
