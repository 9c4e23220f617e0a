package transfer_test

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
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

// loadPart is the size of a part in bytes. What a line carries is given in parts, so that small ones do.
const loadPart = 16 << 10

type loadKind struct {
	name string
	line func(r *rand.Rand) loadLine
}

// loadKinds are the lines on which rules are compared. What one connection carries is a share of the line.
var loadKinds = []loadKind{
	{"full line", func(r *rand.Rand) loadLine { // twelve connections could carry more than the line does
		return loadLine{rate: 6, trip: trips[r.IntN(len(trips))], each: 1 / (4 + 4*r.Float64())}
	}},
	{"slow line", func(r *rand.Rand) loadLine { // twelve parts at once take eight seconds
		return loadLine{rate: 1.5, trip: 20 * time.Millisecond, each: 1 / (2 + 2*r.Float64())}
	}},
	{"limited connections", func(r *rand.Rand) loadLine {
		return loadLine{rate: 6, trip: 80 * time.Millisecond, each: 1 / (8 + 8*r.Float64())}
	}},
	{"loss", func(*rand.Rand) loadLine {
		return loadLine{rate: 3, trip: 80 * time.Millisecond, each: 1. / 8, losses: 1.5}
	}},
	{"late answers", func(r *rand.Rand) loadLine {
		return loadLine{rate: 6, trip: trips[r.IntN(len(trips))], each: 1 / (4 + 4*r.Float64()), late: 0.01}
	}},
}

var trips = []time.Duration{20 * time.Millisecond, 80 * time.Millisecond, 200 * time.Millisecond}

// loadLine is storage at the end of a line, in virtual time. Connections differ, and change while they send.
// Like http.Transport, it uses the idle connection that was used last, or a new one.
type loadLine struct {
	rate   float64       // parts per second of all connections together
	trip   time.Duration // round trip
	each   float64       // share of the line that a connection can carry
	spread float64       // the share varies by a factor of up to 1+spread, up or down
	losses float64       // mean time in seconds until a connection loses a packet and half of its rate; 0: never
	late   float64       // share of answers that come five seconds late
	random *rand.Rand

	mu     sync.Mutex
	idle   []*loadConn
	active []*loadConn
	puts   int
}

// loadConn is a connection.
type loadConn struct {
	born    time.Time
	factor  float64   // of loadLine.each
	changes time.Time // when factor changes
	lost    float64   // share of the rate that losses have left
	loses   time.Time // when the next packet is lost
	seen    time.Time
}

func (l *loadLine) after(mean float64) time.Time {
	return time.Now().Add(time.Duration(mean * l.random.ExpFloat64() * float64(time.Second)))
}

func (l *loadLine) factor() float64 { return math.Pow(1+l.spread, 2*l.random.Float64()-1) }

func (l *loadLine) dial() *loadConn {
	c := &loadConn{born: time.Now(), seen: time.Now(), factor: l.factor(), changes: l.after(5), lost: 1}
	if l.losses > 0 {
		c.loses = l.after(l.losses)
	}
	return c
}

// take returns an idle connection, or nil.
func (l *loadLine) take() (c *loadConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.puts++
	if n := len(l.idle); n > 0 {
		c, l.idle = l.idle[n-1], l.idle[:n-1]
	}
	return c
}

func (l *loadLine) CloseIdleConnections() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.idle = nil
}

// could is what a connection could carry now, in parts per second.
func (l *loadLine) could(c *loadConn) float64 {
	now := time.Now()
	if now.After(c.changes) {
		c.factor, c.changes = l.factor(), l.after(5)
	}
	if l.losses > 0 {
		c.lost = min(1, c.lost+0.1*now.Sub(c.seen).Seconds())
		if now.After(c.loses) {
			c.lost, c.loses = c.lost/2, l.after(l.losses)
		}
	}
	c.seen = now
	slowStart := 0.002 / l.trip.Seconds() * math.Exp2(min(30, float64(now.Sub(c.born))/float64(l.trip)))
	return min(l.rate*l.each*c.factor*c.lost, slowStart)
}

// share is what a connection that is sending gets, in parts per second.
func (l *loadLine) share(of *loadConn) float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all, own float64
	for _, c := range l.active {
		could := l.could(c)
		all += could
		if c == of {
			own = could
		}
	}
	return own * min(1, l.rate/all)
}

func (l *loadLine) sending(c *loadConn, sends bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if sends {
		l.active = append(l.active, c)
	} else {
		l.active = slices.DeleteFunc(l.active, func(o *loadConn) bool { return o == c })
	}
}

func (l *loadLine) RoundTrip(req *http.Request) (*http.Response, error) {
	defer req.Body.Close()
	c := l.take()
	if c == nil {
		if err := pause(req.Context(), l.trip); err != nil {
			return nil, err
		}
		l.mu.Lock()
		c = l.dial()
		l.mu.Unlock()
	}
	sum, err := l.receive(req, c)
	if err != nil {
		return nil, err
	}
	wait := l.trip
	l.mu.Lock()
	if l.late > l.random.Float64() {
		wait += 5 * time.Second
	}
	l.mu.Unlock()
	if err := pause(req.Context(), wait); err != nil {
		return nil, err
	}
	l.mu.Lock()
	l.idle = append(l.idle, c)
	l.mu.Unlock()
	return answer(http.StatusOK, "", "ETag", `"`+hex.EncodeToString(sum)+`"`), nil
}

