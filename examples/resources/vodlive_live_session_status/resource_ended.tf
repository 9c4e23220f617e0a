variable "session_id" {
  type = string
}

# Waits until a session has ended.
resource "vodlive_live_session_status" "ended" {
  session_ids     = [var.session_id]
  wait_for_status = ["STOPPED", "TERMINATED"]

  timeouts = {
    create = "6h"
  }
}
