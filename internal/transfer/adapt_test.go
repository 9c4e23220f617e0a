package transfer_test

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// line is storage at the end of an emulated line. Each PUT reads its content in slices of 50 ms, at
// the rate that its connection then has. All times are virtual.
type line struct {
	store
	latency    time.Duration
	shared     float64                           // bytes per second of all connections together
	connection func(since time.Duration) float64 // bytes per second of one; nil: no limit of its own
	refuses    func(inFlight int) *http.Response // nil, or the answer to a PUT

	start   time.Time
	mu      sync.Mutex
	random  *rand.Rand
	sending int
	refused int
	flights []flight // PUTs in flight, a line for each time at which their number changed
}

type flight struct {
	at time.Duration
	n  int
}

func newLine(shared float64) *line {
	l := &line{latency: 80 * time.Millisecond, shared: shared, start: time.Now(), random: rand.New(rand.NewPCG(1, 2))}
	l.rule = l.put
	return l
}

func (l *line) change(by int) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Since(l.start)
	if k := len(l.flights); k > 0 {
		n = l.flights[k-1].n
		// Which of two PUTs comes first at one time is up to the scheduler.
		if l.flights[k-1].at == now {
			l.flights = l.flights[:k-1]
		}
	}
	l.flights = append(l.flights, flight{now, n + by})
	return n + by
}

// send changes how many connections are sending, without those that wait for an answer.
func (l *line) send(by int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sending += by
}

// rate is that of one connection, which varies by up to a tenth.
func (l *line) rate() float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.shared / float64(l.sending)
	if l.connection != nil {
		r = min(r, l.connection(time.Since(l.start)))
	}
	return r * (0.9 + 0.2*l.random.Float64())
}

// varies makes the rate of the whole line vary over time.
func (l *line) varies(factor func(since time.Duration) float64) {
	l.connection = func(since time.Duration) float64 { return factor(since) * l.shared / float64(l.sending) }
}

func (l *line) put(a *attempt, req *http.Request) (*http.Response, error) {
	n := l.change(1)
	defer l.change(-1)
	defer time.Sleep(l.latency)
	if l.refuses != nil {
		if resp := l.refuses(n); resp != nil {
			l.mu.Lock()
			l.refused++
			l.mu.Unlock()
			return resp, nil
		}
	}
	l.send(1)
	defer l.send(-1)
	const slice = 50 * time.Millisecond
	for {
		if err := req.Context().Err(); err != nil {
			return nil, err
		}
		wanted := int64(max(1, l.rate()*slice.Seconds()))
		if _, err := a.read(io.LimitReader(req.Body, wanted)); err != nil {
			return nil, err
		}
		time.Sleep(slice)
		if int64(len(a.Body)) == req.ContentLength {
			break
		}
	}
	// As net/http does. A body that is closed before its end waits for a refusal.
	if _, err := io.Copy(io.Discard, req.Body); err != nil {
		return nil, err
	}
	return l.take(a), nil
}

// inFlightFrom returns the mean and the largest number of PUTs in flight in a stretch of time.
func (l *line) inFlightFrom(from, to time.Duration) (mean float64, most int) {
	var sum time.Duration
	for i, f := range l.flights {
		end := to
		if i+1 < len(l.flights) {
			end = min(to, l.flights[i+1].at)
		}
		if d := end - max(from, f.at); d > 0 {
			sum += d * time.Duration(f.n)
			most = max(most, f.n)
		}
	}
	return float64(sum) / float64(to-from), most
}

// firstLevel is how many PUTs are in flight before a trial.
const firstLevel = 14

// trials returns how often more PUTs came to be in flight than at first.
func (l *line) trials() (n int) {
	above := false
	for _, f := range l.flights {
		if f.n > firstLevel && !above {
			n++
		}
		above = f.n > firstLevel
	}
	return n
}

// over uploads size bytes in parts of part bytes over a line, and returns how long that took.
func over(t *testing.T, l *line, concurrency, size int, part int64) time.Duration {
	t.Helper()
	f, want := newFile(t, size)
	e := newEngine(l, func(c *transfer.Config) { c.Concurrency = concurrency })
	start := time.Now()
	mustSend(t, e, f, part)
	if !l.holds(want) {
		t.Error("storage holds other content")
	}
	return time.Since(start)
}

