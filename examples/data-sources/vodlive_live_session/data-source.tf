variable "session_id" {
  type = string
}

data "vodlive_live_session" "studio" {
  id = var.session_id
}

output "status" {
  value = data.vodlive_live_session.studio.status
}
