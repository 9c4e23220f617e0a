package account_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/account"
	"github.com/vodlive/terraform-provider-vodlive/internal/api"
)

func TestPollMoment(t *testing.T) {
	t.Parallel()
	inAccount(t, 1, func(t *testing.T, a *liveAPI, _ *account.Reader) {
		a.latency = 0
		different := map[time.Duration]bool{}
		for range 50 {
			r := a.reader(t) // of another process
			start := time.Now()
			if _, err := r.Poll(t.Context(), "s0", 3*time.Second, 5*time.Second); err != nil {
				t.Fatal(err)
			}
			took := time.Since(start)
			if took < 3*time.Second || took > 5*time.Second {
				t.Fatalf("polled after %v, want 3 s to 5 s", took)
			}
			different[took] = true
		}
		if len(different) < 40 {
			t.Errorf("only %d different moments in 50: there is no jitter", len(different))
		}
	})
}

// TestPollTogether follows ten sessions at once, as an apply does.
func TestPollTogether(t *testing.T) {
	t.Parallel()
	tests := []struct {
		account     int
		gets, lists int // at most, for 20 rounds of ten
	}{
		{account: 90, gets: 10, lists: 25},
		{account: 50_000, gets: 200, lists: 40},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.account), func(t *testing.T) {
			t.Parallel()
			inAccount(t, tt.account, func(t *testing.T, a *liveAPI, r *account.Reader) {
				var group sync.WaitGroup
				for i := range 10 {
					group.Go(func() {
						id := a.ids[len(a.ids)-1-i]
						for range 20 {
							asked := time.Now()
							s, err := r.Poll(t.Context(), id, 9*time.Second, 15*time.Second)
							if err != nil || s.ID() != id {
								t.Errorf("Poll: %v, %v", s, err)
							}
							if d := time.Since(asked); d < 9*time.Second || d > 15*time.Second+11*a.latency {
								t.Errorf("a poll took %v", d)
							}
						}
					})
				}
				group.Wait()
				gets, lists := a.calls()
				t.Logf("%d GETs, %d pages", gets, lists)
				if gets > tt.gets || lists > tt.lists {
					t.Errorf("%d GETs and %d pages, want at most %d and %d", gets, lists, tt.gets, tt.lists)
				}
			})
		})
	}
}

func TestPollSeesWhatIsNew(t *testing.T) {
	t.Parallel()
	inAccount(t, 50, func(t *testing.T, a *liveAPI, r *account.Reader) {
		list(t, r)
		a.set("s1", "STOPPED")
		a.set("s2", "STOPPED")
		var group sync.WaitGroup
		for _, id := range []string{"s1", "s2"} {
			group.Go(func() {
				if s, err := r.Poll(t.Context(), id, time.Second, time.Second); err != nil || s.Status() != "STOPPED" {
					t.Errorf("Poll: %v, %v", s, err)
				}
			})
		}
		group.Wait()
	})
}

func TestPollOfSessionOnNoPage(t *testing.T) {
	t.Parallel()
	inAccount(t, 50, func(t *testing.T, a *liveAPI, r *account.Reader) {
		a.unlisted["new"] = true
		var group sync.WaitGroup
		for id, found := range map[string]bool{"new": true, "gone": false, "s3": true} {
			group.Go(func() {
				s, err := r.Poll(t.Context(), id, time.Second, time.Second)
				if found && (err != nil || s.ID() != id) || !found && !api.NotFound(err) {
					t.Errorf("%s: %v, %v", id, s, err)
				}
			})
		}
		group.Wait()
	})
}

func TestPollCancelled(t *testing.T) {
	t.Parallel()
	inAccount(t, 50, func(t *testing.T, a *liveAPI, r *account.Reader) {
		a.latency, a.pageLatency = 10*time.Second, 10*time.Second
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		for range 3 {
			group.Go(func() {
				if _, err := r.Poll(ctx, "s1", time.Second, time.Second); !errors.Is(err, context.Canceled) {
					t.Errorf("the cancelled poll: %v", err)
				}
			})
		}
		synctest.Wait()
		group.Go(func() {
			if s, err := r.Poll(t.Context(), "s2", time.Second, time.Second); err != nil || s.ID() != "s2" {
				t.Errorf("a poll beside cancelled ones: %v, %v", s, err)
			}
		})
		time.Sleep(2 * time.Second) // a page is under way for all of them
		start := time.Now()
		cancel()
		synctest.Wait()
		if time.Since(start) != 0 {
			t.Error("cancelling takes time")
		}
		group.Wait()
	})
}

// TestPollBesideHangingListing: a poll that waits for pages sends a GET after 5 seconds.
func TestPollBesideHangingListing(t *testing.T) {
	t.Parallel()
	inAccount(t, 50, func(t *testing.T, a *liveAPI, r *account.Reader) {
		a.pageLatency = time.Hour
		var group sync.WaitGroup
		for i := range 8 {
			group.Go(func() {
				start := time.Now()
				if s, err := r.Poll(t.Context(), a.ids[i], time.Second, 2*time.Second); err != nil || s.ID() != a.ids[i] {
					t.Errorf("Poll: %v, %v", s, err)
				}
				if took := time.Since(start); took > 7*time.Second+a.latency {
					t.Errorf("a poll took %v", took)
				}
			})
		}
		group.Wait()
	})
}

func TestPollWithoutListing(t *testing.T) {
	t.Parallel()
	inAccount(t, 50, func(t *testing.T, a *liveAPI, r *account.Reader) {
		a.fail = func(r *http.Request) *http.Response {
			if isListing(r) {
				return response(http.StatusForbidden, "{}")
			}
			return nil
		}
		var group sync.WaitGroup
		for i := range 5 {
			group.Go(func() {
				if _, err := r.Poll(t.Context(), a.ids[i], time.Second, 2*time.Second); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
	})
}
