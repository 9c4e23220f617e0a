provider "vodlive" {
  max_retries        = 0
  upload_concurrency = 1
}
resource "vodlive_media_upload" "file" {
  source    = "${folder}/media.mp4"
  method    = "multipart"
  part_size = 5242880
}
