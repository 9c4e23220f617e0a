package livesession

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/api"
)

// script answers polls in virtual time, at the earliest moment: what the session
// is so long after the start.
type script struct {
	start time.Time
	at    func(after time.Duration) (status string, err error)

	polls    []time.Duration // pauses before them
	tooLong  time.Duration   // longest late - early that a poll allowed
	previous time.Time
}

func (s *script) Poll(ctx context.Context, id string, early, late time.Duration) (api.Session, error) {
	s.tooLong = max(s.tooLong, late-early)
	timer := time.NewTimer(early)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s.polls = append(s.polls, time.Since(s.previous))
	s.previous = time.Now()
	status, err := s.at(time.Since(s.start))
	if err != nil {
		return nil, err
	}
	return api.Session{"id": id, "status": status}, nil
}

func statusAfter(ready time.Duration, before, then string) func(time.Duration) (string, error) {
	return func(after time.Duration) (string, error) {
		if after < ready {
			return before, nil
		}
		return then, nil
	}
}

func failing(status int) error {
	return &api.Error{Attempted: "reading it", Status: status, Attempts: 6, MayPass: status == http.StatusTooManyRequests || status >= 500}
}

// What the errors of a wait say, beside the session, its status and how to keep it.
var (
	ended      = []string{"The live session ended in a final status", "`terraform untaint`", "add it to `wait_for_status`"}
	late       = []string{"The live session was not ready in time", `timeouts = { create = "40m" }`}
	cut        = []string{"Waiting for the live session was interrupted", "last status seen", "The next apply waits for it again"}
	unreadable = []string{"The new live session cannot be read", "The last status seen", "Reading it failed: "}
)

