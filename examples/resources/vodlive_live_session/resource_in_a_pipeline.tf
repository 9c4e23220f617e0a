variable "stream_key" {
  type      = string
  sensitive = true
}

# Two pipelines fetch the stream from encoders and record it.
resource "vodlive_live_session" "final" {
  name        = "cup-final"
  region      = "eu-central-1"
  input       = "RTMPS_PULL"
  mode        = "HA"
  output_mode = "RTMPS_PULL"

  input_preset = {
    resolution = "FULL_HD"
    bitrate    = "MAX_20_MBPS"
  }

  input_source_a = "rtmps://encoder-a.example.com/live/${var.stream_key}"
  input_source_b = "rtmps://encoder-b.example.com/live/${var.stream_key}"

  enable_input_record = true

  is_scheduled = true
  timezone     = "Europe/Berlin"
  scheduled_at = "2040-06-30 20:45"

  # A session of a run that was killed, or of a change that is taken back, is used again.
  on_existing = "use"

  lifecycle {
    create_before_destroy = true
  }
}
