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
	c.begin(spec)
	answered := c.begin(spec)
	if !c.several(spec) || c.several(api.SessionSpec{}) {
		t.Error("several does not tell which creates are unanswered")
	}
	if answered(); c.several(spec) {
		t.Error("a create that was answered is unanswered")
	}
}
