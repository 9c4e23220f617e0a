package batchjob_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/batchjob"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestSubmitDiagnosticHasOneAdvice: a job that may run must not be submitted again without a look.
func TestSubmitDiagnosticHasOneAdvice(t *testing.T) {
	t.Parallel()
	for _, err := range []*api.Error{
		{Status: http.StatusInternalServerError, MayHaveBeenProcessed: true},
		{Status: http.StatusTooManyRequests, MayHaveBeenProcessed: true},
		{Err: errors.New("connection broken"), MayHaveBeenProcessed: true},
	} {
		d := batchjob.SubmitDiagnostic(err, []string{"vod/input/c/u/a.mp4"}, "applying")
		if d.Summary() != "The batch job may have been submitted" || !strings.Contains(d.Detail(), "vod/input/c/u/a.mp4") ||
			!strings.Contains(d.Detail(), "Find out at the service") || strings.Contains(d.Detail(), "Apply again") {
			t.Errorf("%s: %s", d.Summary(), d.Detail())
		}
	}
	if d := batchjob.SubmitDiagnostic(&api.Error{Status: http.StatusTooManyRequests}, nil, "applying"); !strings.Contains(d.Detail(), "Apply again later") {
		t.Errorf("%s: %s", d.Summary(), d.Detail())
	}
}

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
