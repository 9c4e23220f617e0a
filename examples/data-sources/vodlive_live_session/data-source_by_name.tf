data "vodlive_live_session" "studio" {
  name = "studio-1"
}

# IP address for a firewall rule.
output "address" {
  value = data.vodlive_live_session.studio.elastic_ip_a
}
