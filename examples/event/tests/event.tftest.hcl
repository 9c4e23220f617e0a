# Run with terraform test: needs no account and makes no requests. The runs only plan, because a test could not destroy
# a resource with prevent_destroy.
mock_provider "vodlive" {}

variables {
  name       = "cup-final"
  region     = "eu-central-1"
  starts_at  = "2040-06-30T18:45:00Z"
  encoders   = { a = "encoder-a.example.com", b = "encoder-b.example.com" }
  edges      = { a = "edge-a.example.com", b = "edge-b.example.com" }
  stream_key = "not-a-real-key"
}

run "starts_when_asked" {
  command = plan

  assert {
    condition     = vodlive_live_session.event.scheduled_at == "2040-06-30 20:45"
    error_message = "The event is scheduled at ${vodlive_live_session.event.scheduled_at} in Europe/Berlin."
  }

  assert {
    condition     = output.schedule.utc == var.starts_at
    error_message = "In UTC it starts at ${output.schedule.utc}."
  }
}

run "another_time_zone_is_the_same_moment" {
  command = plan

  variables {
    timezone = "America/New_York"
  }

  assert {
    condition     = output.schedule.local == "2040-06-30 14:45 America/New_York" && output.schedule.utc == var.starts_at
    error_message = "The start is ${output.schedule.local}, ${output.schedule.utc}."
  }
}
