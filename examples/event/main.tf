# A live event: a session for each feed, all with the same settings.
locals {
  scheduled = var.starts_at != null

  # The service expects the start as a local time in a time zone.
  scheduled_at = local.scheduled ? provider::vodlive::format_scheduled_at(var.starts_at, var.timezone) : null
}

resource "vodlive_live_session" "feed" {
  for_each = var.feeds

  name        = "${var.name}-${each.key}"
  region      = var.region
  mode        = var.backup ? "HA" : "NORM"
  input       = var.encoders == null ? "RTMPS_PUSH" : "RTMPS_PULL"
  output_mode = var.edges == null ? "RTMPS_PULL" : "RTMPS_PUSH"

  input_preset = var.preset

  input_source_a = var.encoders == null ? null : "rtmps://${var.encoders.a}/live/${var.stream_keys[each.key]}"
  input_source_b = var.encoders == null || !var.backup ? null : "rtmps://${var.encoders.b}/live/${var.stream_keys[each.key]}"

  output_destination_a = var.edges == null ? null : "rtmps://${var.edges.a}/live/${var.stream_keys[each.key]}"
  output_destination_b = var.edges == null || !var.backup ? null : "rtmps://${var.edges.b}/live/${var.stream_keys[each.key]}"

  enable_input_record = var.record

  is_scheduled = local.scheduled
  timezone     = local.scheduled ? var.timezone : null
  scheduled_at = local.scheduled_at

  # A session of a run that was killed, or of a change that is taken back, is used again.
  on_existing = "use"

  timeouts = {
    create = var.wait
  }

  lifecycle {
    create_before_destroy = true

    precondition {
      condition     = !var.backup || try(var.encoders.b != null, true) && try(var.edges.b != null, true)
      error_message = "With backup = true, encoders and edges need a host b."
    }
    precondition {
      condition     = var.encoders == null && var.edges == null || contains(keys(var.stream_keys), each.key)
      error_message = "stream_keys has no key for the feed ${each.key}."
    }
  }
}
