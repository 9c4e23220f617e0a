# One session sends its output to another one. Its write-only argument takes the endpoint, with the stream key.
resource "vodlive_live_session" "edge" {
  name               = "edge"
  region             = "us-east-1"
  input              = "RTMPS_PUSH"
  mode               = "NORM"
  output_mode        = "RTMPS_PULL"
  input_preset       = { resolution = "FULL_HD", bitrate = "MAX_10_MBPS" }
  endpoints_in_state = false
}

ephemeral "vodlive_live_session" "edge" {
  id = vodlive_live_session.edge.id
}

resource "vodlive_live_session" "origin" {
  name                    = "origin"
  region                  = "eu-central-1"
  input                   = "RTMPS_PUSH"
  mode                    = "NORM"
  output_mode             = "RTMPS_PUSH"
  input_preset            = { resolution = "FULL_HD", bitrate = "MAX_10_MBPS" }
  output_destination_a_wo = ephemeral.vodlive_live_session.edge.input_endpoint_a
  # Another edge is another version, so the origin gets a new session that sends to it.
  urls_wo_version    = parseint(substr(sha256(vodlive_live_session.edge.id), 0, 8), 16)
  endpoints_in_state = false
}
