output "sessions" {
  description = "Id and status of each feed's session."
  value       = { for name, feed in vodlive_live_session.feed : name => { id = feed.id, status = feed.status } }
}

output "schedule" {
  description = "Start of the event, as sent to the service. Null without starts_at."
  value       = local.scheduled ? "${local.scheduled_at} ${var.timezone}" : null
}

output "firewall" {
  description = "IP addresses allocated to the sessions; the service documents no direction. Empty until they are allocated."
  value = sort(distinct(compact(flatten([
    for feed in vodlive_live_session.feed : [feed.elastic_ip_a, feed.elastic_ip_b]
  ]))))
}

output "ingest" {
  description = "Server and stream key to enter in the encoders of each feed, of the main and the backup pipeline. Empty with var.encoders."
  sensitive   = true
  value = var.encoders != null ? {} : {
    for name, feed in vodlive_live_session.feed : name => [
      for endpoint in compact([feed.input_endpoint_a, feed.input_endpoint_b]) : provider::vodlive::parse_rtmp_url(endpoint)
    ]
  }
}

output "playback" {
  description = "URLs from which players fetch each feed, of the main and the backup pipeline. Empty with var.edges."
  sensitive   = true
  value = var.edges != null ? {} : {
    for name, feed in vodlive_live_session.feed : name => compact([feed.output_endpoint_a, feed.output_endpoint_b])
  }
}
