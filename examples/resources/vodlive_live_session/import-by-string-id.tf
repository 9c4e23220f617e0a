import {
  to = vodlive_live_session.studio
  id = "0f8fad5b-d9cb-469f-a165-70867728950e"
}
