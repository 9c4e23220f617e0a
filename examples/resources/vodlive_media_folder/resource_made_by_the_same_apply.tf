resource "terraform_data" "clips" {
  triggers_replace = "version 2"

  provisioner "local-exec" {
    command = "./make-clips.sh clips"
  }
}

# The plan does not look at the folder while the id is unknown.
resource "vodlive_media_folder" "made" {
  source_dir = "clips"
  triggers   = { made = terraform_data.clips.id }
}
