variable "stream_key" {
  type      = string
  ephemeral = true # Terraform and OpenTofu from 1.11 on
}

# The state does not have the write-only URL. Raise the version when the URL changes: this replaces the session.
resource "vodlive_live_session" "relay" {
  name         = "relay"
  region       = "eu-central-1"
  input        = "RTMPS_PULL"
  mode         = "NORM"
  output_mode  = "RTMP_PULL"
  input_preset = { resolution = "HD", bitrate = "MAX_10_MBPS" }

  input_source_a_wo = "rtmps://encoder.example.com/live/${var.stream_key}"
  urls_wo_version   = 1
}
