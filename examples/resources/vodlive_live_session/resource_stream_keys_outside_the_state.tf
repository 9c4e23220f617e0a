variable "stream_key" {
  type      = string
  sensitive = true
  ephemeral = true
}

# Neither plan nor state has a stream key.
resource "vodlive_live_session" "relay" {
  name         = "relay"
  region       = "eu-central-1"
  input        = "RTMPS_PULL"
  mode         = "NORM"
  output_mode  = "RTMPS_PULL"
  input_preset = { resolution = "HD", bitrate = "MAX_10_MBPS" }

  input_source_a_wo = "rtmps://encoder.example.com/live/${var.stream_key}"
  urls_wo_version   = 1 # raise it with another URL: this replaces the session

  endpoints_in_state = false
}
