package main

import (
	"bufio"
	"io"
	"log"
	"maps"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// helper is the variable that makes this test binary another program: the provider, or a CLI that
// starts it.
const helper = "VODLIVE_TEST_HELPER"

func TestMain(m *testing.M) {
	switch os.Getenv(helper) {
	case "":
		os.Exit(m.Run())
	case "provider":
		main()
	case "cli":
		startProvider()
	}
}

// startProvider starts the provider as a CLI does, prints its handshake, and stays until it is
// killed.
func startProvider() {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helper+"=provider",
		"TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2")
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		log.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		log.Fatal(err)
	}
	handshake, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		log.Fatal(err)
	}
	_, _ = io.WriteString(os.Stdout, handshake)
	_ = cmd.Wait()
}

// TestProviderEndsWithTheCLI: a CLI that is killed cannot end the provider that it started.
func TestProviderEndsWithTheCLI(t *testing.T) {
	t.Parallel()
	// The provider holds the write end of the pipe open for as long as it runs. Nothing else may
	// end it, so the test keeps reading: a program that writes to a pipe without a reader is ended
	// by the system.
	stderr, inherited, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cli := exec.Command(os.Args[0])
	cli.Env = append(os.Environ(), helper+"=cli", "TF_LOG=", "TF_LOG_PROVIDER=")
	cli.Stderr = inherited
	stdout, err := cli.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cli.Start(); err != nil {
		t.Fatal(err)
	}
	_ = inherited.Close()
	handshake, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || !strings.Contains(handshake, "|grpc|") {
		t.Fatalf("handshake %q: %v", handshake, err)
	}

	if err := cli.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cli.Wait()
	if _, err := io.Copy(io.Discard, stderr); err != nil { // returns when the provider has ended
		t.Error(err)
	}
}

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
