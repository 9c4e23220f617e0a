# The configuration for `make demo`: an upload, a batch job on it, and a session.
terraform {
  required_version = ">= 1.5"

  required_providers {
    vodlive = {
      source = "vodlive/vodlive"
    }
  }
}

# Addresses and credentials come from environment variables, which `make simulator` prints.
provider "vodlive" {}

variable "media" {
  description = "Path of the media file to upload."
  type        = string
}

variable "region" {
  description = "Region of the session: one of the output regions."
  type        = string
  default     = "eu-central-1"
}

data "vodlive_regions" "available" {}

# An encoder pushes the stream, players pull it. The create ends when the session is ready.
resource "vodlive_live_session" "studio" {
  name        = "demo-studio"
  region      = var.region
  input       = "RTMP_PUSH"
  mode        = "NORM"
  output_mode = "RTMP_PULL"

  input_preset = {
    resolution = "FULL_HD"
    bitrate    = "MAX_10_MBPS"
  }
}

# Files above 16 MiB are sent in parts.
resource "vodlive_media_upload" "promo" {
  source = var.media
}

resource "vodlive_batch_job" "promo" {
  paths         = [vodlive_media_upload.promo.key_path]
  service_modes = ["video_optimizer"]
}
