# Every media file of a folder, uploaded on its own and processed as one batch. A new file, or a changed one, is uploaded
# on the next apply; the others are not touched, and a new batch is submitted.
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
  description = "Which of its files to upload."
  type        = string
  default     = "**/*.{mp4,mov,mxf}"
}

variable "service_modes" {
  description = "What the batch job does with them."
  type        = list(string)
  default     = ["video_optimizer"]
}

resource "vodlive_media_upload" "clip" {
  for_each = fileset(var.folder, var.pattern)

  source = "${var.folder}/${each.value}"
}

resource "vodlive_batch_job" "clips" {
  # Without a file there is nothing to submit.
  count = length(vodlive_media_upload.clip) > 0 ? 1 : 0

  paths         = [for clip in vodlive_media_upload.clip : clip.key_path]
  service_modes = var.service_modes
}

output "key_paths" {
  description = "Where each file of the folder is stored."
  value       = { for name, clip in vodlive_media_upload.clip : name => clip.key_path }
}

output "bytes" {
  description = "How much is stored in all."
  value       = sum(concat([0], [for clip in vodlive_media_upload.clip : clip.size]))
}
