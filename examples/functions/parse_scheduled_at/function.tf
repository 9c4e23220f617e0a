output "starts" {
  value = provider::vodlive::parse_scheduled_at("2040-06-30 20:45", "Europe/Berlin")
}

# starts = "2040-06-30T18:45:00Z"
