resource "vodlive_media_upload" "promo" {
  source = "${path.module}/media/promo.mp4"

  # After each new upload of the file
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.vodlive_submit_batch_job.optimize]
    }
  }
}

# Without a trigger: terraform apply -invoke=action.vodlive_submit_batch_job.optimize
action "vodlive_submit_batch_job" "optimize" {
  config {
    paths         = [vodlive_media_upload.promo.key_path]
    service_modes = ["video_optimizer"]
  }
}
