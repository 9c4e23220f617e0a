package acctest

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// replays is how often a failure is played again to tell how surely it fails.
const replays = 20

// failing is how many replays of a history fail in the same way, each with a seed that is larger by
// step.
func failing(t *testing.T, h History, failure string, step int) (n int) {
	t.Helper()
	for range replays {
		if sort(play(t, h, nil)) == sort(failure) {
			n++
		}
		h.Seed += step
	}
	return n
}

// trace is what a history did, step by step: the calls in the order of their arrival, with their
// times, sorted within each step, and the states.
type trace struct{ ordered, timed, calls, states []string }

func traced(t *testing.T, h History) (tr trace) {
	t.Helper()
	failure := inBubble(t, h, func(t *testing.T) string {
		t.Helper()
		begun, r := time.Now(), &recorder{TB: t}
		p := newPlayer(r, h)
		over := make(chan struct{})
		go func() { // a failure ends this goroutine
			defer close(over)
			defer r.caught()
			for i, s := range h.Steps {
				before := len(p.at[0].Journal())
				p.step(i, s)
				synctest.Wait()
				var step []string
				for _, q := range p.at[0].Journal()[before:] {
					call := fmt.Sprintf("%d %s %d %s", i, q.Call, q.Status, q.Fault)
					step = append(step, call)
					tr.timed = append(tr.timed, fmt.Sprint(call, " ", q.At.Sub(begun).Milliseconds()))
				}
				tr.ordered = append(tr.ordered, step...)
				tr.calls = append(tr.calls, slices.Sorted(slices.Values(step))...)
				tr.states = append(tr.states, fmt.Sprint(i, p.places[0].shown()))
			}
		}()
		<-over
		return r.text()
	})
	if failure != "" {
		t.Errorf("%s\n\nThe history:\n\n%s", failure, h)
	}
	return tr
}

// TestPlayedTwice plays 100 histories twice, and compares.
func TestPlayedTwice(t *testing.T) { //nolint:paralleltest // make soak plays it before others
	if os.Getenv("HISTORY_SOAK") == "" {
		t.Skip("make soak plays it")
	}
	if !alone() {
		runAlone(t, "TestPlayedTwice", 0, func(line string) { fmt.Fprintln(os.Stdout, line) })
		return
	}
	const histories = 100
	var ordered, timed, calls, states int
	differ := func(n *int, a, b []string) {
		if !slices.Equal(a, b) {
			*n++
		}
	}
	for seed := range histories {
		h := rapid.Custom(drawHistory).Example(seed + 1)
		a, b := traced(t, h), traced(t, h)
		differ(&ordered, a.ordered, b.ordered)
		differ(&timed, a.timed, b.timed)
		differ(&calls, a.calls, b.calls)
		differ(&states, a.states, b.states)
		if i := difference(a.timed, b.timed); i >= 0 && !t.Failed() {
			t.Errorf("played twice, this history differs from call %d on:\n%q\n%q\n\n%s", i, a.timed[i:min(len(a.timed), i+3)], b.timed[i:min(len(b.timed), i+3)], h)
		}
	}
	fmt.Fprintf(os.Stdout, "%d histories played twice differ: in the order of calls %d, in their times %d, in the set of calls %d, in states %d\n",
		histories, ordered, timed, calls, states)
	if ordered+timed+calls+states > 0 {
		t.Error("the same history is not the same each time")
	}
}

// difference is where two lists differ first, -1 if they are equal.
func difference(a, b []string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	if len(a) != len(b) {
		return min(len(a), len(b))
	}
	return -1
}
