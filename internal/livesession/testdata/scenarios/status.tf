provider "vodlive" {
  max_retries = 0
}
resource "vodlive_live_session_status" "ready" {
  session_ids = ["s1", "s2"]
}
