resource "vodlive_media_upload" "promo" {
  source = "media/promo.mp4"

  # After each new upload of the file. An update that sends nothing submits a job, too: vodlive_batch_job does not.
  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.vodlive_submit_batch_job.optimize]
    }
  }
}

# From Terraform 1.16 on, write caller.key_path instead: it avoids a warning.
action "vodlive_submit_batch_job" "optimize" {
  config {
    paths         = [vodlive_media_upload.promo.key_path]
    service_modes = ["video_optimizer"]
  }
}
