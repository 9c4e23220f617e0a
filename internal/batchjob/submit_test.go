package batchjob_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestAnsweredAfterAnInterrupt: a job that is being submitted gets four seconds for its response.
func TestAnsweredAfterAnInterrupt(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		delay time.Duration
		saved bool
	}{"in time": {1500 * time.Millisecond, true}, "too late": {10 * time.Second, false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := acctest.NewWorld(t, simulator.Options{})
				config := acctest.Attrs{"paths": []string{w.Store(t)}, "service_modes": []string{"video_optimizer"}}
				w.Fail(simulator.Fault{Call: simulator.CallBatch, Delay: tt.delay})
				p, cancel := w.Provider(nil).WithCancel()
				defer cancel()
				time.AfterFunc(500*time.Millisecond, cancel)
				start := time.Now()
				o, diags := p.Create("vodlive_batch_job", config)
				if took := time.Since(start); took > 4500*time.Millisecond || o.Exists() != tt.saved || diags.Failed() == tt.saved {
					t.Errorf("after %s, the state has %v: %s", took, o.Attrs(), diags)
				}
			})
		})
	}
}
