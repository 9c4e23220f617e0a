# terraform apply -var key_path="$(cat promo.key-path)"
variable "key_path" {
  type = string
}

resource "vodlive_batch_job" "promo" {
  paths         = [var.key_path]
  service_modes = ["video_optimizer"]
}
