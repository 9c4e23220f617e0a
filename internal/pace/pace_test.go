package pace_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/pace"
)

const part = 1 << 20

func noAddress(context.Context) (string, error) { return "", nil }

// puts begins PUTs of an upload, each of which calls send, and counts those in flight.
func puts(t *testing.T, u *pace.Sender, count int, send func()) (inFlight *atomic.Int32) {
	t.Helper()
	inFlight = &atomic.Int32{}
	go func() {
		for range count {
			turn, err := u.Next(t.Context())
			if err != nil {
				return
			}
			go func() {
				_ = turn.Run(t.Context(), noAddress, func(string, error) bool {
					inFlight.Add(1)
					defer inFlight.Add(-1)
					send()
					return false
				})
			}()
		}
	}()
	return inFlight
}

// TestUploadsShareTheSlots: an upload of many parts leaves half of the slots to one that begins
// later.
func TestUploadsShareTheSlots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := pace.New(8)
		done := make(chan struct{})
		send := func() { <-done }
		first := puts(t, c.Sender(100*part), 100, send)
		synctest.Wait()
		if n := first.Load(); n != 8 {
			t.Fatalf("%d PUTs of an upload without others are in flight, not 8", n)
		}
		second := puts(t, c.Sender(100*part), 100, send)
		for range 80 {
			done <- struct{}{}
			synctest.Wait()
		}
		if a, b := first.Load(), second.Load(); a+b != 8 || a < 3 || b < 3 {
			t.Errorf("%d and %d PUTs are in flight", a, b)
		}
		close(done)
		synctest.Wait()
	})
}

// TestAddressesAreAskedForAhead: while PUTs are in flight, the addresses of as many others are
// asked for.
func TestAddressesAreAskedForAhead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u := pace.New(4).Sender(100 * part)
		var asked, begun atomic.Int32
		over := make(chan struct{})
		for range 20 {
			go func() {
				turn, err := u.Next(t.Context())
				if err != nil {
					t.Error(err)
				}
				_ = turn.Run(t.Context(), func(context.Context) (string, error) { asked.Add(1); return "", nil },
					func(string, error) bool { begun.Add(1); <-over; return false })
			}()
		}
		synctest.Wait()
		if asked.Load() != 8 || begun.Load() != 4 {
			t.Errorf("%d addresses, %d PUTs", asked.Load(), begun.Load())
		}
		close(over)
		synctest.Wait()
		if asked.Load() != 20 || begun.Load() != 20 {
			t.Errorf("%d addresses, %d PUTs in the end", asked.Load(), begun.Load())
		}
	})
}

// TestAPlaceThatIsGivenUp: who does not wait any more leaves no slot in use.
func TestAPlaceThatIsGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u := pace.New(1).Sender(100 * part)
		done := make(chan struct{})
		puts(t, u, 1, func() { <-done })
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		prepares, err := u.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var waiting sync.WaitGroup
		waiting.Go(func() {
			if _, err := u.Next(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
		})
		waiting.Go(func() {
			err := prepares.Run(ctx, noAddress, func(string, error) bool { t.Error("it has begun"); return false })
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
		})
		synctest.Wait()
		cancel()
		waiting.Wait()
		close(done)
		if inFlight := puts(t, u, 1, func() { time.Sleep(time.Second) }); true {
			synctest.Wait()
			if inFlight.Load() != 1 {
				t.Error("the slot is still in use")
			}
		}
		time.Sleep(time.Minute)
	})
}

