output "sessions" {
  description = "Id and status of each feed's session."
  value = {
    for name, feed in vodlive_live_session.feed : name => {
      id     = feed.id
      status = try(vodlive_live_session_status.feeds.sessions[feed.id].status, null)
    }
  }
}

output "schedule" {
  description = "Start of the event: as sent to the service, and converted back to UTC. Null without starts_at."
  value = local.scheduled ? {
    local = "${local.scheduled_at} ${var.timezone}"
    utc   = provider::vodlive::parse_scheduled_at(local.scheduled_at, var.timezone)
  } : null
}

output "firewall" {
  description = "IP addresses allocated to the sessions; the service documents no direction. Empty until they are allocated."
  value = sort(distinct(compact(flatten([
    for session in vodlive_live_session_status.feeds.sessions : [session.elastic_ip_a, session.elastic_ip_b]
  ]))))
}

output "ingest" {
  description = "Server and stream key to enter in the encoders of each feed, of the main and the backup pipeline. Empty with var.encoders."
  sensitive   = true
  value = var.encoders != null ? {} : {
    for name, feed in vodlive_live_session.feed : name => [
      for endpoint in compact([
        try(vodlive_live_session_status.feeds.urls[feed.id].input_endpoint_a, null),
        try(vodlive_live_session_status.feeds.urls[feed.id].input_endpoint_b, null),
      ]) : provider::vodlive::parse_rtmp_url(endpoint)
    ]
  }
}

output "playback" {
  description = "URLs from which players fetch each feed, of the main and the backup pipeline. Empty with var.edges."
  sensitive   = true
  value = var.edges != null ? {} : {
    for name, feed in vodlive_live_session.feed : name => compact([
      try(vodlive_live_session_status.feeds.urls[feed.id].output_endpoint_a, null),
      try(vodlive_live_session_status.feeds.urls[feed.id].output_endpoint_b, null),
    ])
  }
}
