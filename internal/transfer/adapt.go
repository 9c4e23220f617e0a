package transfer

import (
	"math"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	sampleTime    = 250 * time.Millisecond // of one sample of the goodput, at least
	sampleTrips   = 2                      // the same in times that it takes to connect
	idle          = 5 * time.Second        // longest time of one sample; more is a pause between uploads
	settling      = 2                      // samples after a step that do not count
	fallSamples   = 3                      // that show a fall
	leastSamples  = 5                      // that any other decision needs
	mostSamples   = 8                      // after which a difference that is not clear is none
	growth        = 0.08                   // of the goodput that makes a step worth it
	fall          = 0.15                   // of the best goodput that makes a new step worth trying
	firstPause    = 32                     // samples after a trial, before the next; doubles each time
	longestPause  = 256                    // samples
	stepWorth     = 15 * time.Second       // no trial when less than this is left to send,
	fallWorth     = 3 * time.Second        // or less than this after a fall
	throttledWait = 10 * time.Second       // no step up after storage asked for fewer requests
	giveWay       = time.Second            // between two steps down because of that
)

// levels are the numbers of PUTs in flight to choose from.
var levels = []int{4, 6, 8, 12, 16, 24, 32}

// firstLevel filled most of the emulated lines of `make bench ARGS=lines` best: 8 are too few where each
// connection is limited and where round trips are long, 16 end unevenly.
const firstLevel = 3

// adaption chooses how many PUTs are in flight: as many as raise the goodput of all uploads together.
//
// It takes samples of the goodput while all slots are in use, and no more PUTs are in flight. When they
// show no trend, it tries a step up, and keeps it if the goodput rises by more than noise. Otherwise it
// steps back, and tries again after a pause, which doubles each time. If the goodput falls below the
// best so far, something has changed, and the next trial is at once and of the highest level: on a line
// that loses packets, goodput falls until more connections share the losses, and a connection that begins
// late ends late. At the top, that trial is a step down. Where storage has asked for fewer requests,
// all trials are of one step.
//
// A step back opens no further PUTs, and interrupts none. The surplus ones end before the next sample.
// What was measured before a pause between uploads does not count after it.
//
// A nil adaption changes nothing.
type adaption struct {
	schedule *schedule

	sent atomic.Int64 // bytes handed to the operating system
	left atomic.Int64 // bytes that all uploads have yet to send
	next atomic.Int64 // when the next sample is due, in nanoseconds since start

	start time.Time

	mu        sync.Mutex
	level     int
	uploads   int              // under way
	puts      int              // of these uploads that are not stored yet
	conns     map[net.Conn]int // PUTs in flight by connection; the next PUT may have it already
	trip      time.Duration    // shortest time that it took to connect; 0: unknown
	last      time.Duration    // when the latest sample was taken
	delivered int64            // bytes at that time
	skip      int              // samples that do not count yet
	samples   []float64        // at this level, bytes per second
	trial     *trial           // nil: none
	best      float64          // goodput since the latest trial; 0: unknown
	pause     int              // samples until the next trial
	pauses    int              // length of the latest pause
	quietTill time.Duration    // no step up before
	gaveWay   time.Duration    // when refusals last lowered the level
}

// trial is a step that is being judged.
type trial struct {
	by     int
	factor float64 // by which it changes the PUTs in flight
	before estimate
}

// estimate is a mean and its standard error.
type estimate struct{ mean, err float64 }

func newAdaption(s *schedule) *adaption {
	return &adaption{schedule: s, start: time.Now(), level: firstLevel, skip: settling, gaveWay: -giveWay, conns: map[net.Conn]int{}}
}

// add counts bytes handed to the operating system; those of a failed PUT are negative.
func (a *adaption) add(n int64) {
	if a == nil {
		return
	}
	a.sent.Add(n)
	a.left.Add(-n)
	now := time.Since(a.start)
	if int64(now) < a.next.Load() || !a.mu.TryLock() {
		return
	}
	defer a.mu.Unlock()
	if int64(now) >= a.next.Load() {
		a.sample(now)
		a.next.Store(int64(now + max(sampleTime, sampleTrips*a.trip)))
	}
}

// expect changes how many uploads are under way, how many of their PUTs are not stored yet, and how
// many bytes are left to send.
func (a *adaption) expect(uploads, puts int, n int64) {
	if a == nil {
		return
	}
	a.left.Add(n)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.uploads += uploads
	a.puts += puts
	if uploads != 0 {
		a.resize()
	}
}

// alone reports whether there is one upload only.
func (a *adaption) alone() bool {
	if a == nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.uploads == 1
}

// widen gives back the slots that the only upload was to do without.
func (a *adaption) widen() {
	if a != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.resize()
	}
}

// connected notes the connection of a PUT in flight.
func (a *adaption) connected(c net.Conn) {
	if a != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.conns[c]++
	}
}

func (a *adaption) disconnected(c net.Conn) {
	if a != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.conns[c]--; a.conns[c] < 1 {
			delete(a.conns, c)
		}
	}
}

