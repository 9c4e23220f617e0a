package livesession_test

import (
	"strings"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

func TestZZScale(t *testing.T) {
	s := acctest.Start(t, simulator.Options{ReadyAfter: time.Hour})
	cli := acctest.NewCLI(t, s)
	cli.Config(strings.Replace(pushPull("count = 1000", "wait_for_status = []"), `"match"
`, `"match${count.index}"
`, 1))
	start := time.Now()
	cli.Must("apply", "-auto-approve")
	t.Log("apply", time.Since(start), s.Count("get-session"), s.Count("list-sessions"), s.Count("regions"))
	for range 2 {
		s.Fail(simulator.Fault{Delay: 50 * time.Millisecond})
		g, l := s.Count("get-session"), s.Count("list-sessions")
		start = time.Now()
		r := cli.Run("plan", "-refresh-only", "-detailed-exitcode")
		took := time.Since(start)
		first, last := time.Time{}, time.Time{}
		for _, q := range s.Journal()[len(s.Journal())-(s.Count("get-session")-g+s.Count("list-sessions")-l):] {
			if first.IsZero() { first = q.At }
			last = q.At
		}
		t.Log("refresh", r.Code, took, s.Count("get-session")-g, s.Count("list-sessions")-l, "calls spread over", last.Sub(first))
		cli.Must("apply", "-refresh-only", "-auto-approve")
	}
}
