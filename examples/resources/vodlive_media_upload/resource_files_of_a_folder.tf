# One resource per MP4 file of a folder.
resource "vodlive_media_upload" "clip" {
  for_each = fileset("${path.module}/media", "*.mp4")

  source = "${path.module}/media/${each.value}"
}
