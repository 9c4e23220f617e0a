# terraform query -generate-config-out=sessions.tf
list "vodlive_live_session" "ready" {
  provider         = vodlive
  limit            = 500
  include_resource = true

  config {
    region   = "eu-central-1"
    statuses = ["READY"]
  }
}
