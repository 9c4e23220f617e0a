package main

import (
	"maps"
	"testing"
)

func TestLogLevels(t *testing.T) {
	t.Parallel()
	all := func(provider, sdk, proto, framework string) map[string]string {
		return map[string]string{
			"TF_LOG_PROVIDER_VODLIVE": provider, "TF_LOG_SDK": sdk, "TF_LOG_SDK_PROTO": proto, "TF_LOG_SDK_FRAMEWORK": framework,
		}
	}
	tests := []struct {
		name string
		env  map[string]string
		want map[string]string
	}{
		{"nobody looks", nil, all("OFF", "OFF", "OFF", "OFF")},
		{"everything", map[string]string{"TF_LOG": "DEBUG"}, all("DEBUG", "DEBUG", "DEBUG", "DEBUG")},
		{"as JSON", map[string]string{"TF_LOG": "json"}, all("TRACE", "TRACE", "TRACE", "TRACE")},
		{"only the CLI", map[string]string{"TF_LOG_CORE": "TRACE"}, all("OFF", "OFF", "OFF", "OFF")},
		{"only providers", map[string]string{"TF_LOG_PROVIDER": "INFO"}, all("INFO", "INFO", "INFO", "INFO")},
		{"providers otherwise", map[string]string{"TF_LOG": "TRACE", "TF_LOG_PROVIDER": "warn"}, all("warn", "warn", "warn", "warn")},
		{"less of the SDK", map[string]string{"TF_LOG": "TRACE", "TF_LOG_SDK": "ERROR"}, all("TRACE", "ERROR", "ERROR", "ERROR")},
		{
			"each by itself",
			map[string]string{"TF_LOG": "TRACE", "TF_LOG_PROVIDER_VODLIVE": "INFO", "TF_LOG_SDK_PROTO": "OFF", "TF_LOG_SDK_FRAMEWORK": "WARN"},
			all("INFO", "TRACE", "OFF", "WARN"),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := logLevels(func(name string) string { return tt.env[name] }); !maps.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
