package providerdata

// StreamPorts are the default ports of the URLs of streams, by scheme.
var StreamPorts = map[string]string{"rtmp": "1935", "rtmps": "443"}
