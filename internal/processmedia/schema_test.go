package processmedia_test

import (
	"regexp"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
)

// TestActionDescribesNoChange: the descriptions that the action has from resources lack what a
// change of the argument does there.
func TestActionDescribesNoChange(t *testing.T) {
	t.Parallel()
	about := regexp.MustCompile(`(?i)\bchanges?\b`)
	for _, a := range acctest.NewProvider(t, nil).Schema.ActionSchemas["vodlive_process_media"].Schema.Block.Attributes {
		if about.MatchString(a.Description) || a.Description == "" {
			t.Errorf("%s: %s", a.Name, a.Description)
		}
	}
}
