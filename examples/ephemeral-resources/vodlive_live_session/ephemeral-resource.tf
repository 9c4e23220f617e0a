# The stream keys of this session are in no plan and no state.
resource "vodlive_live_session" "studio" {
  name               = "studio-1"
  region             = "eu-central-1"
  input              = "RTMPS_PUSH"
  mode               = "NORM"
  output_mode        = "RTMPS_PULL"
  input_preset       = { resolution = "FULL_HD", bitrate = "MAX_10_MBPS" }
  endpoints_in_state = false
}

ephemeral "vodlive_live_session" "studio" {
  id = vodlive_live_session.studio.id
}

# A script configures the encoder. A write-only argument of a secrets store takes the endpoint in the same way.
resource "terraform_data" "encoder" {
  triggers_replace = vodlive_live_session.studio.id

  provisioner "local-exec" {
    command     = "umask 077; printf '%s\n' \"$INGEST\" > encoder.url"
    environment = { INGEST = ephemeral.vodlive_live_session.studio.input_endpoint_a }
  }
}
