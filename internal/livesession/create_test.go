package livesession_test

import (
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// applied is what an apply that creates a session leaves behind.
type applied struct {
	failed, state, tainted bool // state: the session is in the state

	id   any // in the state
	text string
}

func result(o acctest.Instance, diags acctest.Diagnostics) applied {
	return applied{diags.Failed(), o.Exists(), o.Tainted, o.Attrs()["id"], diags.String()}
}

// ended is what a create has to leave behind.
type ended struct {
	failed   bool
	state    bool // the session is in the state
	tainted  bool
	sessions int      // in the service
	creates  int      // requests
	texts    []string // in the output; {id} is that of the service's last session
	not      []string // not in it
}

func (e ended) check(t *testing.T, s *acctest.Server, got applied) {
	t.Helper()
	if got.failed != e.failed {
		t.Fatalf("failed %v, want %v:\n%s", got.failed, e.failed, got.text)
	}
	sessions := s.Sessions()
	if len(sessions) != e.sessions {
		t.Errorf("the service has %d sessions, want %d", len(sessions), e.sessions)
	}
	s.AssertCalls(t, simulator.CallCreateSession, e.creates)
	id := ""
	if len(sessions) > 0 {
		id = sessions[len(sessions)-1].ID
	}
	if got.state != e.state || got.tainted != e.tainted {
		t.Errorf("in state %v, tainted %v; want %v, %v", got.state, got.tainted, e.state, e.tainted)
	}
	if got.state && got.id != id {
		t.Errorf("the state has session %v, the service %s", got.id, id)
	}
	for _, text := range e.texts {
		if text = strings.ReplaceAll(text, "{id}", id); !strings.Contains(got.text, text) {
			t.Errorf("the output lacks %q:\n%s", text, got.text)
		}
	}
	for _, text := range e.not {
		if text = strings.ReplaceAll(text, "{id}", id); strings.Contains(got.text, text) {
			t.Errorf("the output has %q:\n%s", text, got.text)
		}
	}
}
