provider "vodlive" {
  max_retries        = 0
  upload_concurrency = 1
}
resource "vodlive_media_folder" "files" {
  source_dir = folder
}
