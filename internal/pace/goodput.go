package pace

import (
	"math"
	"slices"
	"time"
)

const (
	few  = 14 // slots: most lines need no more
	many = 32 // what is tried, because lines that lose packets or limit each connection carry more then

	sampleTime = 500 * time.Millisecond // of one sample of the goodput, at least
	pauseTime  = 5 * time.Second        // a sample that takes longer has seen a pause between uploads
	settling   = 2                      // samples after a change that do not count
	judging    = 4                      // samples that decide
	growth     = 1.08                   // factor of the goodput that makes more PUTs worth it
	clearly    = 2.0                    // standard errors that a difference must be, because samples vary
	fall       = 0.85                   // of the best goodput; if all samples are below it, connections have lost packets
	firstPause = 16                     // samples after a trial in vain, before the next; doubles each time
	lastPause  = 256
	worth      = 30 * time.Second // no trial when less than this is left to send
)

// goodput chooses how many slots there are, by samples of the goodput while all slots are in use.
// It begins with few. It tries many when the goodput has fallen, because on a line that loses
// packets it falls until more connections share the losses, and from time to time when the goodput
// is steady, because each connection may be limited. It goes back if that was in vain.
type goodput struct {
	slots    int
	isTrying bool

	began   time.Time // of the sample
	sent    int64     // bytes since then
	skip    int       // samples that do not count yet
	samples []float64 // bytes per second
	before  estimate  // of few slots, while many are tried
	best    float64   // bytes per second since the latest trial
	pause   int       // samples until the next trial
	pauses  int       // length of the latest pause
}

func newGoodput(now time.Time) *goodput {
	return &goodput{slots: few, began: now, skip: settling, pause: judging}
}

// add counts bytes, and returns how many slots there are to be. isFull says that all slots are in
// use, isWaiting that there are more PUTs to send, and left how many bytes they have.
func (g *goodput) add(now time.Time, n, left int64, isFull, isWaiting bool) (slots int) {
	g.sent += n
	took := now.Sub(g.began)
	if took < sampleTime {
		return g.slots
	}
	rate := float64(g.sent) / took.Seconds()
	g.began, g.sent = now, 0
	switch {
	case took > pauseTime:
		if g.isTrying {
			g.slots = few
		}
		g.isTrying, g.best, g.skip, g.samples = false, 0, settling, nil
	case !isFull:
		g.skip, g.samples = 1, nil
	case g.skip > 0:
		g.skip--
	default:
		g.pause--
		g.samples = append(g.samples, rate)
		g.samples = g.samples[max(0, len(g.samples)-judging):]
		if len(g.samples) == judging {
			g.decide(left, isWaiting)
		}
	}
	return g.slots
}

// decide ends a trial, or begins one.
func (g *goodput) decide(left int64, isWaiting bool) {
	now := estimateOf(g.samples)
	switch {
	case g.isTrying && now.exceeds(g.before):
		g.isTrying = false
	case g.isTrying:
		g.isTrying, g.best = false, g.before.mean
		g.pauses = min(max(2*g.pauses, firstPause), lastPause)
		g.pause = g.pauses
		g.change(few)
	case g.slots == few && isWaiting && (g.hasFallen() || g.isDue(now.mean, left)):
		g.isTrying, g.before, g.best = true, now, now.mean
		g.change(many)
	default:
		g.best = max(g.best, now.mean)
	}
}

func (g *goodput) change(slots int) { g.slots, g.skip, g.samples = slots, settling, nil }

func (g *goodput) hasFallen() bool { return slices.Max(g.samples) < fall*g.best }

// isDue reports whether it is time for a trial. While the goodput rises, its success would prove
// nothing.
func (g *goodput) isDue(rate float64, left int64) bool {
	return g.pause <= 0 && rate <= g.best && float64(left) > rate*worth.Seconds()
}

// estimate is a mean with its standard error.
type estimate struct{ mean, err float64 }

func estimateOf(samples []float64) (e estimate) {
	n := float64(len(samples))
	for _, s := range samples {
		e.mean += s / n
	}
	for _, s := range samples {
		e.err += (s - e.mean) * (s - e.mean)
	}
	e.err = math.Sqrt(e.err / (n - 1) / n)
	return e
}

// exceeds reports whether a goodput is higher than one before, by enough to be worth more PUTs, and
// by more than chance.
func (e estimate) exceeds(before estimate) bool {
	return e.mean-before.mean > max((growth-1)*before.mean, clearly*math.Hypot(e.err, before.err))
}
