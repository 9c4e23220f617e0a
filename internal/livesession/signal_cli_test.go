//go:build unix

package livesession_test

import (
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestSignalToTheGroupWithTheCLI sends a signal to the process group of the CLI, as a terminal,
// timeout and systemd do: the provider does not end before the CLI has saved the session. A call
// is on the wire meanwhile.
func TestSignalToTheGroupWithTheCLI(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		signal syscall.Signal
		during string // the call that is on the wire
	}{
		"SIGTERM while it waits":   {syscall.SIGTERM, simulator.CallGetSession},
		"SIGTERM while it creates": {syscall.SIGTERM, simulator.CallCreateSession},
		"SIGINT while it creates":  {syscall.SIGINT, simulator.CallCreateSession},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.Start(t, simulator.Options{ReadyAfter: time.Hour})
			cli := acctest.NewCLI(t, s)
			cli.Config(pushPull())
			arrived, release := hold(t, s, tt.during)
			p := cli.Start("apply", "-auto-approve")
			p.Until(arrived)
			must.Succeed(t, syscall.Kill(-p.Pid(), tt.signal))
			time.AfterFunc(time.Second, release)
			r := p.Wait()
			if checkOneSession(t, s, cli, true); !strings.Contains(r.Flat(), "Waiting for the live session was interrupted") {
				t.Error(r.Output)
			}
			s.SetStatus(s.Sessions()[0].ID, "READY")
			if next := cli.Must("apply", "-auto-approve").Flat(); !strings.Contains(next, "is used and nothing was created") {
				t.Errorf("the next apply:\n%s", next)
			}
			checkOneSession(t, s, cli, false)
		})
	}
}

// hold holds the next request of a call. The event is its arrival; it goes on after release, or at
// the end of the test.
func hold(t *testing.T, s *acctest.Server, call string) (arrived <-chan struct{}, release func()) {
	t.Helper()
	event, released := make(chan struct{}), make(chan struct{})
	arrive, release := sync.OnceFunc(func() { close(event) }), sync.OnceFunc(func() { close(released) })
	s.Hook(call, func(*http.Request) {
		arrive()
		<-released
	})
	t.Cleanup(release)
	return event, release
}

// checkOneSession fails the test unless one session was asked for and made, and the state has it.
func checkOneSession(t *testing.T, s *acctest.Server, cli *acctest.CLI, tainted bool) {
	t.Helper()
	s.AssertCalls(t, simulator.CallCreateSession, 1)
	sessions, state := s.Sessions(), cli.State()[address]
	if len(sessions) != 1 || state.Values["id"] != sessions[0].ID || state.Tainted != tainted {
		t.Errorf("the service has %v, the state %v", sessions, state)
	}
}
