package pace

import (
	"slices"
	"time"
)

const (
	few  = 14 // PUTs in flight: most lines need no more
	more = 16 // what is tried first: on a full line, few PUTs too many cost little
	many = 32 // where connections lose packets, or are limited
	// least is what refusals leave.
	least = 4

	sampleTime = 500 * time.Millisecond // of one sample of the goodput, at least
	pauseTime  = 5 * time.Second        // a sample that takes longer has seen a pause between uploads
	settling   = 2                      // samples after a change that do not count
	judging    = 4                      // samples that decide
	growth     = 1.08                   // factor of the goodput that makes more PUTs worth it
	fall       = 0.85                   // factor of the best goodput; if all samples are below it, something has changed
	firstPause = 16                     // samples after a trial in vain, before the next; doubles each time
	lastPause  = 256
	worth      = 15 * time.Second // no trial when less than this is left to send

	refusalTime = time.Second      // refusals within it count once
	recovery    = 10 * time.Second // after the latest refusal, and after each further slot
)

// goodput chooses how many PUTs are in flight. It takes samples of the goodput while all slots are in use.
//
// It begins with few. It tries many when the goodput has fallen below the best so far, because on a line that
// loses packets it falls until more connections share the losses. When the goodput is steady, it tries more from time
// to time, and then many, because each connection may be limited. It goes back if that was in vain. When storage asks
// for fewer requests, it halves the number, and adds one every ten seconds without a refusal.
type goodput struct {
	chosen  int // few, more or many
	from    int // what was chosen before the trial that is being judged
	limit   int // what refusals allow
	began   time.Time
	sent    int64   // bytes since then
	latest  float64 // bytes per second in the latest sample
	skip    int     // samples that do not count yet
	samples []float64
	before  float64   // bytes per second before the trial that is being judged; 0: there is none
	best    float64   // bytes per second since the latest trial; of many, the latest
	pause   int       // samples until the next trial
	pauses  int       // length of the latest pause
	refused time.Time // the latest refusal that counted, or when a slot was added
}

func newGoodput(now time.Time) *goodput {
	return &goodput{chosen: few, limit: many, began: now, skip: settling, pause: judging}
}

func (g *goodput) slots() int { return min(g.chosen, g.limit) }

// refuse notes that storage has asked for fewer requests.
func (g *goodput) refuse(now time.Time) {
	if now.Sub(g.refused) < refusalTime {
		return
	}
	g.refused = now
	g.limit = max(least, g.slots()/2)
	g.choose(few)
	g.before, g.best = 0, 0
}

// fallen reports whether less is sent now than when all slots were in use. Then the line has room. What is not known
// yet has fallen.
func (g *goodput) fallen(now time.Time) bool {
	rate := g.latest
	if took := now.Sub(g.began); took >= sampleTime {
		rate = float64(g.sent) / took.Seconds()
	}
	return rate < fall*g.best || g.best == 0
}

func (g *goodput) choose(slots int) {
	g.chosen, g.skip, g.samples = slots, settling, nil
}

// add counts bytes, and decides when a sample is complete. full says that all slots are in use, waiting that there
// are more PUTs to send, and left how many bytes they have.
func (g *goodput) add(now time.Time, n, left int64, full, waiting bool) {
	g.sent += n
	took := now.Sub(g.began)
	if took < sampleTime {
		return
	}
	rate := float64(g.sent) / took.Seconds()
	g.began, g.sent, g.latest = now, 0, rate
	if g.limit < many && now.Sub(g.refused) >= recovery {
		g.limit, g.refused = g.limit+1, now
		g.skip, g.samples = 1, nil
	}
	switch {
	case took > pauseTime:
		if g.before > 0 {
			g.choose(g.from)
		}
		g.before, g.best, g.skip, g.samples = 0, 0, settling, nil
	case !full:
		g.skip, g.samples = 1, nil
	case g.skip > 0:
		g.skip--
	default:
		g.pause--
		g.samples = append(g.samples, rate)
		if len(g.samples) > judging {
			g.samples = g.samples[1:]
		}
		if len(g.samples) == judging {
			g.decide(mean(g.samples), left, waiting)
		}
	}
}

// decide ends a trial, or begins one. rate is that of the latest samples.
func (g *goodput) decide(rate float64, left int64, waiting bool) {
	switch fallen := slices.Max(g.samples) < fall*g.best; {
	case g.before > 0 && rate < growth*g.before:
		g.pauses = min(max(2*g.pauses, firstPause), lastPause)
		g.pause, g.best, g.before = g.pauses, g.before, 0
		g.choose(g.from)
	case g.before > 0 && g.chosen == more:
		g.try(many, rate)
	case g.before > 0:
		g.best, g.before = rate, 0
	case g.chosen == many || g.limit < many:
		g.best = rate
	case !waiting:
	case fallen, g.chosen == more && g.due(rate, left):
		g.try(many, rate)
	case g.due(rate, left):
		g.try(more, rate)
	default:
		g.best = max(g.best, rate)
	}
}

// due reports whether it is time for a trial. While the goodput rises, its success would prove nothing.
func (g *goodput) due(rate float64, left int64) bool {
	return g.pause <= 0 && rate <= g.best && float64(left) > rate*worth.Seconds()
}

// try begins a trial.
func (g *goodput) try(slots int, rate float64) {
	g.from, g.before, g.best = g.chosen, rate, rate
	g.choose(slots)
}

func mean(samples []float64) (m float64) {
	for _, s := range samples {
		m += s / float64(len(samples))
	}
	return m
}
