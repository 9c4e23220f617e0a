resource "vodlive_media_folder" "clips" {
  source_dir = "media"
  include    = ["**/*.{mp4,mov,mxf}"]
  exclude    = ["drafts/**"]
}

# A job for each file. When a file changes, only its job is submitted again.
resource "vodlive_batch_job" "clip" {
  for_each = vodlive_media_folder.clips.files

  paths         = [each.value]
  service_modes = ["video_optimizer"]
}