// dialled notes how long it took to connect, which is one round trip, or a few.
func (a *adaption) dialled(took time.Duration) {
	if a != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.trip == 0 || took < a.trip {
			a.trip = min(took, time.Second)
		}
	}
}

// throttled notes that storage asks for fewer requests. Requests refused together count once.
func (a *adaption) throttled() {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Since(a.start)
	if now >= a.gaveWay+giveWay {
		a.gaveWay = now
		a.step(-2) // about half as many
		a.trial, a.best = nil, 0
	}
	a.quietTill = now + throttledWait
}

// sample takes a sample and decides on a step; a.mu is held.
func (a *adaption) sample(now time.Duration) {
	delivered := a.sent.Load()
	for c := range a.conns {
		delivered -= int64(queued(c))
	}
	took, more := now-a.last, delivered-a.delivered
	a.last, a.delivered = now, delivered
	if took > idle {
		if a.trial != nil {
			a.step(-a.trial.by)
		}
		a.trial, a.best, a.skip, a.samples = nil, 0, settling, nil
		return
	}
	used, slots, waiting := a.schedule.sending.usage()
	if used != slots {
		a.skip, a.samples = 1, nil
		return
	}
	if a.skip > 0 {
		a.skip--
		return
	}
	a.pause--
	a.samples = append(a.samples, float64(more)/took.Seconds())
	if len(a.samples) > mostSamples {
		a.samples = a.samples[1:]
	}
	switch {
	case len(a.samples) < leastSamples:
	case a.trial != nil:
		a.judge(*a.trial)
	default:
		a.try(now, waiting)
	}
}

// judge decides whether the latest step was worth it, if the samples are clear.
func (a *adaption) judge(t trial) {
	is := estimateOf(a.samples)
	gain, noise, worth := is.mean-t.before.mean, 2*math.Hypot(is.err, t.before.err), growth*t.before.mean
	last := len(a.samples) == mostSamples
	switch {
	case t.by > 0 && gain > max(noise, worth):
		a.settle(is.mean, true)
		// Where a step brings about as much as it can, the next one may, too.
		if gain > (t.factor-1)/2*t.before.mean {
			a.pause = 0
		}
	case t.by > 0 && (last || gain+noise < worth), t.by < 0 && gain < -max(noise, worth):
		a.settle(t.before.mean, false)
		a.step(-t.by)
	case t.by < 0 && (last || gain-noise > -worth):
		a.settle(is.mean, true)
	}
}

// settle ends a trial. The pauses get longer as long as trials are in vain.
func (a *adaption) settle(goodput float64, worth bool) {
	a.trial, a.best = nil, goodput
	a.pauses = min(max(2*a.pauses, firstPause), longestPause)
	if worth {
		a.pauses = firstPause
	}
	a.pause = a.pauses
}

// try begins a trial if it is time for one. Unless a PUT waits, a step up would have nothing to send.
func (a *adaption) try(now time.Duration, waiting bool) {
	latest := a.samples[len(a.samples)-leastSamples:]
	fallen := slices.Max(latest[leastSamples-fallSamples:]) < (1-fall)*a.best
	worth := stepWorth
	if fallen {
		latest, worth = latest[leastSamples-fallSamples:], fallWorth
	}
	t := trial{by: 1, before: estimateOf(latest)}
	a.best = max(a.best, t.before.mean)
	half := len(latest) / 2
	rising := estimateOf(latest[half:]).mean > (1+growth)*estimateOf(latest[:half]).mean
	top := a.level == len(levels)-1
	if rising || !fallen && a.pause > 0 || now < a.quietTill || float64(a.left.Load()) < t.before.mean*worth.Seconds() {
		return
	}
	switch {
	case top && !fallen, !top && !waiting:
		return
	case top:
		t.by = -1
	case fallen && a.gaveWay < 0: // storage has never asked for fewer requests
		t.by = len(levels) - 1 - a.level
	}
	before := levels[a.level]
	a.step(t.by)
	t.factor = float64(levels[a.level]) / float64(before)
	a.trial = &t
}

// step changes the level.
func (a *adaption) step(by int) {
	a.level = min(max(a.level+by, 0), len(levels)-1)
	a.skip, a.samples = settling, nil
	a.resize()
}

// resize sets the number of slots to that of the level. An upload that is alone gets only as many as it
// needs to take no longer: of 64 equal PUTs in 12 slots, the last 4 would not fill the line; in 11 slots,
// the last 9 do.
func (a *adaption) resize() {
	slots := levels[a.level]
	if a.uploads == 1 && a.puts > 0 {
		rounds := (a.puts + slots - 1) / slots
		slots = (a.puts + rounds - 1) / rounds
	}
	a.schedule.resize(slots)
}

func estimateOf(samples []float64) estimate {
	var sum, squares float64
	for _, s := range samples {
		sum += s
	}
	n := float64(len(samples))
	mean := sum / n
	for _, s := range samples {
		squares += (s - mean) * (s - mean)
	}
	return estimate{mean, math.Sqrt(squares / (n - 1) / n)}
}
