# Captions that the configuration makes. A change of the text uploads them again.
resource "vodlive_media_upload" "captions" {
  file_name = "promo.vtt"
  content   = <<-EOT
    WEBVTT

    00:00.000 --> 00:02.000
    Season two, from Friday
  EOT
}
