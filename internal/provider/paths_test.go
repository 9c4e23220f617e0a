package provider_test

import (
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
)

// TestHomeFolderInPaths: nothing replaces ~ in a variable that a CI system sets, and a folder named
// ~ is never meant.
func TestHomeFolderInPaths(t *testing.T) {
	t.Parallel()
	for _, variable := range []string{"VODLIVE_RESUME_DIR", "VODLIVE_CA_BUNDLE_FILE", "VODLIVE_ID_TOKEN_FILE"} {
		diags := acctest.NewProvider(t, map[string]string{variable: "~/x"}).Configure(nil).String()
		if !strings.Contains(diags, variable+` is "~/x"`) || !strings.Contains(diags, variable+`="$HOME/x"`) {
			t.Errorf("%s: %s", variable, diags)
		}
	}
}
