terraform {
  required_providers {
    vodlive = {
      source  = "vodlive/vodlive"
      version = "~> 0.1.0"
    }
  }
}

# The service has two APIs. Every attribute whose description names an environment variable may come from there instead.
provider "vodlive" {
  # Live sessions. Credentials: VODLIVE_ACCESS_TOKEN_ID and VODLIVE_SECRET_KEY
  base_url = "https://live.example.com"

  # Uploads and batch jobs. The file is read again when the service refuses the token.
  vod_base_url  = "https://vod.example.com"
  id_token_file = "/run/secrets/vodlive-id-token"
}
