resource "vodlive_media_folder" "titles" {
  source_dir = "media"
}

# When a file changes, one job is submitted on all of them.
resource "vodlive_batch_job" "titles" {
  paths         = values(vodlive_media_folder.titles.files)
  service_modes = ["video_optimizer"]
}
