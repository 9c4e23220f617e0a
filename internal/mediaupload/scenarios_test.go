package mediaupload_test

import (
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
)

func TestScenarios(t *testing.T) {
	t.Parallel()
	acctest.Scenarios(t)
}
