# A scheduled event with a backup: two pipelines fetch the stream, record it and send it to two destinations.
terraform {
  required_version = ">= 1.8" # for the functions

  required_providers {
    vodlive = {
      source = "vodlive/vodlive"
    }
  }
}

provider "vodlive" {}

locals {
  # The service expects the start as a local time in a time zone.
  scheduled_at = provider::vodlive::schedule(var.starts_at, var.timezone)
}

resource "vodlive_live_session" "event" {
  name        = var.name
  region      = var.region
  mode        = "HA"
  input       = "RTMPS_PULL"
  output_mode = "RTMPS_PUSH"

  input_preset = {
    resolution = "FULL_HD"
    bitrate    = "MAX_20_MBPS"
  }

  input_source_a = "rtmps://${var.encoders.a}/live/${var.stream_key}"
  input_source_b = "rtmps://${var.encoders.b}/live/${var.stream_key}"

  output_destination_a = "rtmps://${var.edges.a}/live/${var.stream_key}"
  output_destination_b = "rtmps://${var.edges.b}/live/${var.stream_key}"

  enable_input_record = true

  is_scheduled = true
  timezone     = var.timezone
  scheduled_at = local.scheduled_at

  lifecycle {
    # Terraform cannot stop a session: after a replacement the old session would keep running.
    prevent_destroy = true
  }
}
