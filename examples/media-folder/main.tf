# Uploads every media file of a folder and processes each in a batch job of its own. The next apply uploads and processes
# new and changed files only.
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
  description = "Processing modes of the batch jobs."
  type        = list(string)
  default     = ["video_optimizer"]
}

resource "vodlive_media_folder" "clips" {
  source_dir = var.folder
  include    = var.include
}

resource "vodlive_batch_job" "clip" {
  for_each = vodlive_media_folder.clips.files

  paths         = [each.value]
  service_modes = var.service_modes
}

output "key_paths" {
  description = "Key path of each file."
  value       = vodlive_media_folder.clips.files
}

output "bytes" {
  description = "Total size of the stored files in bytes."
  value       = vodlive_media_folder.clips.total_size
}
