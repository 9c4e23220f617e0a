# An archive that the same apply makes. The provider reads it again when the archive is made again, and uploads it only if the content changed.
resource "terraform_data" "captions" {
  triggers_replace = [for name in fileset("${path.module}/captions", "*.vtt") : filesha256("${path.module}/captions/${name}")]

  provisioner "local-exec" {
    command = "tar -cf ${path.module}/captions.tar -C ${path.module}/captions ."
  }
}

resource "vodlive_media_upload" "archive" {
  source   = "${path.module}/captions.tar"
  triggers = { made_by = terraform_data.captions.id }
}
