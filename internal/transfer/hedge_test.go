package transfer_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
)

// TestSecondPUT: the first PUT of the last part is slow when the other parts are stored. It is sent
// once more, and storage gets the last bytes of one of the two PUTs alone.
func TestSecondPUT(t *testing.T) {
	t.Parallel()
	const parts = 8
	for name, c := range map[string]struct {
		first  time.Duration // that the first PUT takes for each hundredth of the part
		second func(req *http.Request) (*http.Response, error)
		puts   int // of the part
		took   time.Duration
	}{
		"the second PUT is faster": {time.Minute, nil, 2, 10 * time.Second},
		"the first PUT is faster": {500 * time.Millisecond, func(req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, req.Context().Err()
		}, 2, time.Minute},
		"the second PUT fails":      {500 * time.Millisecond, func(*http.Request) (*http.Response, error) { return nil, errors.New("broken") }, 2, time.Minute},
		"the second one is refused": {500 * time.Millisecond, func(*http.Request) (*http.Response, error) { return refusal(400, "InvalidRequest"), nil }, 2, time.Minute},
		"the first PUT is not slow": {15 * time.Millisecond, nil, 1, 10 * time.Second},
	} {
		bubble.Run(t, name, func(t *testing.T) {
			f, want := newFile(t, parts*partSize)
			s, whole := &store{}, 0
			s.rule = func(a *attempt, req *http.Request) (*http.Response, error) {
				switch {
				case a.Part < parts:
					time.Sleep(time.Second)
					return nil, nil
				case a.Nth == 2 && c.second != nil:
					return c.second(req)
				}
				for i := 0; a.Nth == 1 && i < 100; i++ {
					if _, err := a.read(io.LimitReader(req.Body, partSize/100)); err != nil {
						return nil, err
					}
					select {
					case <-time.After(c.first):
					case <-req.Context().Done():
						return nil, req.Context().Err()
					}
				}
				if err := s.read(a, req); err != nil && a.Nth == 2 {
					return nil, err
				}
				whole++
				return s.take(a), nil
			}
			start, dst := time.Now(), &upload{}
			uploaded(t, newEngine(s), s, f, want, nil, dst)
			if s.count(parts) != c.puts || whole != 1 || time.Since(start) > c.took {
				t.Errorf("%d PUTs of the part, %d of them whole, in %s", s.count(parts), whole, time.Since(start))
			}
		})
	}
}

// TestInterruptAsThePUTBegins: a single PUT whose last bytes are not sent within four seconds after
// an interrupt stores nothing, so that no object is in no state.
func TestInterruptAsThePUTBegins(t *testing.T) {
	t.Parallel()
	for takes, isStored := range map[time.Duration]bool{3 * time.Second: true, 5 * time.Second: false} {
		bubble.Run(t, takes.String(), func(t *testing.T) {
			f, want := newFile(t, 1000)
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			s := &store{rule: func(*attempt, *http.Request) (*http.Response, error) {
				time.Sleep(takes) // then it is read, as storage does without regard to the client
				return nil, nil
			}}
			_, err := newEngine(s).UploadSingle(ctx, f, (&addresses{}).next, "")
			if isWhole := s.holds(want); isWhole != isStored || isStored != (err == nil) {
				t.Errorf("stored: %v, error %v", isWhole, err)
			}
		})
	}
}
