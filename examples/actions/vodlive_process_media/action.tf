# Uploads a file and submits a batch job on it, and keeps nothing in the state:
#   terraform apply -invoke=action.vodlive_process_media.promo
action "vodlive_process_media" "promo" {
  config {
    source        = "media/promo.mp4"
    service_modes = ["video_optimizer"]
  }
}
