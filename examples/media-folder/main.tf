# Uploads every media file of a folder and processes all of them in one batch job. The next apply uploads new and changed
# files only, and submits a new batch job.
terraform {
  required_version = ">= 1.5"

  required_providers {
    vodlive = {
      source = "vodlive/vodlive"
    }
  }
}

provider "vodlive" {}

variable "folder" {
  description = "Folder with the media files."
  type        = string
}

variable "pattern" {
  description = "Pattern of the files to upload."
  type        = string
  default     = "**/*.{mp4,mov,mxf}"
}

variable "service_modes" {
  description = "Processing modes of the batch job."
  type        = list(string)
  default     = ["video_optimizer"]
}

resource "vodlive_media_upload" "clip" {
  for_each = fileset(var.folder, var.pattern)

  source = "${var.folder}/${each.value}"
}

resource "vodlive_batch_job" "clips" {
  # Without files, no job is submitted.
  count = length(vodlive_media_upload.clip) > 0 ? 1 : 0

  paths         = [for clip in vodlive_media_upload.clip : clip.key_path]
  service_modes = var.service_modes
}

output "key_paths" {
  description = "Key path of each file."
  value       = { for name, clip in vodlive_media_upload.clip : name => clip.key_path }
}

output "bytes" {
  description = "Total size of the stored files in bytes."
  value       = sum(concat([0], [for clip in vodlive_media_upload.clip : clip.size]))
}
