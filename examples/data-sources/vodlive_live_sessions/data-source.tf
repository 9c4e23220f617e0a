data "vodlive_live_sessions" "ready" {
  region     = "eu-central-1"
  statuses   = ["READY"]
  name_regex = "^studio-"

  include_urls = true
}

# The addresses that the service allocated to the sessions.
output "addresses" {
  value = distinct(compact(flatten([
    for s in data.vodlive_live_sessions.ready.sessions : [s.elastic_ip_a, s.elastic_ip_b]
  ])))
}

# The URLs carry stream keys, so they are apart from the sessions, and only there with include_urls.
output "ingest" {
  value     = { for id, urls in data.vodlive_live_sessions.ready.urls : id => urls.input_endpoint_a }
  sensitive = true
}
