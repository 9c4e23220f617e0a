package transfer_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

// paced is storage whose PUTs have a rate each, in virtual time.
type paced struct {
	store
	rate  func(part, nth int) float64                                   // parts per second
	waits time.Duration                                                 // before each answer
	late  func(part, nth int) time.Duration                             // before an answer, too; nil: none is late
	fails func(part, nth int, in time.Duration) (*http.Response, error) // nil: none does

	start time.Time
	began map[string]time.Duration // "PART/NTH"
}

func newPaced(rate func(part, nth int) float64) *paced {
	s := &paced{rate: rate, start: time.Now(), began: map[string]time.Duration{}}
	s.rule = s.put
	return s
}

func (s *paced) put(a *attempt, req *http.Request) (*http.Response, error) {
	const slice = 50 * time.Millisecond
	s.mu.Lock()
	s.began[fmt.Sprintf("%d/%d", a.Part, a.Nth)] = time.Since(s.start)
	s.mu.Unlock()
	begin := time.Now()
	fails := func() (*http.Response, error) {
		if s.fails == nil {
			return nil, nil
		}
		return s.fails(a.Part, a.Nth, time.Since(begin))
	}
	for more := true; more; {
		if resp, err := fails(); resp != nil || err != nil {
			return resp, err
		}
		wanted := max(1, int64(s.rate(a.Part, a.Nth)*partSize*slice.Seconds()))
		n, err := a.read(io.LimitReader(req.Body, wanted))
		if err != nil {
			return nil, err
		}
		more = n == wanted
		select {
		case <-time.After(slice):
		case <-req.Context().Done():
			return nil, req.Context().Err()
		}
	}
	wait := s.waits
	if s.late != nil {
		wait += s.late(a.Part, a.Nth)
	}
	if wait > 0 { // a select over a timer of 0 in a synctest bubble has crashed the race detector of go1.26.8
		select {
		case <-time.After(wait):
		case <-req.Context().Done():
			return nil, req.Context().Err()
		}
	}
	if resp, err := fails(); resp != nil || err != nil {
		return resp, err
	}
	return s.take(a), nil
}

// puts returns how many PUTs of a part there were, and of how many storage had all bytes.
func (s *paced) puts(part int) (all, complete int) {
	for _, a := range s.seen() {
		if a.Part == part {
			all++
			if int64(len(a.Body)) == a.Length {
				complete++
			}
		}
	}
	return all, complete
}

// eight uploads eight parts, four at once. The last four begin after two seconds, if each takes as
// long.
func (s *paced) eight(t *testing.T, change ...func(*transfer.Config)) (took time.Duration, dst *upload) {
	t.Helper()
	f, want := newFile(t, 8*partSize)
	f.Progress = func(p transfer.Progress) {
		if p.Sent > p.Total {
			t.Errorf("%d bytes sent of %d", p.Sent, p.Total)
		}
	}
	dst = &upload{}
	e, start := newEngine(s, change...), time.Now()
	uploaded(t, e, &s.store, f, want, nil, dst)
	if s.top > 4 {
		t.Errorf("%d PUTs in flight", s.top)
	}
	return time.Since(start), dst
}

func noRetries(c *transfer.Config) { c.MaxRetries = 0 }

// lastPart gives the first PUT of part 8 a rate, and the later ones another. Other parts take two
// seconds.
func lastPart(first, later float64) func(part, nth int) float64 {
	return func(part, nth int) float64 {
		switch {
		case part == 8 && nth == 1:
			return first
		case part == 8:
			return later
		}
		return 0.5
	}
}

