provider "vodlive" {
  max_retries = 0
}
resource "vodlive_live_session" "match" {
  name                 = "match"
  region               = "eu-central-1"
  input                = "RTMP_PULL"
  mode                 = "HA"
  output_mode          = "RTMPS_PUSH"
  input_preset         = { codec = "H264", resolution = "HD", bitrate = "MAX_10_MBPS" }
  input_source_a       = "rtmp://a.example.com/in/1"
  input_source_b       = "rtmp://b.example.com/in/2"
  output_destination_a = "rtmps://a.example.com/out/1"
  output_destination_b = "rtmps://b.example.com/out/2"
  enable_input_record  = true
  is_scheduled         = true
  timezone             = "Europe/Berlin"
  scheduled_at         = "2031-05-17 20:15"
}
