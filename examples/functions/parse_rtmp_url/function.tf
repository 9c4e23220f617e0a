output "server" {
  value = provider::vodlive::parse_rtmp_url("rtmp://live.example.com:1935/app/stream-key")
}

# server = {
#   app        = "app"
#   host       = "live.example.com"
#   port       = 1935
#   scheme     = "rtmp"
#   server_url = "rtmp://live.example.com:1935/app"
#   stream_key = "stream-key"
# }
