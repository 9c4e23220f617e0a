# An encoder pushes the stream, players pull it.
resource "vodlive_live_session" "studio" {
  name        = "studio-1"
  region      = "eu-central-1"
  input       = "RTMP_PUSH"
  mode        = "NORM"
  output_mode = "RTMP_PULL"

  input_preset = {
    resolution = "FULL_HD"
    bitrate    = "MAX_10_MBPS"
  }
}

# The URL for the encoder, with the stream key
output "ingest" {
  value     = vodlive_live_session.studio.input_endpoint_a
  sensitive = true
}

# Both are null until the service has allocated them: with wait_for_status = [], until a later refresh.
output "address" {
  value = {
    ip   = vodlive_live_session.studio.elastic_ip_a
    port = vodlive_live_session.studio.port
  }
}
