provider "vodlive" {
  max_retries            = 0
  skip_region_validation = true
}
resource "vodlive_live_session" "match" {
  name         = "match"
  region       = "eu-central-1"
  input        = "RTMP_PUSH"
  mode         = "NORM"
  output_mode  = "RTMP_PULL"
  input_preset = { resolution = "HD", bitrate = "MAX_10_MBPS" }
}
