resource "vodlive_media_upload" "promo" {
  source = "${path.module}/media/promo.mp4"
}

# Batch jobs refer to the file by its key path.
output "key_path" {
  value = vodlive_media_upload.promo.key_path
}
