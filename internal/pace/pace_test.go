package pace_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/pace"
)

const part = 8 << 20

// puts begins PUTs of an upload that end when done is closed, and counts those in flight.
func puts(t *testing.T, u *pace.Sender, count int, done <-chan struct{}) (inFlight *atomic.Int32) {
	t.Helper()
	inFlight = &atomic.Int32{}
	go func() {
		for range count {
			turn, err := u.Next(t.Context())
			if err != nil {
				return
			}
			go func() {
				_ = turn.Run(t.Context(), func(context.Context) (string, error) { return "", nil }, func(string, error) bool {
					inFlight.Add(1)
					defer inFlight.Add(-1)
					<-done
					return false
				})
			}()
		}
	}()
	return inFlight
}

// TestSlots: an upload that is alone gets as many slots as it needs to take no longer, and where
// the bandwidth is limited, only as many as end in time.
func TestSlots(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		slots     int
		bandwidth int64
		parts     int
		want      int32
	}{
		{"three rounds of 12, not two of 14 and one of 6", 0, 0, 34, 12},
		{"five full rounds", 0, 0, 70, 14},
		{"one part more than a round", 0, 0, 15, 8},
		{"fewer parts than slots", 0, 0, 5, 5},
		{"a fixed number", 6, 0, 34, 6},
		{"a bandwidth of 8 Mbit/s", 0, 1e6, 34, 2},
		{"a bandwidth of 25 Mbit/s", 0, 3_125_000, 35, 5},
		{"a bandwidth of 1 Gbit/s", 0, 125e6, 70, 14},
	} {
		bubble.Run(t, c.name, func(t *testing.T) {
			u := pace.New(c.slots, c.bandwidth).Sender(int64(c.parts)*part, part)
			defer u.Close()
			done := make(chan struct{})
			inFlight := puts(t, u, c.parts, done)
			synctest.Wait()
			if got := inFlight.Load(); got != c.want {
				t.Errorf("%d PUTs are in flight, not %d", got, c.want)
			}
			close(done)
			synctest.Wait()
		})
	}
}

// TestTwoUploadsShareTheSlots: an upload of many parts leaves half of the slots to one that begins
// later.
func TestTwoUploadsShareTheSlots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := pace.New(8, 0)
		first, second := c.Sender(100*part, part), c.Sender(100*part, part)
		defer first.Close()
		defer second.Close()
		done := make(chan struct{})
		one := puts(t, first, 100, done)
		synctest.Wait()
		if got := one.Load(); got != 8 {
			t.Fatalf("%d PUTs of an upload without others are in flight, not 8", got)
		}
		two := puts(t, second, 100, done)
		for range 80 {
			done <- struct{}{}
			synctest.Wait()
		}
		if a, b := one.Load(), two.Load(); a < 3 || b < 3 {
			t.Errorf("%d and %d PUTs are in flight", a, b)
		}
		close(done)
		synctest.Wait()
	})
}

// TestLentSlotIsCalledBack: a second PUT of a part that lags ends when another part waits.
func TestLentSlotIsCalledBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u := pace.New(2, 0).Sender(3*part, part)
		defer u.Close()
		turn, err := u.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var recalled atomic.Bool
		end, ok := turn.Again(func() { recalled.Store(true) })
		if !ok || recalled.Load() {
			t.Fatal("no slot is lent, although one is free")
		}
		done := make(chan struct{})
		puts(t, u, 2, done)
		<-time.After(time.Second)
		if !recalled.Load() {
			t.Error("the slot is not called back")
		}
		end()
		turn.End()
		close(done)
		synctest.Wait()
	})
}

