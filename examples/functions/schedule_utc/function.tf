output "starts" {
  value = provider::vodlive::schedule_utc("2040-06-30 20:45", "Europe/Berlin")
}

# starts = "2040-06-30T18:45:00Z"
