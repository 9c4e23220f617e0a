# Creates the sessions without waiting, and then waits for all of them together.
resource "vodlive_live_session" "camera" {
  for_each = toset(["north", "south", "goal"])

  name            = "camera-${each.key}"
  region          = "eu-central-1"
  input           = "RTMP_PUSH"
  mode            = "NORM"
  output_mode     = "RTMP_PULL"
  input_preset    = { resolution = "HD", bitrate = "MAX_10_MBPS" }
  wait_for_status = []
}

resource "vodlive_live_session_status" "cameras" {
  session_ids = [for camera in vodlive_live_session.camera : camera.id]
}

# Known once all sessions are ready.
output "addresses" {
  value = { for session in vodlive_live_session_status.cameras.sessions : session.name => session.elastic_ip_a }
}