// TestHedge: a PUT is sent once more if its rest would take longer than the fastest of the latest
// PUTs, and nothing waits.
func TestHedge(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		puts    []float64 // seconds that PUTs took before
		sent    float64   // share of the PUT that was sent in two seconds
		used    int       // slots of four that other PUTs have
		waiting int       // PUTs
		want    bool
	}{
		"the rest takes longer":    {puts: []float64{2}, sent: .4, want: true},
		"the rest takes less long": {puts: []float64{2}, sent: .6},
		"one connection was fast":  {puts: []float64{9, 2, 9}, sent: .4, want: true},
		"all are slow":             {puts: []float64{9, 9}, sent: .3},
		"little would be gained":   {puts: []float64{.3}, sent: .85},
		"nothing was sent":         {puts: []float64{1.9}, want: true},
		"it has just begun":        {puts: []float64{2}, sent: .1},
		"no PUT has ended":         {sent: .1},
		"all slots are in use":     {puts: []float64{2}, sent: .4, used: 3},
		"others wait":              {puts: []float64{2}, sent: .4, used: 3, waiting: 1},
	} {
		bubble.Run(t, name, func(t *testing.T) {
			u := pace.New(4).Sender(100 * part)
			defer u.Close()
			for _, took := range c.puts {
				u.Stored(part, time.Duration(took*float64(time.Second)))
			}
			if len(c.puts) > 0 {
				u.Stored(part/10, time.Millisecond) // the last part of a file says nothing
			}
			turn, err := u.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			over := make(chan struct{})
			go func() { _ = turn.Run(t.Context(), noAddress, func(string, error) bool { <-over; return false }) }()
			synctest.Wait()
			others := puts(t, u, c.used+c.waiting, func() { <-over })
			synctest.Wait()
			end, ok := turn.Hedge(2*time.Second, int64(c.sent*part), part)
			if ok != c.want || others.Load() != int32(c.used) {
				t.Errorf("hedge: %t, with %d other PUTs", ok, others.Load())
			}
			if ok {
				end()
			}
			close(over)
			synctest.Wait()
		})
	}
}

// line is a line of which each connection gets an equal share, in virtual time.
type line struct {
	shared float64                           // bytes per second of all connections together
	each   func(since time.Duration) float64 // bytes per second of one
	random *rand.Rand
}

// TestSlots: how many PUTs are in flight on several kinds of lines.
func TestSlots(t *testing.T) {
	t.Parallel()
	each := func(rate float64) func(time.Duration) float64 { return func(time.Duration) float64 { return rate } }
	const full, few, many = 20 << 20, 14, 32
	for name, c := range map[string]struct {
		shared     float64
		each       func(since time.Duration) float64
		parts      int
		from       time.Duration // until the upload ends
		least, top float64       // PUTs in flight in the mean
	}{
		"each connection carries a fortieth": {full, each(full / 40), 1500, 20 * time.Second, 28, many},
		"more connections bring nothing":     {full, each(full), 3000, 10 * time.Second, few - 2, few + 4},
		"a file that is over soon":           {full, each(full / 40), 200, 0, few - 4, few},
		"the connections lose packets after 5 s": {full, func(since time.Duration) float64 {
			if since < 5*time.Second {
				return full / 10
			}
			return full / 50
		}, 1000, 15 * time.Second, 26, many},
	} {
		bubble.Run(t, name, func(t *testing.T) {
			l := line{c.shared, c.each, rand.New(rand.NewPCG(1, 2))}
			if mean := l.send(t, pace.New(0).Sender(int64(c.parts)*part), c.parts, c.from); mean < c.least || mean > c.top {
				t.Errorf("%.1f PUTs in flight in the mean", mean)
			}
		})
	}
}

// send makes the PUTs of an upload, and returns how many were in flight in the mean from some time
// on.
func (l *line) send(t *testing.T, u *pace.Sender, parts int, from time.Duration) (mean float64) {
	t.Helper()
	var mu sync.Mutex
	var inFlight, stored int
	begun := time.Now()
	puts(t, u, parts, func() {
		mu.Lock()
		inFlight++
		mu.Unlock()
		put := time.Now()
		for left := float64(part); left > 0; {
			mu.Lock()
			rate := min(l.shared/float64(inFlight), l.each(time.Since(begun))) * (0.9 + 0.2*l.random.Float64())
			mu.Unlock()
			sent := min(left, rate*0.05)
			time.Sleep(50 * time.Millisecond)
			u.Sent(int64(sent))
			left -= sent
		}
		u.Stored(part, time.Since(put))
		mu.Lock()
		defer mu.Unlock()
		inFlight--
		stored++
	})
	samples := 0.
	for {
		time.Sleep(51 * time.Millisecond)
		mu.Lock()
		n, isOver := inFlight, stored == parts
		mu.Unlock()
		if isOver {
			return mean / samples
		}
		if time.Since(begun) > from {
			mean += float64(n)
			samples++
		}
	}
}
