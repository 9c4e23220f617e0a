data "vodlive_live_sessions" "ready" {
  region     = "eu-central-1"
  status     = "READY"
  name_regex = "^studio-"
}

# IP addresses for a firewall rule.
output "addresses" {
  value = distinct(compact(flatten([
    for s in data.vodlive_live_sessions.ready.sessions : [s.elastic_ip_a, s.elastic_ip_b]
  ])))
}
