resource "vodlive_batch_job" "job" {
  paths         = [stored.one]
  service_modes = ["video_optimizer"]
}

action "vodlive_submit_batch_job" "job" {
  config {
    paths         = [stored.one]
    service_modes = ["video_optimizer"]
  }
}
