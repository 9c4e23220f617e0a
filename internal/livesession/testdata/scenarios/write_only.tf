provider "vodlive" {
  max_retries            = 0
  skip_region_validation = true
}
resource "vodlive_live_session" "match" {
  name                    = "match"
  region                  = "eu-central-1"
  input                   = "RTMP_PULL"
  mode                    = "HA"
  output_mode             = "RTMPS_PUSH"
  input_preset            = { resolution = "HD", bitrate = "MAX_10_MBPS" }
  input_source_a_wo       = "rtmp://a.example.com/in/Key-of-source-a"
  input_source_b_wo       = "rtmp://b.example.com/in/Key-of-source-b"
  output_destination_a_wo = "rtmps://a.example.com/out/Key-of-destination-a"
  output_destination_b_wo = "rtmps://b.example.com/out/Key-of-destination-b"
  urls_wo_version         = 1
}
