package provider_test

import (
	"crypto/rand"
	"fmt"
	"os"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

const smokeConfig = `
data "vodlive_regions" "all" {}
data "vodlive_live_sessions" "all" {}

output "regions" {
  value = length(data.vodlive_regions.all.names)
}

resource "vodlive_media_upload" "single" {
  source = "smoke.bin"
  method = "single"
}
resource "vodlive_media_upload" "parts" {
  source    = "smoke.bin"
  method    = "multipart"
  part_size = 5 * 1024 * 1024
}
`

// TestSmoke uses every kind of call once. With VODLIVE_SMOKE=1 it uses the account that the
// environment configures, otherwise the simulated service. What it stores and creates remains
// there: two files of 6 MiB, a live session in VODLIVE_SMOKE_REGION if that is set, and a batch job
// with VODLIVE_SMOKE_SERVICE_MODE if that is set.
func TestSmoke(t *testing.T) {
	t.Parallel()
	server := acctest.Start(t, simulator.Options{})
	cli := acctest.NewCLI(t, server)
	region, mode := "eu-central-1", "video_optimizer"
	account := os.Getenv("VODLIVE_SMOKE") == "1"
	if account {
		for _, name := range []string{
			"VODLIVE_BASE_URL", "VODLIVE_VOD_BASE_URL", "VODLIVE_ACCESS_TOKEN_ID", "VODLIVE_SECRET_KEY",
			"VODLIVE_ID_TOKEN", "VODLIVE_ID_TOKEN_FILE", "VODLIVE_CA_BUNDLE_FILE",
		} {
			cli.Setenv(name, os.Getenv(name))
		}
		region, mode = os.Getenv("VODLIVE_SMOKE_REGION"), os.Getenv("VODLIVE_SMOKE_SERVICE_MODE")
	}
	content := make([]byte, 6<<20)
	_, _ = rand.Read(content)
	cli.Write("smoke.bin", string(content))

	const session = "vodlive_live_session.smoke"
	config := smokeConfig
	if region != "" {
		config += fmt.Sprintf(`
resource "vodlive_live_session" "smoke" {
  name         = "terraform-provider-smoke-test"
  region       = %q
  input        = "RTMP_PUSH"
  mode         = "NORM"
  output_mode  = "RTMP_PULL"
  input_preset = { resolution = "SD", bitrate = "MAX_10_MBPS" }
  on_existing  = "use" # of an earlier smoke test
}
`, region)
	}
	if mode != "" {
		config += fmt.Sprintf(`
resource "vodlive_batch_job" "smoke" {
  paths         = [vodlive_media_upload.single.key_path, vodlive_media_upload.parts.key_path]
  service_modes = [%q]
}
`, mode)
	}
	cli.Config(config)
	t.Log(cli.Must("apply", "-auto-approve").Output)
	for address, resource := range cli.State() {
		if id := resource.Values["id"]; id != nil { // a data source has none
			t.Logf("remains at the service: %s %v", address, id)
		}
	}
	cli.AssertNoChanges()

	if region != "" {
		id := fmt.Sprint(cli.State()[session].Values["id"])
		cli.Must("state", "rm", session)
		cli.Must("import", session, id)
		cli.Must("apply", "-auto-approve") // an import sets no on_existing
		cli.AssertNoChanges()
	}
	cli.Must("destroy", "-auto-approve")
	if requests := len(server.Journal()); (requests == 0) != account {
		t.Errorf("the simulated service received %d requests; VODLIVE_SMOKE=%s", requests, os.Getenv("VODLIVE_SMOKE"))
	}
}
