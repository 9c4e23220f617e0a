# A presigned URL to which another tool uploads the file. Neither the plan nor the state contains it.
ephemeral "vodlive_upload_url" "promo" {
  file_name    = "promo.mp4"
  content_type = "video/mp4"
}

resource "terraform_data" "send" {
  provisioner "local-exec" {
    command = "curl --fail --silent --show-error --header 'Content-Type: video/mp4' --upload-file media/promo.mp4 \"$UPLOAD_URL\""
    environment = {
      UPLOAD_URL = ephemeral.vodlive_upload_url.promo.presigned_url
    }
  }
}
