terraform import vodlive_live_session.studio 0f8fad5b-d9cb-469f-a165-70867728950e
