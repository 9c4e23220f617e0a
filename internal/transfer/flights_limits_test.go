package transfer_test

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// send uploads parts with a number of slots, and no retries. The addresses of second PUTs take
// some time.
func (s *paced) send(t *testing.T, parts, slots int, address time.Duration) error {
	t.Helper()
	f, _ := newFile(t, parts*partSize)
	dst := &upload{onURL: func(_, nth int) error {
		if nth > 1 {
			time.Sleep(address)
		}
		return nil
	}}
	_, err := newEngine(s, func(c *transfer.Config) { c.Concurrency = slots }, noRetries).UploadParts(t.Context(), f, partSize, nil, dst)
	return err
}

// laggards gives the PUTs of parts 7 and 8 rates. Other parts take two seconds.
func laggards(seventh, eighth float64) func(part, nth int) float64 {
	return func(part, _ int) float64 {
		switch part {
		case 7:
			return seventh
		case 8:
			return eighth
		}
		return 0.5
	}
}

func TestLimitsOfFurtherPUTs(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		parts, slots int
		rate         func(part, nth int) float64
		second       func() (*http.Response, error) // of part 8; nil: it succeeds
		address      time.Duration
		puts         map[int]int // of a part; of the others: one
	}{
		"two PUTs of a part at once": {
			parts: 8, slots: 8, rate: laggards(0.5, 0.02), puts: map[int]int{8: 2},
		},
		"a part that will have arrived in less than half a second": {
			parts: 100, slots: 4, rate: func(part, _ int) float64 {
				if part == 100 {
					return 2
				}
				return 10
			},
		},
		"a part that will have arrived in less than what others took": {
			parts: 8, slots: 8, rate: func(part, _ int) float64 {
				if part == 8 {
					return 1. / 11
				}
				return 1. / 10
			},
		},
		"storage that refuses one": {
			parts: 8, slots: 4, rate: laggards(0.5, 0.04), puts: map[int]int{8: 2},
			second: func() (*http.Response, error) { return refusal(503, "SlowDown"), nil },
		},
		"a second PUT that breaks": {
			parts: 8, slots: 8, rate: laggards(0.5, 0.02), puts: map[int]int{8: 2},
			second: func() (*http.Response, error) { return nil, errors.New("connection reset") },
		},
		"an address that takes long": {
			parts: 8, slots: 4, rate: lastPart(0.02, 0.5), address: 10 * time.Second, puts: map[int]int{8: 2},
		},
		"a line that got slower": {
			parts: 31, slots: 4, rate: func(part, _ int) float64 {
				if part <= 12 {
					return 2
				}
				return 0.1
			},
		},
	} {
		bubble.Run(t, name, func(t *testing.T) {
			s := newPaced(test.rate)
			s.fails = func(part, nth int, _ time.Duration) (*http.Response, error) {
				if part == 8 && nth == 2 && test.second != nil {
					return test.second()
				}
				return nil, nil
			}
			if err := s.send(t, test.parts, test.slots, test.address); err != nil {
				t.Error(err)
			}
			for part := 1; part <= test.parts; part++ {
				if all, complete := s.puts(part); all != max(1, test.puts[part]) || complete != 1 {
					t.Errorf("%d PUTs of part %d, %d complete", all, part, complete)
				}
			}
		})
	}
}

// A final failure does not wait for the second PUT of the part.
func TestFinalFailureEndsFurtherPUTs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newPaced(lastPart(0.02, 0.02))
		s.fails = func(part, nth int, in time.Duration) (*http.Response, error) {
			if part == 8 && nth == 1 && in > 8*time.Second {
				return refusal(400, "First"), nil
			}
			return nil, nil
		}
		start := time.Now()
		err := s.send(t, 8, 4, 0)
		if se, ok := errors.AsType[*transfer.StatusError](err); !ok || se.Code != "First" {
			t.Errorf("error %v", err)
		}
		if took := time.Since(start); took > 13*time.Second || s.count(8) < 2 {
			t.Errorf("it took %s, %d PUTs of the part", took, s.count(8))
		}
	})
}
