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

// nothing is the progress of a PUT that has sent nothing.
func nothing() (sent, all int64) { return 0, part }

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
				_ = turn.Run(t.Context(), func(context.Context) (string, error) { return "", nil }, nothing, func(string, error) bool {
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

// begin begins a PUT that has sent some share of its bytes, and ends when end is called.
func begin(t *testing.T, u *pace.Sender, sent float64) (turn *pace.Turn, end func()) {
	t.Helper()
	turn, err := u.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = turn.Run(t.Context(), func(context.Context) (string, error) { return "", nil },
			func() (int64, int64) { return int64(sent * part), part },
			func(string, error) bool { <-ended; return false })
	}()
	synctest.Wait()
	return turn, func() {
		close(ended)
		synctest.Wait()
	}
}

// store ends a PUT that has succeeded.
func store(u *pace.Sender, turn *pace.Turn, began time.Time, end func()) {
	turn.Stored(part, began, time.Now())
	u.Done(part)
	end()
}

// TestLags: a PUT lags if the rest of it would take longer than the fastest of the latest PUTs, it
// is the one that ends last, and nothing waits.
func TestLags(t *testing.T) {
	t.Parallel()
	const slots = 4
	for name, c := range map[string]struct {
		puts    []float64 // seconds that PUTs took before
		sent    float64   // share of the PUT that was sent in two seconds
		others  []float64 // the same of other PUTs
		waiting int       // PUTs
		want    bool
	}{
		"the rest takes longer":            {puts: []float64{2}, sent: .4, want: true},
		"the rest takes less long":         {puts: []float64{2}, sent: .6},
		"one connection was fast":          {puts: []float64{9, 2, 9}, sent: .4, want: true},
		"all are slow":                     {puts: []float64{9, 9}, sent: .2},
		"little would be gained":           {puts: []float64{.3}, sent: .85},
		"nothing was sent":                 {puts: []float64{1.9}, want: true},
		"it has just begun":                {puts: []float64{2}, sent: .1},
		"no PUT has ended":                 {sent: .1},
		"another one is sooner at its end": {puts: []float64{2}, sent: .4, others: []float64{.5}, want: true},
		"another one is later at its end":  {puts: []float64{2}, sent: .4, others: []float64{.5, .3}},
		"others wait":                      {puts: []float64{2}, sent: .4, others: []float64{.8, .8, .8}, waiting: 1},
	} {
		bubble.Run(t, name, func(t *testing.T) {
			u := pace.New(slots, 0).Sender(100*part, part)
			defer u.Close()
			for _, took := range c.puts {
				turn, end := begin(t, u, 1)
				began := time.Now()
				time.Sleep(time.Duration(took * float64(time.Second)))
				store(u, turn, began, end)
			}
			turn, end := begin(t, u, c.sent)
			ends := []func(){end}
			for _, sent := range c.others {
				_, end := begin(t, u, sent)
				ends = append(ends, end)
			}
			done := make(chan struct{})
			puts(t, u, c.waiting, done)
			time.Sleep(2 * time.Second)
			if got := turn.Lags(); got != c.want {
				t.Errorf("lags: %t", got)
			}
			close(done)
			for _, end := range ends {
				end()
			}
		})
	}
}

// TestLateAnswer: an answer is late if it takes much longer than answers usually do, also when a
// few took long.
func TestLateAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers []time.Duration // to PUTs before
		waits   time.Duration   // since the last byte was sent
		want    bool
	}{
		"it takes as long as others":   {[]time.Duration{time.Second}, 2900 * time.Millisecond, false},
		"it takes three times as long": {[]time.Duration{time.Second}, 3 * time.Second, true},
		"answers are fast":             {[]time.Duration{time.Millisecond}, 400 * time.Millisecond, false},
		"one was late before":          {[]time.Duration{100 * time.Millisecond, 100 * time.Millisecond, 5 * time.Second}, 600 * time.Millisecond, true},
		"there was none":               {nil, time.Minute, false},
	} {
		bubble.Run(t, name, func(t *testing.T) {
			u := pace.New(1, 0).Sender(100*part, part)
			defer u.Close()
			for _, answer := range c.answers {
				turn, end := begin(t, u, 1)
				time.Sleep(answer)
				turn.Stored(part, time.Now().Add(-answer), time.Now().Add(-answer))
				end()
			}
			turn, end := begin(t, u, 1)
			defer end()
			if got := turn.Late(time.Now().Add(-c.waits)); got != c.want {
				t.Errorf("late: %t", got)
			}
		})
	}
}

// TestSlowSlotRests: near the end of an upload, the slot of a slow PUT gets none that waits if the
// others will sooner have sent them all. When no PUT is in flight, each slot is used again.
func TestSlowSlotRests(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		waiting  int     // PUTs when one ends that took four seconds; another one took one second
		others   int     // PUTs in flight
		inFlight float64 // seconds that these are
		sent     float64 // their share until then
		beside   bool    // another upload is not over
		want     bool
	}{
		"the others send it sooner":        {waiting: 4, others: 2, inFlight: 1, sent: .9, want: true},
		"more than the others send sooner": {waiting: 5, others: 2, inFlight: 1, sent: .9},
		"the others are as slow":           {waiting: 1, others: 2, inFlight: 4, sent: .9},
		"the others have just begun":       {waiting: 1, others: 2, sent: .1},
		"another upload may need the slot": {waiting: 1, others: 2, inFlight: 1, sent: .9, beside: true},
		"there are no others":              {waiting: 1},
	} {
		bubble.Run(t, name, func(t *testing.T) {
			controller := pace.New(c.others+1, 0)
			u := controller.Sender(int64(c.waiting+c.others+2)*part, part)
			defer u.Close()
			if c.beside {
				defer controller.Sender(part, part).Close()
			}
			took := func(d time.Duration) {
				began := time.Now()
				turn, end := begin(t, u, 1)
				time.Sleep(d)
				store(u, turn, began, end)
			}
			took(time.Second)
			began := time.Now()
			turn, end := begin(t, u, 1)
			inFlight := time.Duration(c.inFlight * float64(time.Second))
			time.Sleep(4*time.Second - inFlight)
			var ends []func()
			for range c.others {
				_, end := begin(t, u, c.sent)
				ends = append(ends, end)
			}
			time.Sleep(inFlight)
			done := make(chan struct{})
			waiting := puts(t, u, c.waiting, done)
			synctest.Wait()
			store(u, turn, began, end)
			if rests := waiting.Load() == 0; rests != c.want {
				t.Errorf("rests: %t", rests)
			}
			for _, end := range ends {
				end()
			}
			if waiting.Load() == 0 {
				t.Error("nothing is in flight")
			}
			close(done)
			synctest.Wait()
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
				_ = turn.Run(t.Context(), func(context.Context) (string, error) { return "", nil }, nothing, func(string, error) bool {
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
					_ = turn.Run(t.Context(), address, nothing, func(string, error) bool {
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