// TestLags: a PUT lags if the rest of it would take longer than most PUTs do, and the line has
// room: half of the slots are free, or less is sent than with all of them in use.
func TestLags(t *testing.T) {
	t.Parallel()
	const slots = 4
	for name, c := range map[string]struct {
		puts     []time.Duration // before
		inFlight int             // PUTs at the end
		goodput  float64         // at the end, as a share of that of before
		sent     float64         // share of the PUT that was sent in two seconds
		want     bool
	}{
		"the rest takes longer":                            {[]time.Duration{2 * time.Second}, 2, 1, .4, true},
		"the rest takes less long":                         {[]time.Duration{2 * time.Second}, 2, 1, .6, false},
		"one connection carried a tenth of what others do": {[]time.Duration{2 * time.Second, 2 * time.Second, 20 * time.Second}, 2, 1, .4, true},
		"the line got slower":                              {[]time.Duration{2 * time.Second, 9 * time.Second, 9 * time.Second}, 2, 1, .2, false},
		"the line is full":                                 {[]time.Duration{2 * time.Second}, 3, 1, .4, false},
		"the goodput has fallen":                           {[]time.Duration{2 * time.Second}, 3, .5, .4, true},
	} {
		bubble.Run(t, name, func(t *testing.T) {
			u := pace.New(slots, 0).Sender(100*part, part)
			defer u.Close()
			begin := func(ended <-chan struct{}) *pace.Turn {
				turn, err := u.Next(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				go func() {
					_ = turn.Run(t.Context(), func(context.Context) (string, error) { return "", nil }, func(string, error) bool {
						<-ended
						return false
					})
				}()
				synctest.Wait()
				return turn
			}
			carry := func(d time.Duration, rate float64) {
				for range d / (100 * time.Millisecond) {
					time.Sleep(100 * time.Millisecond)
					u.Sent(int64(rate * 1e6))
				}
			}
			for _, took := range c.puts {
				var turns []*pace.Turn
				ended := make(chan struct{})
				for range slots {
					turns = append(turns, begin(ended))
				}
				carry(took, 1)
				for _, turn := range turns {
					turn.Stored(part, time.Now())
					u.Done(part)
				}
				close(ended)
				synctest.Wait()
			}
			ended := make(chan struct{})
			defer close(ended)
			var turn *pace.Turn
			for range c.inFlight {
				turn = begin(ended)
			}
			carry(2*time.Second, c.goodput)
			if got := turn.Lags(int64(c.sent*part), part); got != c.want {
				t.Errorf("lags: %t", got)
			}
		})
	}
}

// TestSlowLineGetsFewPUTs: when the goodput tells that PUTs would not end in time, those that have
// sent little are surplus until there are few.
func TestSlowLineGetsFewPUTs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u := pace.New(0, 0).Sender(70*part, part)
		defer u.Close()
		var turns []*pace.Turn
		for range 14 {
			turn, err := u.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			turns = append(turns, turn)
			go func() {
				_ = turn.Run(t.Context(), func(context.Context) (string, error) { return "", nil }, func(string, error) bool {
					<-t.Context().Done()
					return false
				})
			}()
		}
		for range 40 { // four seconds at 8 Mbit/s
			<-time.After(100 * time.Millisecond)
			u.Sent(1e5)
		}
		surplus := 0
		for _, turn := range turns {
			if turn.Surplus(3e5, part) {
				surplus++
			}
		}
		if surplus != 12 {
			t.Errorf("%d of 14 PUTs are surplus, not 12", surplus)
		}
		if turns[0].Surplus(part/2, part) {
			t.Error("a PUT that has sent half is surplus")
		}
	})
}

// TestFewAddressesAtFirst: a service that allows few calls gets few at once, until it has answered
// some. Where answers take long, no slot waits for them, but no address is asked for ahead before
// the first answer.
func TestFewAddressesAtFirst(t *testing.T) {
	t.Parallel()
	const parts, slots = 60, 20
	for trip, want := range map[time.Duration]int{5 * time.Millisecond: 5, 200 * time.Millisecond: slots} {
		bubble.Run(t, trip.String(), func(t *testing.T) {
			u := pace.New(slots, 0).Sender(parts*part, part)
			defer u.Close()
			var mu sync.Mutex
			asking, answered, begun := 0, 0, time.Now()
			most := map[bool]int{} // by whether there was an answer
			address := func(context.Context) (string, error) {
				mu.Lock()
				asking++
				most[answered > 0] = max(most[answered > 0], asking)
				mu.Unlock()
				time.Sleep(trip)
				mu.Lock()
				defer mu.Unlock()
				asking--
				answered++
				return "", nil
			}
			for range parts {
				turn, err := u.Next(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				go func() {
					_ = turn.Run(t.Context(), address, func(string, error) bool {
						time.Sleep(time.Second - time.Since(begun)%time.Second) // they end together
						return false
					})
				}()
			}
			time.Sleep(time.Minute)
			mu.Lock()
			defer mu.Unlock()
			if most[false] != want || most[true] < 6 || answered != parts {
				t.Errorf("%d addresses were asked for at once at first, not %d, and %d later, of %d", most[false], want, most[true], answered)
			}
		})
	}
}

// TestAWholeFilePassesPartsThatPrepare: a file of one PUT gets the next slot, while parts have half
// of them.
func TestAWholeFilePassesPartsThatPrepare(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := pace.New(4, 0)
		large := c.Sender(100*part, part)
		defer large.Close()
		ended := make(chan struct{}) // takes a value for each PUT that ends
		parts := puts(t, large, 100, ended)
		synctest.Wait()
		over := make(chan struct{})
		var small [6]*atomic.Int32
		for i := range small {
			small[i] = puts(t, c.Sender(100, part), 1, over)
		}
		begun := func() (n int32) {
			for _, s := range small {
				n += s.Load()
			}
			return n
		}
		for want := range int32(3) {
			synctest.Wait()
			if parts.Load() != 4-want || begun() != want {
				t.Fatalf("after %d ended parts, %d parts and %d small files are in flight", want, parts.Load(), begun())
			}
			ended <- struct{}{}
		}
		synctest.Wait()
		if parts.Load() != 2 { // the parts that were prepared before go on with half of the slots
			t.Errorf("%d parts are in flight", parts.Load())
		}
		close(over)
		synctest.Wait()
		if begun() != 0 || parts.Load() != 4 {
			t.Errorf("%d small files and %d parts are in flight", begun(), parts.Load())
		}
		close(ended)
		synctest.Wait()
	})
}
