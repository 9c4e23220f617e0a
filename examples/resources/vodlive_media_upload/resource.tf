resource "vodlive_media_upload" "promo" {
  source = "${path.module}/media/promo.mp4"
}

# What a batch job refers to the file by.
output "key_path" {
  value = vodlive_media_upload.promo.key_path
}
