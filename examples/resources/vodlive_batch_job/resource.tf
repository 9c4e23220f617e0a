resource "vodlive_media_upload" "promo" {
  source = "${path.module}/media/promo.mp4"
}

resource "vodlive_batch_job" "promo" {
  paths         = [vodlive_media_upload.promo.key_path]
  service_modes = ["video_optimizer"]

  # A change of a value here submits the same paths once more.
  triggers = {
    run = "1"
  }
}
