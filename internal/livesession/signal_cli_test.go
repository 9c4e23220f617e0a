//go:build unix

package livesession_test

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestSignalToTheGroupWithTheCLI sends a signal to the process group of the CLI, as a terminal,
// timeout and systemd do: the provider does not end before the CLI has saved the session. One comes
// while the create request is on the wire.
func TestSignalToTheGroupWithTheCLI(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		signal syscall.Signal
		onWire bool
	}{
		"SIGTERM while it waits":   {syscall.SIGTERM, false},
		"SIGTERM while it creates": {syscall.SIGTERM, true},
		"SIGINT while it creates":  {syscall.SIGINT, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.Start(t, simulator.Options{ReadyAfter: time.Hour})
			cli := acctest.NewCLI(t, s)
			cli.Config(pushPull())
			var hold *simulator.Hold
			if tt.onWire {
				hold = s.Hold(simulator.CallCreateSession, nil)
			}
			p := cli.Start("apply", "-auto-approve")
			p.Until(func(ctx context.Context) error {
				if tt.onWire {
					return hold.Arrived(ctx, 1)
				}
				return s.Answered(ctx, simulator.CallGetSession, 1)
			})
			if err := syscall.Kill(-p.Pid(), tt.signal); err != nil {
				t.Fatal(err)
			}
			if tt.onWire {
				time.AfterFunc(time.Second, hold.Release)
			}
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

// TestSignalToTheProviderWithTheCLI sends a signal to the provider alone, as a terminal that closes
// may: SIGHUP is as SIGTERM. Only the CLI ends the provider, so the apply ends well.
func TestSignalToTheProviderWithTheCLI(t *testing.T) {
	t.Parallel()
	for name, signal := range map[string]syscall.Signal{"SIGHUP": syscall.SIGHUP, "SIGTERM": syscall.SIGTERM, "SIGINT": syscall.SIGINT} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.Start(t, simulator.Options{})
			cli := acctest.NewCLI(t, s)
			cli.Config(pushPull())
			hold := s.Hold(simulator.CallCreateSession, nil)
			p := cli.Start("apply", "-auto-approve")
			p.Until(func(ctx context.Context) error { return hold.Arrived(ctx, 1) })
			p.SignalProvider(signal)
			time.AfterFunc(time.Second, hold.Release)
			r := p.Wait()
			if checkOneSession(t, s, cli, false); r.Code != 0 {
				t.Error(r.Output)
			}
		})
	}
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
