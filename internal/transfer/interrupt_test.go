package transfer_test

import (
	"context"
	"crypto/md5"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// slowAndFast are lines of 8 to 400 Mbit/s, and a fast one of which uploads may use little.
var slowAndFast = []struct {
	name      string
	line      profile
	bandwidth float64 // Mbit/s; 0: no limit
}{
	{"8 Mbit/s", profile{rate: 8, trip: 40 * time.Millisecond}, 0},
	{"25 Mbit/s", profile{rate: 25, trip: 40 * time.Millisecond}, 0},
	{"50 Mbit/s", profile{rate: 50, trip: 40 * time.Millisecond}, 0},
	{"100 Mbit/s", profile{rate: 100, trip: 40 * time.Millisecond}, 0},
	{"400 Mbit/s", profile{rate: 400, trip: 40 * time.Millisecond}, 0},
	{"upload_bandwidth of 8 Mbit/s", profile{rate: 400, trip: 40 * time.Millisecond}, 8},
	{"upload_bandwidth of 40 Mbit/s", profile{rate: 400, trip: 40 * time.Millisecond}, 40},
}

// interrupt sends a file over a line, with the parts that earlier runs have stored, until the run
// is cancelled after some share of the time that the line needs for all of it. lost is how many
// bytes the line has carried that are in no stored part.
func interrupt(t *testing.T, f transfer.File, p profile, bandwidth float64, after float64, stored []transfer.Part, seed uint64) (all []transfer.Part, lost float64, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := &loadLine{profile: p, random: rand.New(rand.NewPCG(seed, 0)), at: time.Now()}
		e := newEngine(l, func(c *transfer.Config) { c.Concurrency, c.Bandwidth = 0, int64(bandwidth*megabit) })
		rate := l.capacity()
		if bandwidth > 0 {
			rate = bandwidth * megabit
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(after*float64(f.Size)/rate*float64(time.Second)))
		defer cancel()
		dst := &upload{}
		_, err = e.UploadParts(ctx, f, loadPart, stored, dst)
		lost = l.carried
		for _, p := range dst.stored {
			lost -= float64(p.Size)
		}
		all = append(stored, dst.stored...) //nolint:gocritic // stored is not used again
	})
	return all, max(lost, 0), err
}

// TestInterruptLosesLittle: in the mean, an interrupt at any time loses at most what the line
// carries in three seconds, or one part where that is more.
func TestInterruptLosesLittle(t *testing.T) {
	t.Parallel()
	const times = 20
	f, _ := newFile(t, 30*loadPart-1000)
	for _, c := range slowAndFast {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(1, 2))
			var mean float64
			for seed := range uint64(times) {
				_, lost, _ := interrupt(t, f, c.line, c.bandwidth, 0.1+0.9*random.Float64(), nil, seed)
				mean += lost / times
			}
			rate := c.line.rate
			if c.bandwidth > 0 {
				rate = c.bandwidth
			}
			if bound := max(3*rate*megabit, loadPart); mean > bound {
				t.Errorf("%.1f parts are lost in the mean, at most %.1f may be", mean/loadPart, bound/loadPart)
			} else {
				t.Logf("%.1f parts are lost in the mean of at most %.1f", mean/loadPart, bound/loadPart)
			}
		})
	}
}

// TestInterruptsMakeProgress: an upload that is interrupted again and again ends. Each run has the
// time in which the line carries a fifth of the file at most, but three parts.
func TestInterruptsMakeProgress(t *testing.T) {
	t.Parallel()
	f, _ := newFile(t, 30*loadPart-1000)
	for _, c := range slowAndFast {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(3, 4))
			var stored []transfer.Part
			for run := range uint64(60) {
				before := len(stored)
				var err error
				stored, _, err = interrupt(t, f, c.line, c.bandwidth, 0.1+0.1*random.Float64(), stored, run)
				if err == nil {
					return
				}
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Fatal(err)
				}
				if len(stored) == before {
					t.Errorf("run %d has stored nothing, after %d parts", run, before)
				}
			}
			t.Errorf("%d of 30 parts are stored after 60 runs", len(stored))
		})
	}
}

// TestInterruptAsThePUTBegins: a PUT that is cut off stores nothing, so that no object is in no
// state, however late storage reads it. One whose last bytes are sent gets time for its response.
func TestInterruptAsThePUTBegins(t *testing.T) {
	t.Parallel()
	for name, reads := range map[string]bool{"before it is read": false, "when it is sent": true} {
		bubble.Run(t, name, func(t *testing.T) {
			f, _ := newFile(t, 1000)
			ctx, cancel := context.WithCancel(t.Context())
			var stored []byte
			s := &store{rule: func(_ *attempt, req *http.Request) (*http.Response, error) {
				if reads {
					stored, _ = io.ReadAll(req.Body)
				}
				cancel()
				time.Sleep(time.Second)
				if !reads {
					stored, _ = io.ReadAll(req.Body)
				}
				return answer(http.StatusOK, "", "ETag", fmt.Sprintf("%x", md5.Sum(stored))), context.Cause(req.Context())
			}}
			_, err := newEngine(s).UploadSingle(ctx, f, (&addresses{}).next, "")
			if whole := len(stored) == 1000; whole != reads || whole != (err == nil) {
				t.Errorf("%d bytes are stored, and the error is %v", len(stored), err)
			}
		})
	}
}
