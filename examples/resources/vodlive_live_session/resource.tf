# An encoder pushes the stream in, players pull it out.
resource "vodlive_live_session" "studio" {
  name        = "studio-1"
  region      = "eu-central-1" # one of those that the data source vodlive_regions lists
  input       = "RTMP_PUSH"
  mode        = "NORM"
  output_mode = "RTMP_PULL"

  input_preset = {
    resolution = "FULL_HD"
    bitrate    = "MAX_10_MBPS"
  }
}

# Where the encoder has to send to. The path is a secret: it carries the stream key.
output "ingest" {
  value     = vodlive_live_session.studio.input_endpoint_a
  sensitive = true
}

# For the firewall.
output "address" {
  value = "${vodlive_live_session.studio.elastic_ip_a}:${vodlive_live_session.studio.port}"
}
