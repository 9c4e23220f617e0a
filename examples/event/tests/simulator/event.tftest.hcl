# Applies the module to the simulated service: run `make simulator` in the provider's repository, and then
# `terraform test -test-directory=tests/simulator`. The address and the credentials are those of the simulator.
provider "vodlive" {
  base_url        = "http://127.0.0.1:8080"
  access_token_id = "simulator-access-token-id"
  secret_key      = "simulator-secret-key"
}

variables {
  name      = "cup-final"
  region    = "eu-central-1"
  feeds     = ["stadium", "studio"]
  starts_at = null # at once
  encoders  = null # the encoders send the streams to the service
  edges     = null # players fetch them there
}

run "ready_at_once" {
  assert {
    condition     = alltrue([for session in output.sessions : session.status == "READY"])
    error_message = "The sessions are ${jsonencode(output.sessions)}."
  }

  assert {
    condition     = length(output.firewall) == 4
    error_message = "The addresses are ${jsonencode(output.firewall)}."
  }

  assert {
    condition     = length(output.ingest["studio"]) == 2 && nonsensitive(startswith(output.ingest["studio"][0].server_url, "rtmps://"))
    error_message = "The encoders of the studio have no server."
  }

  assert {
    condition     = length(nonsensitive(output.playback["stadium"])) == 2
    error_message = "The stadium has no URLs for players."
  }
}

run "one_more_feed" {
  variables {
    feeds = ["stadium", "studio", "interview"]
  }

  assert {
    condition     = length(output.sessions) == 3 && output.sessions["interview"].status == "READY"
    error_message = "The sessions are ${jsonencode(output.sessions)}."
  }
}

run "scheduled" {
  variables {
    starts_at = "2940-06-30T18:45:00Z"
  }

  assert {
    condition     = alltrue([for session in output.sessions : session.status == "SCHEDULED"])
    error_message = "The sessions are ${jsonencode(output.sessions)}."
  }
}
