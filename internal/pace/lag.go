package pace

import "time"

const (
	// A PUT lags if the rest of it would take longer than lagging times a whole one, and than
	// leastLag.
	lagging   = 1.5
	leastLag  = 2 * time.Second
	leastPut  = time.Second // that a PUT is in flight before its rate tells anything
	late      = 3           // times the mean time of an answer
	leastLate = time.Second // since the last byte was sent
)

// times are the means of the latest PUTs of one upload. They are unknown until the first one is
// stored.
type times struct {
	put, answer time.Duration
	size        int64 // bytes of the PUTs that put is of: the last part of a file, which is smaller, does not count
}

// add notes a PUT of some bytes that succeeded: how long it took, and how much of that its answer.
func (t *times) add(size int64, put, answer time.Duration) {
	t.answer = latest(t.answer, answer)
	switch {
	case size > t.size:
		t.size, t.put = size, put
	case size == t.size:
		t.put = latest(t.put, put)
	}
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
	return t.put > 0 && all <= t.size && inFlight > max(leastPut, t.put) && left >= max(float64(leastLag), lagging*float64(t.put))
}

// late reports whether an answer is late.
func (t *times) late(sinceSent time.Duration) bool {
	return t.put > 0 && sinceSent >= max(leastLate, late*t.answer)
}
