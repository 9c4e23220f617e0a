data "vodlive_live_session" "studio" {
  name = "studio-1"
}

# The address that the service allocated to the session.
output "address" {
  value = data.vodlive_live_session.studio.elastic_ip_a
}
