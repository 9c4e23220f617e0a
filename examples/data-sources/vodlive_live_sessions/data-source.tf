data "vodlive_live_sessions" "ready" {
  region     = "eu-central-1"
  statuses   = ["READY"]
  name_regex = "^studio-"

  include_urls = true
}

# A session by its name; one() fails if several have it.
output "studio" {
  value = one([for s in data.vodlive_live_sessions.ready.sessions : s.id if s.name == "studio-1"])
}

# The URLs carry stream keys, so they are apart from the sessions, and only there with include_urls.
output "ingest" {
  value     = { for id, urls in data.vodlive_live_sessions.ready.urls : id => urls.input_endpoint_a }
  sensitive = true
}
