resource "vodlive_media_upload" "promo" {
  source = "media/promo.mp4"
}

# Once the file is uploaded: terraform apply -invoke=action.vodlive_submit_batch_job.optimize
# If a trigger of the upload runs the action, too, write caller.key_path (from Terraform 1.16 on).
action "vodlive_submit_batch_job" "optimize" {
  config {
    paths         = [vodlive_media_upload.promo.key_path]
    service_modes = ["video_optimizer"]
  }
}
