terraform {
  required_providers {
    vodlive = {
      source = "vodlive/vodlive"
    }
  }
}

# Each half of the service is configured on its own: live sessions, and uploads with batch jobs.
# Every value may come from the environment instead (VODLIVE_BASE_URL and so on); then the block stays empty.
provider "vodlive" {
  # Live sessions
  base_url        = "https://live.example.com"
  access_token_id = var.access_token_id
  secret_key      = var.secret_key

  # Uploads and batch jobs
  vod_base_url  = "https://vod.example.com"
  id_token_file = "/run/secrets/vodlive-id-token"
}

variable "access_token_id" {
  type      = string
  sensitive = true
}

variable "secret_key" {
  type      = string
  sensitive = true
}
