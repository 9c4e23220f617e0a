# Run with `terraform test`: the provider is mocked, so this needs no account and makes no requests.
mock_provider "vodlive" {}

variables {
  name        = "cup-final"
  region      = "eu-central-1"
  feeds       = ["stadium", "studio"]
  starts_at   = "2040-06-30T18:45:00Z"
  encoders    = { a = "encoder-a.example.com", b = "encoder-b.example.com" }
  edges       = { a = "edge-a.example.com", b = "edge-b.example.com:8443" }
  stream_keys = { stadium = "not-a-real-key", studio = "another-key" }
}

run "each_feed_is_a_session" {
  assert {
    condition     = join(" ", keys(output.sessions)) == "stadium studio"
    error_message = "The sessions are ${jsonencode(keys(output.sessions))}."
  }

  assert {
    condition     = vodlive_live_session.feed["studio"].name == "cup-final-studio"
    error_message = "The session is called ${vodlive_live_session.feed["studio"].name}."
  }

  assert {
    condition     = nonsensitive(vodlive_live_session.feed["studio"].output_destination_b) == "rtmps://edge-b.example.com:8443/live/another-key"
    error_message = "The backup pipeline sends the stream elsewhere."
  }
}

run "starts_when_asked" {
  command = plan

  assert {
    condition     = vodlive_live_session.feed["stadium"].scheduled_at == "2040-06-30 20:45"
    error_message = "The event is scheduled at ${vodlive_live_session.feed["stadium"].scheduled_at} in Europe/Berlin."
  }
}

run "another_time_zone_is_the_same_moment" {
  command = plan

  variables {
    timezone = "America/New_York"
  }

  assert {
    condition     = output.schedule == "2040-06-30 14:45 America/New_York"
    error_message = "The start is ${output.schedule}."
  }
}

run "starts_at_once_by_default" {
  command = plan

  variables {
    starts_at = null
  }

  assert {
    condition     = !vodlive_live_session.feed["stadium"].is_scheduled && output.schedule == null
    error_message = "The event is scheduled."
  }
}

run "one_pipeline" {
  command = plan

  variables {
    backup   = false
    encoders = { a = "encoder.example.com" }
    edges    = null
  }

  assert {
    condition     = vodlive_live_session.feed["stadium"].mode == "NORM" && nonsensitive(vodlive_live_session.feed["stadium"].input_source_b) == null
    error_message = "There is a backup pipeline."
  }

  assert {
    condition     = vodlive_live_session.feed["stadium"].output_mode == "RTMPS_PULL"
    error_message = "Without edges, players fetch the stream."
  }
}

run "backup_without_a_second_encoder" {
  command = plan

  variables {
    encoders = { a = "encoder.example.com" }
  }

  expect_failures = [vodlive_live_session.feed]
}

run "feed_without_a_stream_key" {
  command = plan

  variables {
    stream_keys = { stadium = "not-a-real-key" }
  }

  expect_failures = [vodlive_live_session.feed]
}

run "wrong_values" {
  command = plan

  variables {
    name      = " "
    feeds     = ["Studio 1"]
    starts_at = "tomorrow"
    encoders  = { a = "rtmps://encoder.example.com", b = "encoder.example.com" }
    edges     = { a = "edge.example.com/live", b = "edge.example.com" }
    preset    = { resolution = "8K", bitrate = "MAX_20_MBPS" }
  }

  expect_failures = [var.name, var.feeds, var.starts_at, var.encoders, var.edges, var.preset]
}
