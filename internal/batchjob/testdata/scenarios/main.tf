resource "vodlive_batch_job" "job" {
  paths         = [stored.one]
  service_modes = ["video_optimizer"]
}