// TestAdapts: how many PUTs are in flight on lines of several kinds.
func TestAdapts(t *testing.T) {
	t.Parallel()
	each := func(rate float64) func(time.Duration) float64 { return func(time.Duration) float64 { return rate } }
	for name, test := range map[string]struct {
		shared      float64
		connection  func(since time.Duration) float64 // nil: no limit of its own
		line        func(since time.Duration) float64 // factor of the whole line; nil: 1
		concurrency int
		size        int
		part        int64
		from, to    time.Duration // 0: to the end
		mean        float64       // at least
		most        [2]int        // PUTs in flight at most: from, to
		trials      int           // at least
		took        time.Duration // at most; 0: any time
	}{
		"a connection carries a twentieth: what an upload begins with does not fill the line": {
			shared: 1e6, connection: each(5e4), size: 40e6, part: 50_000,
			from: 20 * time.Second, to: 30 * time.Second, mean: 20, most: [2]int{20, 32}, took: 48 * time.Second,
		},
		"a connection carries a hundredth: as many as may be are worth it": {
			shared: 1e6, connection: each(1e4), size: 8e6, part: 10_000,
			from: 10 * time.Second, to: 20 * time.Second, mean: 29, most: [2]int{31, 32},
		},
		"more bring nothing, also while those of a trial finish their parts of ten seconds": {
			shared: 2e5, size: 24e6, part: 150_000, most: [2]int{firstLevel + 1, 32}, trials: 2,
		},
		// As on a long line that is full: the answers that it waits for come in groups.
		"samples that differ by half are no fall, for which many would begin at once": {
			shared: 1e5, size: 8e6, part: 10_000, most: [2]int{1, 16},
			line: func(since time.Duration) float64 { return 1 - float64((since/(500*time.Millisecond)+1)%2)/2 },
		},
		"no trial while connections get faster: it would succeed whatever it brings": {
			shared: 1e5, size: 8e6, part: 10_000, to: 8 * time.Second, most: [2]int{1, firstLevel},
			line: func(since time.Duration) float64 { return min(1, 0.05+since.Seconds()/10) },
		},
		"after five seconds a connection carries a fifth of what it did": {
			shared: 1e6, size: 30e6, part: 50_000, from: 15 * time.Second, to: 25 * time.Second, mean: 28, most: [2]int{28, 32},
			connection: func(since time.Duration) float64 {
				if since < 5*time.Second {
					return 125_000
				}
				return 25_000
			},
		},
		"a file that is over soon after a trial has told anything": {
			shared: 1e6, connection: each(1e5), size: 8e6, part: 50_000, most: [2]int{firstLevel, firstLevel},
		},
		"a fixed number": {shared: 1e6, connection: each(1e5), concurrency: 5, size: 20e6, part: 50_000, most: [2]int{5, 5}},
	} {
		bubble.Run(t, name, func(t *testing.T) {
			l := newLine(test.shared)
			if l.connection = test.connection; test.line != nil {
				l.varies(test.line)
			}
			took := over(t, l, test.concurrency, test.size, test.part)
			if mean, most := l.inFlightFrom(test.from, cmp.Or(test.to, took)); mean < test.mean || most < test.most[0] || most > test.most[1] {
				t.Errorf("%.1f PUTs in flight, at most %d", mean, most)
			}
			if trials := l.trials(); trials < test.trials || test.took > 0 && took > test.took {
				t.Errorf("%d trials, in %s", trials, took)
			}
		})
	}
}

// More connections bring nothing. Trials get rare, and none is near the end.
func TestDoesNotOscillate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLine(1e5)
		took := over(t, l, 0, 40e6, 10_000)
		if mean, _ := l.inFlightFrom(10*time.Second, took); mean > firstLevel+3 {
			t.Errorf("%.2f PUTs in flight", mean)
		}
		if trials := l.trials(); trials < 2 || trials > 10 {
			t.Errorf("%d trials in %s", trials, took)
		}
		if _, most := l.inFlightFrom(took-8*time.Second, took); most > firstLevel {
			t.Errorf("%d PUTs in flight at the end", most)
		}
	})
}