// TestFurtherPUTs: the first PUT of part 8 lags, or breaks, and there is another one. What happens
// to one of them does not matter as long as there is another.
func TestFurtherPUTs(t *testing.T) {
	t.Parallel()
	refused := func() (*http.Response, error) { return refusal(400, "InvalidRequest"), nil }
	broken := func() (*http.Response, error) { return nil, errors.New("reset") }
	type ends struct { // of a PUT of part 8
		after time.Duration
		how   func() (*http.Response, error)
	}
	for name, test := range map[string]struct {
		rate          func(part, nth int) float64
		waits         time.Duration
		first, second ends          // second: of all later ones
		slots         int           // 0: four
		took          time.Duration // at most
		least, most   int           // PUTs of the part
	}{
		"the second overtakes":     {rate: lastPart(0.02, 0.5), took: 7 * time.Second, least: 2, most: 2},
		"the first lags, but wins": {rate: lastPart(0.125, 0.05), took: 10500 * time.Millisecond, least: 2, most: 4},
		"the second is refused":    {rate: lastPart(0.02, 0.5), second: ends{0, refused}, least: 2, most: 4},
		"the second breaks":        {rate: lastPart(0.02, 0.5), second: ends{time.Second, broken}, least: 2, most: 4},
		"the first breaks":         {rate: lastPart(0.02, 0.5), first: ends{4 * time.Second, broken}, least: 2, most: 2},
		// before it is answered
		"the first breaks with all bytes sent": {rate: lastPart(0.1, 0.12), waits: time.Second, first: ends{10500 * time.Millisecond, broken}, least: 2, most: 2},
		"no slot for a second":                 {rate: lastPart(0.02, 0.5), slots: 1, least: 1, most: 1},
		"parts take half a second": {rate: func(part, nth int) float64 {
			if part == 8 && nth == 1 {
				return 0.02
			}
			return 2
		}, took: 5 * time.Second, least: 2, most: 2},
	} {
		bubble.Run(t, name, func(t *testing.T) {
			s := newPaced(test.rate)
			s.waits = test.waits
			s.fails = func(part, nth int, in time.Duration) (*http.Response, error) {
				end := test.second
				if nth == 1 {
					end = test.first
				}
				if part != 8 || end.how == nil || in < end.after {
					return nil, nil
				}
				return end.how()
			}
			took, dst := s.eight(t, func(c *transfer.Config) { c.MaxRetries, c.Concurrency = 0, cmp.Or(test.slots, 4) })
			all, complete := s.puts(8)
			if test.took > 0 && took > test.took {
				t.Errorf("it took %s", took)
			}
			if all < test.least || all > test.most || complete == 0 || complete > 1 && test.waits == 0 || len(s.seen()) != 7+all || dst.asked[8] != all {
				t.Errorf("%d PUTs of the part, %d complete, %d in all, %d addresses", all, complete, len(s.seen()), dst.asked[8])
			}
		})
	}
}

// The upload returns the error of the PUT that failed first, and no other PUT begins. The slots are
// free afterwards.
func TestAllPUTsOfAPartFail(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newPaced(lastPart(0.02, 0.1))
		s.fails = func(part, nth int, in time.Duration) (*http.Response, error) {
			switch {
			case part == 8 && nth == 1 && in > 4*time.Second:
				return refusal(400, "First"), nil
			case part == 8 && nth > 1 && in > 3*time.Second:
				return refusal(400, "Further"), nil
			}
			return nil, nil
		}
		e := newEngine(s, noRetries)
		f, want := newFile(t, 8*partSize)
		_, err := e.UploadParts(t.Context(), f, partSize, nil, &upload{})
		if se, ok := errors.AsType[*transfer.StatusError](err); !ok || se.Code != "First" {
			t.Errorf("error %v", err)
		}
		if last := s.began[fmt.Sprintf("8/%d", s.count(8))]; last > 8*time.Second {
			t.Errorf("a PUT began after %s", last)
		}
		s.fails, s.rate = nil, func(int, int) float64 { return 0.5 }
		s.top = 0
		uploaded(t, e, &s.store, f, want, nil, &upload{})
		if s.top != 4 {
			t.Errorf("%d PUTs in flight afterwards", s.top)
		}
	})
}

// The first PUT breaks after a second one was refused. What counts is that it may be repeated.
func TestFirstPUTIsRepeated(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newPaced(lastPart(0.02, 0.5))
		s.fails = func(part, nth int, in time.Duration) (*http.Response, error) {
			switch {
			case part == 8 && nth == 1 && in > 6*time.Second:
				return nil, errors.New("reset")
			case part == 8 && nth == 2:
				return refusal(400, "InvalidRequest"), nil
			}
			return nil, nil
		}
		s.eight(t)
		if all, complete := s.puts(8); all != 3 || complete != 1 {
			t.Errorf("%d PUTs of the part, %d complete", all, complete)
		}
	})
}

