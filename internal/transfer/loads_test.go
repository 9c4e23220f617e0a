package transfer_test

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// loadPart is the size in bytes of a part that stands for one of 8 MiB, so that hashing takes no
// time.
const loadPart = 16 << 10

const (
	packet    = 1448. * loadPart / (8 << 20) // payload in bytes
	loadSlice = 20 * time.Millisecond        // between two looks of a PUT
	megabit   = 1e6 / 8. * loadPart / (8 << 20)
)

type loadKind struct {
	name string
	line func(r *rand.Rand) profile
}

// profile is what a line is like.
type profile struct {
	rate float64       // Mbit/s
	trip time.Duration // round trip of an empty queue
	each float64       // Mbit/s that a connection can carry; 0: any
	loss float64       // share of packets
	late float64       // share of answers that come five seconds late
	dead bool          // one of four addresses is dead
}

func always(p profile) func(*rand.Rand) profile { return func(*rand.Rand) profile { return p } }

// loadKinds are the lines on which rules are compared: those of the part lines of the benchmark, a
// line with late answers, and lines that nobody tunes a rule on.
var loadKinds = []loadKind{
	{"a: 100 Mbit/s, 20 ms", always(profile{rate: 100, trip: 20 * time.Millisecond})},
	{"b: 400 Mbit/s, 80 ms", always(profile{rate: 400, trip: 80 * time.Millisecond})},
	{"c: 400 Mbit/s, 200 ms", always(profile{rate: 400, trip: 200 * time.Millisecond})},
	{"d: 200 Mbit/s, 80 ms, 0.1 % loss", always(profile{rate: 200, trip: 80 * time.Millisecond, loss: .001})},
	{"e: 400 Mbit/s, 80 ms, 40 Mbit/s each connection", always(profile{rate: 400, trip: 80 * time.Millisecond, each: 40})},
	{"late answers: 400 Mbit/s, 80 ms, one of 50", always(profile{rate: 400, trip: 80 * time.Millisecond, late: .02})},
	{"dead address: 400 Mbit/s, 80 ms, one of four", always(profile{rate: 400, trip: 80 * time.Millisecond, dead: true})},
	{"drawn", func(r *rand.Rand) profile {
		l := profile{rate: 20 * math.Pow(40, r.Float64()), trip: time.Duration(5*math.Pow(50, r.Float64())) * time.Millisecond}
		switch r.IntN(3) {
		case 0:
			l.loss = .0001 * math.Pow(30, r.Float64())
		case 1:
			l.each = l.rate / (2 + 30*r.Float64())
		}
		return l
	}},
}

// loadLine is storage at the end of a line, in virtual time. Connections share the line and its
// queue, which holds one bandwidth-delay product, as TCP with cubic congestion control does. Like
// http.Transport, the line uses the idle connection that was used last, or a new one.
type loadLine struct {
	profile
	random *rand.Rand

	mu      sync.Mutex
	at      time.Time // until when the line is emulated
	queue   float64   // bytes
	idle    []*loadConn
	active  []*loadConn
	puts    int
	dials   int
	avoided time.Time // when the dead address is known; zero: nobody has tried it
	carried float64   // bytes that have arrived
}

// loadConn is a connection.
type loadConn struct {
	window  float64   // packets in flight
	top     float64   // window before the latest loss
	period  float64   // seconds until the window is as large again
	grows   time.Time // since when it grows by the cubic function; zero: slow start
	recover time.Time // packets lost before are of one event
	arrived float64   // bytes of the PUT
	handed  float64   // the same
	rate    float64   // bytes per second
	used    time.Time
}

func (l *loadLine) capacity() float64 { return l.rate * megabit * 1448 / 1500 }

// roundTrip is that of packets that enter the queue now.
func (l *loadLine) roundTrip() time.Duration {
	return l.trip + time.Duration(l.queue/l.capacity()*float64(time.Second))
}

// step is how far the line is emulated at a time.
func (l *loadLine) step() time.Duration { return min(l.trip/4, loadSlice) }

