package livesession_test

import (
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

func TestSmoke(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{})
	cli := acctest.NewCLI(t, s)
	cli.Config(`resource "vodlive_live_session" "a" {
  name = "x"
  region = "eu-central-1"
  input = "RTMP_PUSH"
  mode = "HA"
  output_mode = "RTMP_PULL"
  input_preset = { resolution = "HD", bitrate = "MAX_10_MBPS" }
}
data "vodlive_live_sessions" "all" { depends_on = [vodlive_live_session.a] }
output "x" { 
sensitive=true
value = data.vodlive_live_sessions.all
}
`)
	t.Log(cli.Must("apply", "-auto-approve").Output)
	t.Log(s.JournalText())
	cli.AssertNoChanges()
	t.Log(s.JournalText())
	t.Log(cli.State())
	t.Log(cli.Must("output","-json").Output)
	t.Log(cli.Must("destroy", "-auto-approve").Output)
}
