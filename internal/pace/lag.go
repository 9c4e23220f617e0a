package pace

import (
	"slices"
	"time"
)

const (
	latestPUTs = 9                      // that tell how fast others are
	beginning  = 1. / 8                 // share of a PUT whose rate tells nothing: the system takes the first bytes at once
	leastLag   = 500 * time.Millisecond // rest of a PUT that lags
	lag        = 1.25                   // the same, times what another PUT takes
	sooner     = 0.7                    // part of a slow PUT's time in which others must do what waits
	late       = 3                      // times the usual time of an answer
	leastLate  = 500 * time.Millisecond // since the last byte was sent
)

// times are those of the latest PUTs of one upload. They are unknown until the first one is stored.
type times struct {
	puts    []time.Duration // the latest ones
	size    int64           // bytes of these PUTs: the last part of a file, which is smaller, does not count
	answers []time.Duration // to the latest PUTs
}

// add notes a PUT of some bytes that succeeded: how long it took, and how much of that its answer.
func (t *times) add(size int64, put, answer time.Duration) {
	t.answers = latest(t.answers, answer)
	switch {
	case size > t.size:
		t.size, t.puts = size, []time.Duration{put}
	case size == t.size:
		t.puts = latest(t.puts, put)
	}
}

func latest(times []time.Duration, newest time.Duration) []time.Duration {
	times = append(times, newest)
	return times[max(0, len(times)-latestPUTs):]
}

// fastest is the shortest time of the latest PUTs; 0: there was none.
func (t *times) fastest() time.Duration {
	if len(t.puts) == 0 {
		return 0
	}
	return slices.Min(t.puts)
}

// answer is the median time of the latest answers, so that a late one does not count; 0: there was
// none.
func (t *times) answer() time.Duration {
	if len(t.answers) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(t.answers))[len(t.answers)/2]
}

// flight is a PUT in flight.
type flight struct {
	elapsed   time.Duration
	sent, all int64 // bytes
}

// estimate is how long a PUT in flight takes in all, and how long the rest of it, if that is known:
// not when it has just begun.
func (t *times) estimate(f flight) (whole, rest time.Duration, known bool) {
	if float64(f.sent) < beginning*float64(f.all) && f.elapsed <= t.fastest() {
		return 0, 0, false
	}
	whole = max(time.Duration(float64(f.elapsed)*float64(f.all)/float64(max(f.sent, 1)))+t.answer(), t.fastest())
	return whole, whole - f.elapsed, true
}

// lags reports whether the rest of a PUT takes longer than another PUT of the same content would.
func (t *times) lags(f flight) bool {
	_, rest, known := t.estimate(f)
	again := t.fastest()
	return known && again > 0 && rest >= max(leastLag, time.Duration(lag*float64(again)))
}

// spares reports whether PUTs in flight, each followed by others as fast as it, will have done some
// more PUTs clearly before one that begins now and takes some time.
func (t *times) spares(takes time.Duration, more int, flights []flight) bool {
	for _, f := range flights {
		if whole, rest, known := t.estimate(f); known {
			more -= int(max(0, sooner*float64(takes)-float64(rest)) / float64(whole))
		}
	}
	return more <= 0
}

// late reports whether an answer is late.
func (t *times) late(sinceSent time.Duration) bool {
	return t.fastest() > 0 && sinceSent >= max(leastLate, late*t.answer())
}