// advance emulates the line until now. The caller holds l.mu.
func (l *loadLine) advance() {
	if len(l.active) == 0 {
		l.queue = max(0, l.queue-l.capacity()*time.Since(l.at).Seconds())
		l.at = time.Now()
	}
	step := l.step()
	for ; time.Since(l.at) >= step; l.at = l.at.Add(step) {
		trip, offered := l.roundTrip(), 0.
		for _, c := range l.active {
			c.rate = c.window * packet / trip.Seconds()
			if l.each > 0 {
				c.rate = min(c.rate, l.each*megabit*1448/1500)
			}
			c.rate = min(c.rate, (c.handed-c.arrived)/step.Seconds())
			offered += c.rate
		}
		l.queue = max(0, l.queue+(offered-l.capacity())*step.Seconds())
		dropped := max(0, l.queue-l.capacity()*l.trip.Seconds())
		l.queue -= dropped
		for _, c := range l.active {
			lost := (dropped/max(offered, 1) + l.loss*step.Seconds()) * c.rate
			arrived := c.rate*step.Seconds() - lost
			c.arrived += arrived
			l.carried += arrived
			c.change(l, trip, lost/packet)
		}
	}
}

// change changes the window after a step in which the connection has lost packets.
func (c *loadConn) change(l *loadLine, trip time.Duration, lost float64) {
	const beta, cubic = 0.7, 0.4
	most := 2.6e6 / 1448 // a send buffer of the system
	if l.each > 0 {
		most = min(most, max(10, 1.2*l.each*1e6/8/1448*trip.Seconds()))
	}
	elapsed := l.at.Sub(c.grows).Seconds()
	waits := l.queue / l.capacity()
	switch {
	case !l.at.Before(c.recover) && l.random.Float64() > math.Exp(-lost):
		c.top, c.window = c.window, max(2, beta*c.window)
		c.period = math.Cbrt(c.top * (1 - beta) / cubic)
		c.grows, c.recover = l.at, l.at.Add(trip)
	case c.grows.IsZero() && waits > min(max(l.trip.Seconds()/8, .004), .016): // HyStart
		c.top, c.period, c.grows = c.window, 0, l.at
	case c.grows.IsZero():
		c.window *= math.Exp2(l.step().Seconds() / trip.Seconds())
	default:
		reno := beta*c.top + 3*(1-beta)/(1+beta)*elapsed/trip.Seconds()
		since := elapsed - c.period
		c.window = max(c.window, min(max(cubic*since*since*since+c.top, reno), 1.5*c.window))
	}
	c.window = min(c.window, most)
}

// take returns the idle connection that was used last, or nil.
func (l *loadLine) take() (c *loadConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.puts++
	n := len(l.idle)
	if n == 0 {
		return nil
	}
	c, l.idle = l.idle[n-1], l.idle[:n-1]
	for unused := time.Since(c.used) - time.Second; unused > 0 && c.window > 10; unused -= time.Second {
		c.window = max(10, c.window/2)
	}
	return c
}

// dial makes a connection. Those to a dead address wait until the next address is tried.
func (l *loadLine) dial(ctx context.Context) (*loadConn, error) {
	l.mu.Lock()
	wait := l.trip
	if l.dials++; l.dead && l.dials%4 == 0 && (l.avoided.IsZero() || time.Now().Before(l.avoided)) {
		wait += 300 * time.Millisecond
		if l.avoided.IsZero() {
			l.avoided = time.Now().Add(wait)
		}
	}
	l.mu.Unlock()
	return &loadConn{window: 10}, pause(ctx, wait)
}

func (l *loadLine) CloseIdleConnections() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.idle = nil
}

func (l *loadLine) sending(c *loadConn, sends bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.advance()
	if sends {
		c.arrived, c.handed = 0, 0
		l.active = append(l.active, c)
	} else {
		l.active = slices.DeleteFunc(l.active, func(o *loadConn) bool { return o == c })
	}
}

func (l *loadLine) RoundTrip(req *http.Request) (*http.Response, error) {
	defer req.Body.Close()
	c := l.take()
	if c == nil {
		var err error
		if c, err = l.dial(req.Context()); err != nil {
			return nil, err
		}
	}
	sum, err := l.receive(req, c)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	wait := l.roundTrip()
	if l.late > l.random.Float64() {
		wait += 5 * time.Second
	}
	l.mu.Unlock()
	if err := pause(req.Context(), wait); err != nil {
		return nil, err
	}
	l.mu.Lock()
	c.used = time.Now()
	l.idle = append(l.idle, c)
	l.mu.Unlock()
	return answer(http.StatusOK, "", "ETag", `"`+hex.EncodeToString(sum)+`"`), nil
}

