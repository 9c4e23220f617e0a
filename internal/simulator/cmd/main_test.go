package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

func TestOnlyLoopback(t *testing.T) {
	t.Parallel()
	for address, ok := range map[string]bool{
		"127.0.0.1:0": true, "[::1]:8080": true, "localhost:80": true, "127.8.7.6:1": true,
		":8080": false, "0.0.0.0:80": false, "[::]:80": false, "192.0.2.1:80": false, "example.com:80": false, "nonsense": false,
	} {
		_, err := parse([]string{"-listen", address}, io.Discard)
		if (err == nil) != ok {
			t.Errorf("%s: %v", address, err)
		}
	}
	if _, err := parse([]string{"surplus"}, io.Discard); err == nil {
		t.Error("an argument was taken")
	}
}

// TestAddressInUse: the error says what to do.
func TestAddressInUse(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must.Succeed(t, err)
	defer func() { _ = listener.Close() }()
	err = run(t.Context(), []string{"-listen", listener.Addr().String()}, io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "make simulator ARGS='-listen 127.0.0.1:0'") {
		t.Errorf("the error is %v", err)
	}
}

// TestRun uses the program as a person would: exports read from its output, calls made with them,
// and the report asked for.
func TestRun(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	reader, writer := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"-listen", "127.0.0.1:0", "-sessions", "150", "-ready-after", "0"}, writer, io.Discard)
	}()
	environment := map[string]string{}
	for lines := bufio.NewScanner(reader); len(environment) < 5 && lines.Scan(); {
		name, value, ok := strings.Cut(strings.TrimPrefix(lines.Text(), "export "), "=")
		if !ok {
			t.Fatalf("%q", lines.Text())
		}
		environment[name] = value
	}
	base := environment["VODLIVE_BASE_URL"]
	want := map[string]string{
		"VODLIVE_BASE_URL": base, "VODLIVE_VOD_BASE_URL": base, "VODLIVE_ACCESS_TOKEN_ID": simulator.DefaultAccessTokenID,
		"VODLIVE_SECRET_KEY": simulator.DefaultSecretKey, "VODLIVE_ID_TOKEN": simulator.DefaultIDToken,
	}
	if diff := cmp.Diff(want, environment); diff != "" || !strings.HasPrefix(base, "http://127.0.0.1:") {
		t.Error(diff)
	}
	if got := get(t, base+"/live/v1/live-streams/session", true); !strings.Contains(got, "LastEvaluatedKey") {
		t.Errorf("150 sessions, but %s", got)
	}
	if got := get(t, base+"/_simulator/report", false); !strings.Contains(got, "preloaded-00149") || !strings.Contains(got, `"list-sessions": 1`) {
		t.Error(got)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func get(t *testing.T, address string, credentials bool) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	must.Succeed(t, err)
	if credentials {
		r.SetBasicAuth(simulator.DefaultAccessTokenID, simulator.DefaultSecretKey)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(r)
	must.Succeed(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Errorf("%v, status %d", err, response.StatusCode)
	}
	return string(body)
}
