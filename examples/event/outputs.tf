output "session" {
  description = "Id of the session."
  value       = vodlive_live_session.event.id
}

output "schedule" {
  description = "When it starts: as the service was told, and in UTC, read back from that."
  value = {
    local = "${local.scheduled_at} ${var.timezone}"
    utc   = provider::vodlive::schedule_utc(local.scheduled_at, var.timezone)
  }
}

output "firewall" {
  description = "Addresses that the encoders have to let in."
  value = [
    vodlive_live_session.event.elastic_ip_a,
    vodlive_live_session.event.elastic_ip_b,
  ]
}
