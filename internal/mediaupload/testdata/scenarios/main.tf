resource "vodlive_media_upload" "file" {
  source = "${folder}/media.mp4"
}
