package transfer_test

import (
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/stage"
)

func TestMain(m *testing.M) {
	stage.Main(m,
		"TestInterruptLosesLittle", "TestInterruptsMakeProgress", "TestEarlyRefusal", "TestDoesNotOscillate",
		"TestAdaptsToLimitedConnections", "TestAdaptsToAFall", "TestTrialEndsWithAPause", "TestWaitsForTheEndOfATrial",
		"TestGivesWay", "TestUnevenGoodputIsNoFall", "TestFullLineHasNoRoom")
}
