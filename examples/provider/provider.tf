terraform {
  required_providers {
    vodlive = {
      source  = "vodlive/vodlive"
      version = "~> 0.1"
    }
  }
}

# The service has two APIs, each with its own settings: one for live sessions, one for uploads and batch jobs.
# Addresses and credentials may come from environment variables instead (VODLIVE_BASE_URL and so on). The block can then
# be empty.
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
