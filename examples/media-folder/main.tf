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

variable "include" {
  description = "Patterns of the files to upload."
  type        = set(string)
  default     = ["**/*.{mp4,mov,mxf}"]
}

variable "service_modes" {
  description = "Processing modes of the batch job."
  type        = list(string)
  default     = ["video_optimizer"]
}

resource "vodlive_media_folder" "clips" {
  source_dir = var.folder
  include    = var.include
}

resource "vodlive_batch_job" "clips" {
  paths         = [for clip in vodlive_media_folder.clips.files : clip.key_path]
  service_modes = var.service_modes
}

output "key_paths" {
  description = "Key path of each file."
  value       = { for name, clip in vodlive_media_folder.clips.files : name => clip.key_path }
}

output "bytes" {
  description = "Total size of the stored files in bytes."
  value       = vodlive_media_folder.clips.total_size
}
