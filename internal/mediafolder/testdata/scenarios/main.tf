provider "vodlive" {
  max_retries = 0
}
resource "vodlive_media_folder" "files" {
  source_dir = folder
}