// receive takes in the content of a PUT and returns its MD5. The system takes bytes before the line
// does.
func (l *loadLine) receive(req *http.Request, c *loadConn) ([]byte, error) {
	l.sending(c, true)
	defer l.sending(c, false)
	sum := md5.New()
	for {
		l.mu.Lock()
		l.advance()
		arrived, handed, buffer := c.arrived, c.handed, 2*packet*c.window*max(1, loadSlice.Seconds()/l.trip.Seconds())
		l.mu.Unlock()
		if arrived >= float64(req.ContentLength)-1 {
			_, err := io.Copy(io.Discard, req.Body) // as net/http does
			return sum.Sum(nil), err
		}
		wanted := max(0, min(req.ContentLength, int64(arrived+buffer))-int64(handed))
		for wanted > 0 {
			n, err := io.CopyN(sum, req.Body, min(wanted, 256))
			if err != nil {
				return nil, err
			}
			l.mu.Lock()
			c.handed += float64(n)
			l.mu.Unlock()
			wanted -= n
		}
		if err := pause(req.Context(), loadSlice); err != nil {
			return nil, err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// loadOutcome is what one upload took.
type loadOutcome struct {
	share float64 // of what the line carries
	extra float64 // PUTs beyond one a part, as a share of the parts
}

// sendLoad makes one upload.
func sendLoad(t *testing.T, f transfer.File, kind loadKind, seed uint64, change ...func(*transfer.Config)) (o loadOutcome) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(seed, 0))
		l := &loadLine{profile: kind.line(random), random: random, at: time.Now()}
		e := newEngine(l, append([]func(*transfer.Config){func(c *transfer.Config) { c.Concurrency = 0 }}, change...)...)
		begin := time.Now().Add(-3 * l.trip) // to connect to the service, to create the upload, and to complete it
		_, err := e.UploadParts(t.Context(), f, loadPart, nil, &upload{onURL: func(int, int) error { time.Sleep(l.trip); return nil }})
		if err != nil {
			t.Error(err)
		}
		o = loadOutcome{float64(f.Size) / l.capacity() / time.Since(begin).Seconds(), float64(l.puts)/float64(transfer.PartCount(f.Size, loadPart)) - 1}
	})
	return o
}

// TestLoads measures the goodput of LOADS files of 155 to 640 MiB on each line, in per cent of what
// the line carries. "extra" is PUTs beyond one a part, in per cent of the parts.
func TestLoads(t *testing.T) {
	t.Parallel()
	uploads, err := strconv.Atoi(os.Getenv("LOADS"))
	if err != nil {
		t.Skip("LOADS does not say how many uploads to measure for each row")
	}
	slots, _ := strconv.Atoi(os.Getenv("LOADS_SLOTS"))
	seed, err := strconv.ParseUint(os.Getenv("LOADS_SEED"), 10, 64)
	if err != nil {
		seed = rand.Uint64N(1e6)
	}
	random := rand.New(rand.NewPCG(seed, 0))
	files := make([]transfer.File, uploads)
	for i := range files {
		files[i], _ = newFile(t, (20+random.IntN(61))*loadPart-random.IntN(loadPart))
	}
	t.Logf("seed %d", seed)
	for _, kind := range loadKinds {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			var shares []float64
			var mean, extra float64
			for i, f := range files {
				o := sendLoad(t, f, kind, seed+uint64(i), func(c *transfer.Config) { c.Concurrency = slots })
				shares = append(shares, 100*o.share)
				mean += 100 * o.share / float64(uploads)
				extra += 100 * o.extra / float64(uploads)
			}
			slices.Sort(shares)
			t.Logf("%s: mean %.1f, tenth %.1f, worst %.1f, extra %.1f", kind.name, mean, shares[len(shares)/10], shares[0], extra)
		})
	}
}
