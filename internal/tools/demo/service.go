package main

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// service is the simulated service on a free port of loopback. It runs in this process, so that it
// ends with the demo.
type service struct {
	*simulator.Service
	server *httptest.Server
}

// startService starts the service. Sessions are READY two seconds after their creation.
func startService() *service {
	simulated := simulator.New(simulator.Options{ReadyAfter: 2 * time.Second})
	return &service{simulated, httptest.NewServer(simulated)}
}

func (s *service) stop() error {
	s.server.CloseClientConnections()
	s.server.Close()
	return s.Close()
}

func (s *service) environment() []string {
	return []string{
		"VODLIVE_BASE_URL=" + s.server.URL,
		"VODLIVE_VOD_BASE_URL=" + s.server.URL,
		"VODLIVE_ACCESS_TOKEN_ID=" + simulator.DefaultAccessTokenID,
		"VODLIVE_SECRET_KEY=" + simulator.DefaultSecretKey,
		"VODLIVE_ID_TOKEN=" + simulator.DefaultIDToken,
	}
}

// check compares what the service received with the configuration in examples/demo.
func check(r simulator.Report, journal []simulator.Request, want content, version string) error {
	var errs []error
	expect := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	expect(len(r.Sessions) == 1, "%d live sessions were created, want 1", len(r.Sessions))
	for _, s := range r.Sessions {
		expect(s.Status == "READY", "session %s is %s, want READY", s.ID, s.Status)
	}
	expect(len(r.Objects) == 1, "%d objects are stored, want 1", len(r.Objects))
	var paths []string
	for _, o := range r.Objects {
		paths = append(paths, o.KeyPath)
		expect(o.Size == want.size, "%s has %d bytes, the file has %d", o.KeyPath, o.Size, want.size)
		expect(o.SHA256 == want.sha256, "%s has SHA-256 %s, the file has %s", o.KeyPath, o.SHA256, want.sha256)
	}
	expect(len(r.Uploads) == 0, "%d uploads are unfinished", len(r.Uploads))
	expect(len(r.Batches) == 1, "%d batch jobs were submitted, want 1", len(r.Batches))
	for _, b := range r.Batches {
		expect(slices.Equal(b.Paths, paths), "the batch job has the paths %q, want %q", b.Paths, paths)
		expect(slices.Equal(b.ServiceModes, []string{"video_optimizer"}), "the batch job has the modes %q", b.ServiceModes)
	}
	expect(r.StorageRequestsWithCredential == 0, "%d requests to storage carried a credential", r.StorageRequestsWithCredential)
	expect(r.Requests["unknown"] == 0, "%d requests were made to routes that the service does not have", r.Requests["unknown"])
	for _, request := range journal {
		agent := request.Header.Get("User-Agent")
		expect(strings.Contains(agent, "terraform-provider-vodlive/"+version),
			"%s was sent by %q, want terraform-provider-vodlive/%s", request.Call, agent, version)
	}
	return errors.Join(errs...)
}

// checkUnchanged checks that the second plan and destroy changed nothing at the service.
func checkUnchanged(before, after simulator.Report) error {
	unknown := after.Requests["unknown"]
	before.Requests, after.Requests = nil, nil
	if unknown > 0 || !reflect.DeepEqual(before, after) {
		return fmt.Errorf("the second plan or destroy did more than read (%d requests to unknown routes):\nbefore %+v\nafter  %+v", unknown, before, after)
	}
	return nil
}
