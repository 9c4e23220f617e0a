resource "vodlive_media_upload" "promo" {
  source = "${path.module}/media/promo.mp4"
}

resource "vodlive_batch_job" "promo" {
  paths         = [vodlive_media_upload.promo.key_path]
  service_modes = ["video_optimizer"]

  # Change a value to submit the same paths again.
  triggers = {
    run = "1"
  }
}
