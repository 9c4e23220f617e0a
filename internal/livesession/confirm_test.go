package livesession_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// unreadable has every GET of a session answer 404 for so long from now on.
func unreadable(w *acctest.World, d time.Duration) {
	until := time.Now().Add(d)
	w.Fail(simulator.Fault{
		Call: simulator.CallGetSession, Status: http.StatusNotFound,
		Match: func(*http.Request) bool { return time.Now().Before(until) },
	})
}

// TestCreateEndsWithAGet: whatever is waited for, a create is not over before a GET has shown the
// session.
func TestCreateEndsWithAGet(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		config   config
		creates  int // at once
		late     time.Duration
		failed   bool
		at, most time.Duration
	}{
		"no waiting":                        {config: config{"wait_for_status": []any{}}, creates: 1},
		"no waiting, late":                  {config: config{"wait_for_status": []any{}}, creates: 1, late: 20 * time.Second, at: 20 * time.Second, most: 35 * time.Second},
		"listed with its status first":      {creates: 5, late: 20 * time.Second, at: 20 * time.Second, most: 35 * time.Second},
		"no waiting, never":                 {config: config{"wait_for_status": []any{}}, creates: 1, late: time.Hour, failed: true, at: 30 * time.Second, most: 45 * time.Second},
		"listed with its status, but never": {creates: 5, late: time.Hour, failed: true, at: 30 * time.Second, most: 45 * time.Second},
	}
	for name, tt := range tests {
		bubble.Run(t, name, func(t *testing.T) {
			w := acctest.NewWorld(t, simulator.Options{StatusPath: []string{"READY"}})
			unreadable(w, tt.late)
			d, start := w.Provider(once), time.Now()
			var creates sync.WaitGroup
			for range tt.creates {
				creates.Go(func() {
					o, diags := d.Create(resourceType, base().With(tt.config))
					if took := time.Since(start); took < tt.at || took > tt.most {
						t.Errorf("the create took %v, want %v to %v", took, tt.at, tt.most)
					}
					text := diags.String()
					if failed := strings.Contains(text, "error : The new live session cannot be read"); failed != tt.failed {
						t.Errorf("failed %v, want %v:\n%s", failed, tt.failed, text)
					}
					if o.Text("id") == "" {
						t.Error("the session is not in the state")
					}
				})
			}
			creates.Wait()
		})
	}
}

// TestOlderPageDoesNotOverwriteTheLastRead: another reader listed the account while the session was
// not ready. The addresses come from a page that is as new as the status.
func TestOlderPageDoesNotOverwriteTheLastRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{ReadyAfter: 8 * time.Second, LateAllocation: true})
		p := w.Provider(once)
		time.AfterFunc(time.Second, func() { _, _ = p.DataSource("vodlive_live_sessions", nil) })
		o, diags := p.Create(resourceType, base())
		diags.Must(t)
		if o.Text("status") != "READY" || o.Text("elastic_ip_a") == "" {
			t.Errorf("status %s, address %q", o.Text("status"), o.Text("elastic_ip_a"))
		}
	})
}
