package redact_test

import (
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/stage"
)

func TestMain(m *testing.M) {
	stage.Main(m,
		"TestKnownSecretsInsideEncodings", "TestMoreThanThereIsRoomFor", "TestRandomSecretsAreHidden")
}
