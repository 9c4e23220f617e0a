resource "vodlive_media_folder" "files" {
  source_dir = "${folder}/media"
}

action "vodlive_process_media" "files" {
  config {
    source_dir    = "${folder}/media"
    service_modes = ["video_optimizer"]
  }
}

provider "vodlive" {
  max_retries        = 0
  upload_concurrency = 1
}
