# What `make demo` applies: everything that a configuration of this provider goes through, once.
terraform {
  required_version = ">= 1.5"

  required_providers {
    vodlive = {
      source = "vodlive/vodlive"
    }
  }
}

# Addresses and credentials come from the environment: `make simulator` prints the lines that set it.
provider "vodlive" {}

variable "media" {
  description = "Path of the media file to upload."
  type        = string
}

data "vodlive_regions" "available" {}

# An encoder pushes, players pull. The resource is created when the session can be used.
resource "vodlive_live_session" "studio" {
  name        = "demo-studio"
  region      = data.vodlive_regions.available.names[0]
  input       = "RTMP_PUSH"
  mode        = "NORM"
  output_mode = "RTMP_PULL"

  input_preset = {
    resolution = "FULL_HD"
    bitrate    = "MAX_10_MBPS"
  }

  wait_for_status = ["READY"]

  timeouts = {
    create = "10m"
  }
}

# method and part_size are stated to show several parts at work; the defaults send a file of this size in one request.
resource "vodlive_media_upload" "promo" {
  source    = var.media
  method    = "multipart"
  part_size = 8 * 1024 * 1024
}

resource "vodlive_batch_job" "promo" {
  paths         = [vodlive_media_upload.promo.key_path]
  service_modes = ["video_optimizer"]
}
