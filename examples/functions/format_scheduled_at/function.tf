output "scheduled_at" {
  value = provider::vodlive::format_scheduled_at("2040-06-30T18:45:00Z", "Europe/Berlin")
}

# scheduled_at = "2040-06-30 20:45"
