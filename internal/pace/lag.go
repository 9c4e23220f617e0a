package pace

import (
	"slices"
	"time"
)

const (
	// A PUT lags if the rest of it would take longer than a whole one does, and than leastLag.
	leastLag   = time.Second
	leastPut   = time.Second // that a PUT is in flight before its rate tells anything
	latestPUTs = 9           // whose median counts: some connections carry a tenth of what others do
	late       = 3           // times the mean time of an answer
	leastLate  = time.Second // since the last byte was sent
)

// times are those of the latest PUTs of one upload. They are unknown until the first one is stored.
type times struct {
	puts   []time.Duration // the latest ones
	size   int64           // bytes of these PUTs: the last part of a file, which is smaller, does not count
	answer time.Duration   // mean
}

// add notes a PUT of some bytes that succeeded: how long it took, and how much of that its answer.
func (t *times) add(size int64, put, answer time.Duration) {
	t.answer = latest(t.answer, answer)
	switch {
	case size > t.size:
		t.size, t.puts = size, []time.Duration{put}
	case size == t.size:
		t.puts = append(t.puts, put)
		t.puts = t.puts[max(0, len(t.puts)-latestPUTs):]
	}
}

// put is the median of the latest PUTs; 0: there was none.
func (t *times) put() time.Duration {
	if len(t.puts) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(t.puts))[len(t.puts)/2]
}

// latest is a mean in which a quarter comes from the newest value.
func latest(mean, newest time.Duration) time.Duration {
	if mean == 0 {
		return newest
	}
	return mean + (newest-mean)/4
}

// lags reports whether a PUT lags that has been in flight for some time and has sent some bytes of
// all.
func (t *times) lags(inFlight time.Duration, sent, all int64) bool {
	left := float64(inFlight) * float64(all-sent) / float64(max(sent, 1))
	put := t.put()
	return put > 0 && all <= t.size && inFlight > leastPut && left >= float64(max(leastLag, put))
}

// late reports whether an answer is late.
func (t *times) late(sinceSent time.Duration) bool {
	return t.put() > 0 && sinceSent >= max(leastLate, late*t.answer)
}
