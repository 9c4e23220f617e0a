package processmedia_test

import (
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/scenario"
)

func TestScenarios(t *testing.T) {
	t.Parallel()
	scenario.Play(t)
}
