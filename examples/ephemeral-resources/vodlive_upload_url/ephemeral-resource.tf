# A presigned URL to which another tool uploads the file. Neither the plan nor the state contains it.
ephemeral "vodlive_upload_url" "promo" {
  file_name    = "promo.mp4"
  content_type = "video/mp4"
}

resource "terraform_data" "send" {
  # The script records the key path for a later run: key_path is as ephemeral as the URL.
  provisioner "local-exec" {
    command = <<-EOT
      curl --fail --silent --show-error --header 'Content-Type: video/mp4' --upload-file media/promo.mp4 "$UPLOAD_URL" &&
      echo "$KEY_PATH" > promo.key-path
    EOT
    environment = {
      UPLOAD_URL = ephemeral.vodlive_upload_url.promo.presigned_url
      KEY_PATH   = ephemeral.vodlive_upload_url.promo.key_path
    }
  }
}