// receive takes in the content of a PUT and returns its MD5.
func (l *loadLine) receive(req *http.Request, c *loadConn) ([]byte, error) {
	l.sending(c, true)
	defer l.sending(c, false)
	sum, credit := md5.New(), 0.
	const slice = 20 * time.Millisecond
	for left := req.ContentLength; left > 0; {
		if err := pause(req.Context(), slice); err != nil {
			return nil, err
		}
		credit += l.share(c) * loadPart * slice.Seconds()
		n, err := io.CopyN(sum, req.Body, min(left, int64(credit)))
		if err != nil {
			return nil, err
		}
		left, credit = left-n, credit-float64(n)
	}
	_, err := io.Copy(io.Discard, req.Body) // as net/http does
	return sum.Sum(nil), err
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

// sendLoad makes one upload of a random number of parts.
func sendLoad(t *testing.T, f transfer.File, kind int, spread float64, seed uint64, change ...func(*transfer.Config)) (o loadOutcome) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(seed, 0))
		l := loadKinds[kind].line(random)
		l.spread, l.random = spread, random
		e := newEngine(&l, append([]func(*transfer.Config){func(c *transfer.Config) { c.Concurrency = 0 }}, change...)...)
		begin := time.Now()
		_, err := e.UploadParts(t.Context(), f, loadPart, nil, &upload{onURL: func(int, int) error { time.Sleep(l.trip); return nil }})
		if err != nil {
			t.Error(err)
		}
		parts := float64(transfer.PartCount(f.Size, loadPart))
		o = loadOutcome{parts / l.rate / time.Since(begin).Seconds(), float64(l.puts)/parts - 1}
	})
	return o
}

// TestFullLineHasNoRoom: where connections fill the line, no part is sent once more, however long it takes. A last
// part that is small takes no time, which tells nothing of the others.
func TestFullLineHasNoRoom(t *testing.T) {
	t.Parallel()
	kind := slices.IndexFunc(loadKinds, func(k loadKind) bool { return k.name == "slow line" })
	for seed, size := range map[uint64]int{40: 24*loadPart + 1683, 53: 24*loadPart + 725, 16: 71*loadPart + 2911} {
		f, _ := newFile(t, size)
		if o := sendLoad(t, f, kind, 0, seed); o.extra > 0 || o.share < 0.96 {
			t.Errorf("%d bytes: %.1f %% more PUTs, %.1f %% of the line", size, 100*o.extra, 100*o.share)
		}
	}
}

// loadRow is a row of the table that TestLoads measures. Shares are in per cent of what the line carries.
type loadRow struct {
	Line   string  `json:"line"`
	Spread float64 `json:"spread"`
	Mean   float64 `json:"mean"`
	Tenth  float64 `json:"tenth"` // nine of ten uploads are better
	Worst  float64 `json:"worst"`
	Extra  float64 `json:"extra"` // PUTs beyond one a part, in per cent of the parts
}

// TestLoads measures the rules for the end of a file over random numbers of parts and connections that differ:
// `make bench ARGS=loads`.
func TestLoads(t *testing.T) {
	t.Parallel()
	uploads, err := strconv.Atoi(os.Getenv("LOADS"))
	if err != nil {
		t.Skip("LOADS does not say how many uploads to measure for each row")
	}
	slots, _ := strconv.Atoi(os.Getenv("LOADS_SLOTS"))
	random := rand.New(rand.NewPCG(1, 2))
	files := make([]transfer.File, uploads)
	for i := range files {
		files[i], _ = newFile(t, (13+random.IntN(118))*loadPart-random.IntN(loadPart))
	}
	var rows []loadRow
	for kind := range loadKinds {
		for _, spread := range []float64{0, 0.1, 0.3, 1, 3} {
			var shares []float64
			row := loadRow{Line: loadKinds[kind].name, Spread: 100 * spread}
			for i, f := range files {
				o := sendLoad(t, f, kind, spread, uint64(i), func(c *transfer.Config) { c.Concurrency = slots })
				shares = append(shares, 100*o.share)
				row.Mean += 100 * o.share / float64(uploads)
				row.Extra += 100 * o.extra / float64(uploads)
			}
			slices.Sort(shares)
			row.Worst, row.Tenth = shares[0], shares[len(shares)/10]
			t.Logf("%s, %.0f %%: mean %.1f, tenth %.1f, worst %.1f, extra %.1f", row.Line, row.Spread, row.Mean, row.Tenth, row.Worst, row.Extra)
			rows = append(rows, row)
		}
	}
	text, err := json.Marshal(rows)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("rows: %s", text)
}
