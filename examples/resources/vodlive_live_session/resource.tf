# An encoder pushes the stream, players pull it.
resource "vodlive_live_session" "studio" {
  name        = "studio-1"
  region      = "eu-central-1" # a literal or a variable: another region is another session
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
