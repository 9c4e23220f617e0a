package batchjob_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/batchjob"
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
