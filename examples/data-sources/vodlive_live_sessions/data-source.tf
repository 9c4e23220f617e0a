data "vodlive_live_sessions" "ready" {
  region     = "eu-central-1"
  statuses   = ["READY"]
  name_regex = "^studio-"
}

# IP addresses for a firewall rule.
output "addresses" {
  value = distinct(compact(flatten([
    for s in data.vodlive_live_sessions.ready.sessions : [s.elastic_ip_a, s.elastic_ip_b]
  ])))
}

# The URLs carry stream keys, so they are apart from the sessions.
output "ingest" {
  value     = { for s in data.vodlive_live_sessions.ready.sessions : s.name => data.vodlive_live_sessions.ready.urls[s.id].input_endpoint_a }
  sensitive = true
}
