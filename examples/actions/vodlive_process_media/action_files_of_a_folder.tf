# Uploads all media files of a folder and submits one batch job on them:
#   terraform apply -invoke=action.vodlive_process_media.clips
action "vodlive_process_media" "clips" {
  config {
    source_dir    = "media"
    include       = ["**/*.{mp4,mov,mxf}"]
    service_modes = ["video_optimizer"]
  }
}
