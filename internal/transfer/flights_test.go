package transfer_test

import (
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
		b, err := io.ReadAll(io.LimitReader(req.Body, wanted))
		if a.Body = append(a.Body, b...); err != nil {
			return nil, err
		}
		more = int64(len(b)) == wanted
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

func TestLaggingPartIsOvertaken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newPaced(lastPart(0.02, 0.5))
		took, dst := s.eight(t, noRetries)
		if took > 7*time.Second {
			t.Errorf("it took %s", took)
		}
		if all, complete := s.puts(8); all != 2 || complete != 1 {
			t.Errorf("%d PUTs of the part, %d complete", all, complete)
		}
		if n := dst.asked[8]; n != 2 {
			t.Errorf("%d addresses", n)
		}
	})
}

// Further PUTs are slower than the first, which lags.
func TestLaggingPartMayWin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newPaced(lastPart(0.125, 0.05))
		took, _ := s.eight(t, noRetries)
		if took > 10500*time.Millisecond {
			t.Errorf("it took %s", took)
		}
		all, complete := s.puts(8)
		if all < 2 || all > 4 || complete != 1 || len(s.seen()) != 7+all {
			t.Errorf("%d PUTs of the part, %d complete, %d in all", all, complete, len(s.seen()))
		}
	})
}

// What happens to a second PUT does not matter as long as there is another one.
func TestFurtherPUTFails(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]func(part, nth int, in time.Duration) (*http.Response, error){
		"refused": func(part, nth int, _ time.Duration) (*http.Response, error) {
			if part == 8 && nth > 1 {
				return refusal(400, "InvalidRequest"), nil
			}
			return nil, nil
		},
		"broken": func(part, nth int, in time.Duration) (*http.Response, error) {
			if part == 8 && nth > 1 && in > time.Second {
				return nil, errors.New("reset")
			}
			return nil, nil
		},
		"the first breaks": func(part, nth int, in time.Duration) (*http.Response, error) {
			if part == 8 && nth == 1 && in > 4*time.Second {
				return nil, errors.New("reset")
			}
			return nil, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newPaced(lastPart(0.02, 0.5))
				s.fails = fails
				s.eight(t, noRetries)
				if all, complete := s.puts(8); all < 2 || complete != 1 {
					t.Errorf("%d PUTs of the part, %d complete", all, complete)
				}
			})
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

// The first PUT has sent its last bytes, and breaks before it is answered.
func TestFurtherPUTAfterTheFirstBreaks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newPaced(lastPart(0.1, 0.12))
		s.waits = time.Second
		s.fails = func(part, nth int, in time.Duration) (*http.Response, error) {
			if part == 8 && nth == 1 && in > 10500*time.Millisecond {
				return nil, errors.New("reset")
			}
			return nil, nil
		}
		s.eight(t, noRetries)
	})
}

// With one slot, there is none for a second PUT.
func TestNoFurtherPUTWithoutASlot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newPaced(lastPart(0.02, 0.5))
		s.eight(t, func(c *transfer.Config) { c.Concurrency = 1 })
		if all, _ := s.puts(8); all != 1 {
			t.Errorf("%d PUTs of the part", all)
		}
	})
}

// Parts take half a second.
func TestShortPartIsOvertaken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newPaced(func(part, nth int) float64 {
			if part == 8 && nth == 1 {
				return 0.02
			}
			return 2
		})
		if took, _ := s.eight(t, noRetries); took > 5*time.Second {
			t.Errorf("it took %s", took)
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
			if string(s.whole()) != string(want) {
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
