package pace

import (
	"math"
	"slices"
	"time"
)

const (
	few  = 14 // PUTs in flight: most lines need no more
	more = 16 // what is tried first: on a full line, few PUTs too many cost little
	many = 32 // where connections lose packets, or are limited
	// least is what refusals leave, and leastInTime what a slow line does.
	least, leastInTime = 4, 2

	// longestPut is how long a PUT should be in flight at most. If the run is interrupted, what its
	// PUTs have sent is lost.
	longestPut = 16 * time.Second
	steady     = 0.15 // by how much two samples of a steady goodput differ at most
	farFewer   = 0.7  // factor of the slots

	sampleTime = 500 * time.Millisecond // of one sample of the goodput, at least
	pauseTime  = 5 * time.Second        // a sample that takes longer has seen a pause between uploads
	settling   = 2                      // samples after a change that do not count
	judging    = 4                      // samples that decide
	growth     = 1.08                   // factor of the goodput that makes more PUTs worth it
	clearly    = 2.0                    // standard errors that a difference must be, because samples vary
	fall       = 0.85                   // factor of the best goodput; if all samples are below it, something has changed
	firstPause = 16                     // samples after a trial in vain, before the next; doubles each time
	lastPause  = 256
	worth      = 15 * time.Second // no trial when less than this is left to send

	refusalTime = time.Second      // refusals within it count once
	recovery    = 10 * time.Second // after the latest refusal, and after each added slot
)

// goodput chooses how many PUTs are in flight. It takes samples of the goodput while all slots are
// in use.
//
// It begins with few. On a slow line, where their PUTs would be in flight for long, it goes on with
// fewer, unless that sends less. It tries many when the goodput has fallen below the best so far,
// because on a line that loses packets it falls until more connections share the losses. When the
// goodput is steady, it tries more from time to time, and then many, because each connection may be
// limited. It goes back if that was in vain. When storage asks for fewer requests, it halves the
// number, and adds one every ten seconds without a refusal.
type goodput struct {
	bandwidth float64 // the most that may be sent, in bytes per second; 0: no limit
	put       int64   // bytes of the largest PUTs

	chosen int // few, more or many
	from   int // what was chosen before the trial that is being judged
	limit  int // what refusals allow
	inTime int // what longestPut allows; many: nothing is known

	began   time.Time
	sent    int64   // bytes since then
	latest  float64 // bytes per second in the latest sample
	skip    int     // samples that do not count yet
	samples []float64
	before  estimate  // bytes per second before the trial of more that is being judged; 0: there is none
	wide    float64   // the same for fewer slots, because of inTime
	vain    bool      // fewer slots sent less, so inTime does not count
	best    float64   // bytes per second since the latest trial; of many, the latest
	pause   int       // samples until the next trial
	pauses  int       // length of the latest pause
	refused time.Time // the latest refusal that counted, or when a slot was added
}

func newGoodput(now time.Time, bandwidth float64) *goodput {
	return &goodput{chosen: few, limit: many, inTime: many, bandwidth: bandwidth, began: now, skip: settling, pause: judging}
}

func (g *goodput) slots() int { return min(g.chosen, g.limit, g.inTime) }

// expect notes the size of the largest PUTs, in bytes; 0: there are none.
func (g *goodput) expect(put int64) {
	if put == 0 || put == g.put {
		return
	}
	g.put, g.inTime, g.wide = put, many, 0
	if g.bandwidth > 0 {
		g.inTime = g.fit(g.bandwidth)
	}
}

// fit is how many PUTs a goodput carries in time.
func (g *goodput) fit(rate float64) int {
	return int(min(max(rate*longestPut.Seconds()/float64(g.put), leastInTime), many))
}

// narrow begins to limit the PUTs in flight to those that end in time, if they are far fewer. Few
// are more than the line needs then, unless its connections are limited, which decide finds out. It
// reports whether it has begun.
func (g *goodput) narrow(rate, before float64) bool {
	slots, n := g.slots(), g.fit(rate)
	switch {
	case g.vain || g.bandwidth > 0 || g.wide > 0 || g.chosen != few:
	case n > g.inTime:
		g.inTime = n
	case float64(n) < farFewer*float64(slots) && math.Abs(rate-before) < steady*rate:
		g.inTime, g.from, g.wide = n, slots, rate
		g.choose(few)
		return true
	}
	return false
}

// refuse notes that storage has asked for fewer requests.
func (g *goodput) refuse(now time.Time) {
	if now.Sub(g.refused) < refusalTime {
		return
	}
	g.refused = now
	g.limit = max(least, g.slots()/2)
	g.choose(few)
	g.before, g.wide, g.best = estimate{}, 0, 0
}

func (g *goodput) choose(slots int) {
	g.chosen, g.skip, g.samples = slots, settling, nil
}

// add counts bytes, and decides when a sample is complete. full says that all slots are in use,
// waiting that there are more PUTs to send, and left how many bytes they have.
func (g *goodput) add(now time.Time, n, left int64, full, waiting bool) {
	g.sent += n
	took := now.Sub(g.began)
	if took < sampleTime {
		return
	}
	rate := float64(g.sent) / took.Seconds()
	before := g.latest
	g.began, g.sent, g.latest = now, 0, rate
	if g.limit < many && now.Sub(g.refused) >= recovery {
		g.limit, g.refused = g.limit+1, now
		g.skip, g.samples = 1, nil
	}
	switch {
	case took > pauseTime:
		if g.before.mean > 0 {
			g.choose(g.from)
		}
		g.before, g.wide, g.best, g.skip, g.samples = estimate{}, 0, 0, settling, nil
	case !full:
		g.skip, g.samples = 1, nil
	case g.skip > 0:
		g.skip--
	case !g.narrow(rate, before):
		g.pause--
		g.samples = append(g.samples, rate)
		if len(g.samples) > judging {
			g.samples = g.samples[1:]
		}
		if len(g.samples) == judging {
			g.decide(estimateOf(g.samples), left, waiting)
		}
	}
}

// decide ends a trial, or begins one. latest is of the latest samples.
func (g *goodput) decide(latest estimate, left int64, waiting bool) {
	rate := latest.mean
	switch fallen := slices.Max(g.samples) < fall*g.best; {
	case g.wide > 0:
		if share := float64(g.slots()) / float64(g.from); rate < g.wide*(1+share)/2 {
			g.vain, g.inTime = true, many
			g.choose(few)
		}
		g.wide = 0
	case g.before.mean > 0 && !latest.exceeds(g.before):
		g.pauses = min(max(2*g.pauses, firstPause), lastPause)
		g.pause, g.best, g.before = g.pauses, g.before.mean, estimate{}
		g.choose(g.from)
	case g.before.mean > 0 && g.chosen == more:
		g.try(many, latest)
	case g.before.mean > 0:
		g.best, g.before = rate, estimate{}
	case g.slots() < g.chosen || g.chosen == many || g.limit < many:
		g.best = rate
	case !waiting:
	case fallen, g.chosen == more && g.due(rate, left):
		g.try(many, latest)
	case g.due(rate, left):
		g.try(more, latest)
	default:
		g.best = max(g.best, rate)
	}
}

// due reports whether it is time for a trial. While the goodput rises, its success would prove
// nothing.
func (g *goodput) due(rate float64, left int64) bool {
	return g.pause <= 0 && rate <= g.best && float64(left) > rate*worth.Seconds()
}

// try begins a trial.
func (g *goodput) try(slots int, before estimate) {
	g.from, g.before, g.best = g.chosen, before, before.mean
	g.choose(slots)
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
