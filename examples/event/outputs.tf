output "session" {
  description = "Id of the session."
  value       = vodlive_live_session.event.id
}

output "schedule" {
  description = "Start of the event: as sent to the service, and converted back to UTC."
  value = {
    local = "${local.scheduled_at} ${var.timezone}"
    utc   = provider::vodlive::schedule_utc(local.scheduled_at, var.timezone)
  }
}

output "firewall" {
  description = "IP addresses to allow in the firewall of the encoders."
  value = [
    vodlive_live_session.event.elastic_ip_a,
    vodlive_live_session.event.elastic_ip_b,
  ]
}