func TestWait(t *testing.T) {
	t.Parallel()
	ready := []string{"READY", "SCHEDULED"}
	tests := map[string]struct {
		at     func(time.Duration) (string, error)
		want   []string
		limit  time.Duration
		cancel time.Duration // 0: never

		status string
		fails  []string // parts of the error; nil: none
		least  time.Duration
		most   time.Duration
	}{
		"ready":                    {at: statusAfter(40*time.Second, "PROVISIONING", "READY"), want: ready, status: "READY", least: 40 * time.Second, most: 56 * time.Second},
		"scheduled":                {at: statusAfter(0, "", "SCHEDULED"), want: ready, status: "SCHEDULED", least: time.Second, most: time.Second},
		"error":                    {at: statusAfter(0, "", "ERROR"), want: ready, status: "ERROR", fails: ended, most: time.Second},
		"terminated":               {at: statusAfter(0, "", "TERMINATED"), want: ready, status: "TERMINATED", fails: ended, most: time.Second},
		"stopped":                  {at: statusAfter(0, "", "STOPPED"), want: ready, status: "STOPPED", fails: ended, most: time.Second},
		"cancelled":                {at: statusAfter(0, "", "CANCELLED"), want: ready, status: "CANCELLED", fails: ended, most: time.Second},
		"terminal, but asked for":  {at: statusAfter(0, "", "ERROR"), want: []string{"ERROR"}, status: "ERROR", most: time.Second},
		"stopping is not terminal": {at: statusAfter(20*time.Second, "STOPPING", "STOPPED"), want: []string{"STOPPED"}, status: "STOPPED", least: 20 * time.Second, most: 36 * time.Second},
		"status added since":       {at: statusAfter(20*time.Second, "WARMING_UP", "READY"), want: ready, status: "READY", least: 20 * time.Second, most: 36 * time.Second},
		"status added since, asked for": {
			at: statusAfter(0, "", "WARMING_UP"), want: []string{"WARMING_UP"}, status: "WARMING_UP", most: time.Second,
		},
		"time-out": {
			at: statusAfter(time.Hour, "PROVISIONING", ""), want: ready, limit: 20 * time.Minute, status: "PROVISIONING", fails: late,
			least: 20 * time.Minute, most: 20 * time.Minute,
		},
		"time-out after several statuses": {
			at: statusAfter(time.Minute, "PENDING", "PROVISIONING"), want: ready, limit: 20 * time.Minute, status: "PROVISIONING",
			fails: append(late, "(READY or SCHEDULED)", "The last status seen was PROVISIONING. Before it: PENDING."),
			least: 20 * time.Minute, most: 20 * time.Minute,
		},
		"time-out for a status that nobody knows": {
			at: statusAfter(0, "", "READY"), want: []string{"RUNNING"}, limit: 20 * time.Minute, status: "READY",
			fails: []string{"(RUNNING)", "The last status seen was READY.", "The provider does not know RUNNING: check `wait_for_status`. The known statuses are PENDING,"},
			least: 20 * time.Minute, most: 20 * time.Minute,
		},
		"interrupt": {
			at: statusAfter(time.Hour, "PROVISIONING", ""), want: ready, cancel: 47 * time.Second, status: "PROVISIONING", fails: cut,
			least: 47 * time.Second, most: 47 * time.Second,
		},
		"interrupt before the first poll": {
			at: statusAfter(time.Hour, "PENDING", ""), want: ready, cancel: time.Millisecond, status: "PENDING", fails: cut, most: time.Millisecond,
		},
		"not readable at first": {
			at: func(after time.Duration) (string, error) {
				if after < 25*time.Second {
					return "", failing(http.StatusNotFound)
				}
				return "READY", nil
			},
			want: ready, status: "READY", least: 25 * time.Second, most: 40 * time.Second,
		},
		"not in the response at first": {
			at: func(after time.Duration) (string, error) {
				if after < 25*time.Second {
					return "", &api.Error{Status: http.StatusOK, Attempts: 1}
				}
				return "READY", nil
			},
			want: ready, status: "READY", least: 25 * time.Second, most: 40 * time.Second,
		},
		"never readable": {
			at:   func(time.Duration) (string, error) { return "", failing(http.StatusNotFound) },
			want: ready, status: "PENDING", fails: unreadable, least: 30 * time.Second, most: 45 * time.Second,
		},
		"gone later": {
			at: func(after time.Duration) (string, error) {
				if after > time.Minute {
					return "", failing(http.StatusNotFound)
				}
				return "PROVISIONING", nil
			},
			want: ready, status: "PROVISIONING", fails: unreadable, least: 90 * time.Second, most: 106 * time.Second,
		},
		"refused": {
			at:   func(time.Duration) (string, error) { return "", failing(http.StatusForbidden) },
			want: ready, status: "PENDING", fails: append(slices.Clone(unreadable), "403 Forbidden"), most: time.Second,
		},
		"failures that pass": {
			at: func(after time.Duration) (string, error) {
				switch {
				case after < time.Minute:
					return "", failing(http.StatusBadGateway)
				case after < 2*time.Minute:
					return "", &api.Error{Attempts: 6, Err: errors.New("connection refused")}
				case after < 3*time.Minute:
					return "", failing(http.StatusTooManyRequests)
				}
				return "READY", nil
			},
			want: ready, status: "READY", least: 3 * time.Minute, most: 4 * time.Minute,
		},
		"failures that do not pass": {
			at:   func(time.Duration) (string, error) { return "", failing(http.StatusServiceUnavailable) },
			want: ready, limit: 5 * time.Minute, status: "PENDING", fails: late, least: 5 * time.Minute, most: 5 * time.Minute,
		},
	}
	for name, tt := range tests {
		bubble.Run(t, name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if tt.cancel > 0 {
				time.AfterFunc(tt.cancel, cancel)
			}
			limit := tt.limit
			if limit == 0 {
				limit = 24 * time.Hour
			}
			ctx, stop := context.WithTimeout(ctx, limit)
			defer stop()
			p := &script{start: time.Now(), previous: time.Now(), at: tt.at}
			s, failed := wait(ctx, p.Poll, api.Session{"id": "s1", "status": "PENDING"}, tt.want, values{}.afterCreate())
			took := time.Since(p.start)
			if s.ID() != "s1" || s.Status() != tt.status {
				t.Errorf("the session is %s with status %s, want s1 with %s", s.ID(), s.Status(), tt.status)
			}
			if took < tt.least || took > tt.most {
				t.Errorf("took %v, want %v to %v", took, tt.least, tt.most)
			}
			switch {
			case tt.fails == nil && failed != nil:
				t.Errorf("failed: %+v", failed)
			case tt.fails != nil && failed == nil:
				t.Errorf("ended without an error after %v, want %q", took, tt.fails)
			case tt.fails != nil:
				text := failed.Summary() + "\n" + failed.Detail()
				for _, want := range append([]string{"s1", tt.status}, tt.fails...) {
					if !strings.Contains(text, want) {
						t.Errorf("%q is not in: %s", want, text)
					}
				}
				if slices.Equal(tt.fails, late) && !strings.Contains(text, "ended after "+took.String()) {
					t.Errorf("it took %v: %s", took, text)
				}
			}
		})
	}
}

// TestWaitPace: the pauses grow from 1 s to 15 s and leave room for jitter.
func TestWaitPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &script{start: time.Now(), previous: time.Now(), at: statusAfter(10*time.Minute, "PENDING", "READY")}
		if _, failed := wait(t.Context(), p.Poll, api.Session{"id": "s1"}, []string{"READY"}, values{}.afterCreate()); failed != nil {
			t.Fatal(failed)
		}
		for i, pause := range p.polls {
			if pause < time.Second || pause > 15*time.Second {
				t.Errorf("pause %d is %v", i, pause)
			}
			if i > 0 && pause < p.polls[i-1] {
				t.Errorf("pause %d is %v, after one of %v", i, pause, p.polls[i-1])
			}
		}
		if last := p.polls[len(p.polls)-1]; last < 10*time.Second || len(p.polls) > 65 {
			t.Errorf("%d polls in ten minutes, the last after %v", len(p.polls), last)
		}
		if p.tooLong < 3*time.Second {
			t.Errorf("the polls leave only %v for jitter", p.tooLong)
		}
	})
}
