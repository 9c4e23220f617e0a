resource "vodlive_media_upload" "file" {
  content   = "WEBVTT, Grüße"
  file_name = "promo.vtt"
}