// The upload ends during a trial. The next one begins a minute later, when the line is faster,
// which is not because of the trial.
func TestTrialEndsWithAPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLine(1e5)
		ctx, cancel := context.WithCancel(t.Context())
		l.refuses = func(n int) *http.Response {
			if n > firstLevel {
				cancel()
			}
			return nil
		}
		f, _ := newFile(t, 40e6)
		e := newEngine(l, func(c *transfer.Config) { c.Concurrency = 0 })
		if _, err := e.UploadParts(ctx, f, 100_000, nil, &upload{}); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		l.refuses, l.shared = nil, 5e5
		begins := time.Since(l.start)
		mustSend(t, e, f, 100_000)
		if mean, _ := l.inFlightFrom(begins+10*time.Second, time.Since(l.start)); mean > firstLevel+4 {
			t.Errorf("%.2f PUTs in flight", mean)
		}
	})
}

// All parts are in flight, so a trial would tell nothing until another file comes.
func TestTriesNothingThatCannotBeFilled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLine(1e6)
		l.connection = func(time.Duration) float64 { return 1e4 }
		f, _ := newFile(t, firstLevel*200_000)
		e := newEngine(l, func(c *transfer.Config) { c.Concurrency = 0 })
		var uploads sync.WaitGroup
		for range 2 {
			uploads.Go(func() { mustSend(t, e, f, 200_000) })
			time.Sleep(5025 * time.Millisecond) // between two slices
		}
		uploads.Wait()
		if _, most := l.inFlightFrom(0, 5040*time.Millisecond); most != firstLevel {
			t.Errorf("%d PUTs in flight when the second file came", most)
		}
		if _, most := l.inFlightFrom(6*time.Second, 10*time.Second); most <= firstLevel {
			t.Errorf("%d PUTs in flight soon after", most)
		}
	})
}

// Another upload fills the line when one ends, so no slot is left free.
func TestUploadsShareAllSlots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLine(1e6)
		f, _ := newFile(t, 13*100_000)
		e := newEngine(l, func(c *transfer.Config) { c.Concurrency = 0 })
		var uploads sync.WaitGroup
		for range 2 {
			uploads.Go(func() { mustSend(t, e, f, 100_000) })
		}
		uploads.Wait()
		if _, most := l.inFlightFrom(0, time.Minute); most != firstLevel {
			t.Errorf("%d PUTs in flight", most)
		}
	})
}

// Storage refuses more than 12 PUTs at once.
func TestGivesWay(t *testing.T) {
	t.Parallel()
	for _, status := range []int{503, 429} {
		synctest.Test(t, func(t *testing.T) {
			l := newLine(1e6)
			l.connection = func(time.Duration) float64 { return 2e4 }
			l.refuses = func(n int) *http.Response {
				if n > 12 {
					return refusal(status, "SlowDown")
				}
				return nil
			}
			took := over(t, l, 0, 10e6, 20_000)
			if mean, _ := l.inFlightFrom(10*time.Second, took); mean > 12 {
				t.Errorf("%.1f PUTs in flight", mean)
			}
			if l.refused == 0 || l.refused > 40 {
				t.Errorf("%d refused", l.refused)
			}
		})
	}
}

// From some time on, when 32 PUTs are in flight, storage refuses more than 5.
func TestGivesWayUntilNothingIsRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLine(1e6)
		l.connection = func(time.Duration) float64 { return 1e4 }
		l.refuses = func(n int) *http.Response {
			if n > 5 && time.Since(l.start) > 20*time.Second {
				return refusal(503, "SlowDown")
			}
			return nil
		}
		f, _ := newFile(t, 12e6)
		e := newEngine(l, func(c *transfer.Config) { c.Concurrency, c.MaxRetries = 0, 50 })
		mustSend(t, e, f, 10_000)
		if mean, _ := l.inFlightFrom(15*time.Second, 20*time.Second); mean < 30 {
			t.Errorf("%.1f PUTs in flight before", mean)
		}
		if mean, _ := l.inFlightFrom(30*time.Second, time.Since(l.start)); mean > 6 {
			t.Errorf("%.1f PUTs in flight, %d refused", mean, l.refused)
		}
		if l.refused > 400 {
			t.Errorf("%d refused", l.refused)
		}
	})
}