// A second PUT of a part holds the only other slot when a small file comes.
func TestFurtherPUTsGiveWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newPaced(lastPart(0.02, 0.02))
		e := newEngine(s, func(c *transfer.Config) { c.Concurrency = 2 })
		var uploads sync.WaitGroup
		uploads.Go(func() {
			f, want := newFile(t, 8*partSize)
			uploaded(t, e, &s.store, f, want, nil, &upload{})
		})
		time.Sleep(20 * time.Second)
		s.mu.Lock()
		if s.now != 2 {
			t.Errorf("%d PUTs in flight", s.now)
		}
		s.mu.Unlock()
		small, _ := newFile(t, 1000)
		begin := time.Now()
		address := func(context.Context) (string, error) { return "https://storage.test/bucket/small", nil }
		if _, err := e.UploadSingle(t.Context(), small, address, ""); err != nil || time.Since(begin) > 2*time.Second {
			t.Errorf("the small file took %s: %v", time.Since(begin), err)
		}
		s.mu.Lock()
		delete(s.parts, 0)
		s.mu.Unlock()
		uploads.Wait()
	})
}

// A small file comes when a second PUT has sent its last bytes, so that the first one has ended.
func TestFurtherPUTStoresThePart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newPaced(lastPart(0.05, 0.074))
		s.waits = 3 * time.Second
		e := newEngine(s, noRetries)
		var uploads sync.WaitGroup
		uploads.Go(func() {
			f, want := newFile(t, 8*partSize)
			uploaded(t, e, &s.store, f, want, nil, &upload{})
		})
		time.Sleep(25200 * time.Millisecond)
		small, _ := newFile(t, 1000)
		address := func(context.Context) (string, error) {
			return "https://storage.test/bucket/small?partNumber=10001", nil
		}
		if _, err := e.UploadSingle(t.Context(), small, address, ""); err != nil {
			t.Error(err)
		}
		uploads.Wait()
	})
}

// Whatever the rates are, each part is stored once, unless its answer is lost.
func TestRaces(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			random := rand.New(rand.NewPCG(seed, 0))
			s := newPaced(nil)
			s.waits = 2 * time.Second // two PUTs may come to their ends meanwhile
			rates := map[string]float64{}
			s.rate = func(part, nth int) float64 {
				mu.Lock()
				defer mu.Unlock()
				key := fmt.Sprint(part, nth)
				if rates[key] == 0 {
					rates[key] = 0.5 * random.Float64() * random.Float64()
				}
				return rates[key] * (0.5 + random.Float64())
			}
			breaks := seed%2 == 0
			pause := func() time.Duration {
				mu.Lock()
				defer mu.Unlock()
				return time.Duration(1+random.IntN(8000)) * time.Millisecond
			}
			s.fails = func(int, int, time.Duration) (*http.Response, error) {
				mu.Lock()
				defer mu.Unlock()
				if breaks && random.IntN(500) == 0 {
					return nil, errors.New("reset")
				}
				return nil, nil
			}
			retries := 0
			if breaks {
				retries = 50
			}
			f, want := newFile(t, 8*partSize)
			e := newEngine(s, func(c *transfer.Config) { c.MaxRetries = retries })
			over := make(chan struct{})
			var others sync.WaitGroup
			others.Go(func() { // second PUTs give way to small files
				small, _ := newFile(t, 1000)
				address := func(context.Context) (string, error) { return "https://storage.test/bucket/small?partNumber=9", nil }
				for {
					select {
					case <-over:
						return
					case <-time.After(pause()):
					}
					_, _ = e.UploadSingle(t.Context(), small, address, "")
				}
			})
			if res, err := e.UploadParts(t.Context(), f, partSize, nil, &upload{}); err != nil || res.Sent != f.Size {
				t.Errorf("seed %d: %d bytes sent, error %v", seed, res.Sent, err)
			}
			close(over)
			others.Wait()
			delete(s.parts, 9)
			if !s.holds(want) {
				t.Errorf("seed %d: storage holds other content", seed)
			}
			for part := 1; part <= 8; part++ {
				if all, complete := s.puts(part); complete < 1 || complete > 1 && !breaks {
					t.Errorf("seed %d: %d PUTs of part %d, %d complete", seed, all, part, complete)
				}
			}
		})
	}
}
