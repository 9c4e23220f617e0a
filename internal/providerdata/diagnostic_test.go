package providerdata_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// TestSubmitDiagnosticHasOneAdvice: a job that may run must not be submitted again without a look.
func TestSubmitDiagnosticHasOneAdvice(t *testing.T) {
	t.Parallel()
	for _, err := range []*api.Error{
		{Status: http.StatusInternalServerError, MayHaveBeenProcessed: true},
		{Status: http.StatusTooManyRequests, MayHaveBeenProcessed: true},
		{Err: errors.New("connection broken"), MayHaveBeenProcessed: true},
	} {
		d := providerdata.SubmitDiagnostic(err, []string{"vod/input/c/u/a.mp4"}, "applying")
		if d.Summary() != "The batch job may have been submitted" || !strings.Contains(d.Detail(), "vod/input/c/u/a.mp4") ||
			!strings.Contains(d.Detail(), "Find out at the service") || strings.Contains(d.Detail(), "Apply again") {
			t.Errorf("%s: %s", d.Summary(), d.Detail())
		}
	}
	if d := providerdata.SubmitDiagnostic(&api.Error{Status: http.StatusTooManyRequests}, nil, "applying"); !strings.Contains(d.Detail(), "Apply again later") {
		t.Errorf("%s: %s", d.Summary(), d.Detail())
	}
}

func TestErrorDiagnosticSaysWhatToDo(t *testing.T) {
	t.Parallel()
	const live = "https://live.example.com/live/v1/regions"
	tests := map[string]struct {
		err  error
		want string
	}{
		"live credentials": {&api.Error{Address: live, Status: http.StatusUnauthorized}, "check `access_token_id` and `secret_key`"},
		"identity token":   {&api.Error{Status: http.StatusUnauthorized}, "check `id_token`"},
		"no token":         {&api.Error{Err: &credential.TokenError{Err: errors.New("the command failed")}}, "Check where the identity token comes from"},
		"no new token":     {&api.Error{Status: http.StatusUnauthorized, Err: &credential.TokenError{Err: errors.New("x")}}, "Check where the identity token comes from"},
		"forbidden":        {&api.Error{Status: http.StatusForbidden}, "have no permission for this call"},
		"too many":         {&api.Error{Status: http.StatusTooManyRequests}, "-parallelism"},
		"service":          {&api.Error{Status: http.StatusBadGateway}, "report it to the service with the request id"},
		"no connection":    {&api.Error{Err: errors.New("connection refused")}, "Check that the address is right"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := providerdata.ErrorDiagnostic("Trying", tt.err)
			if d.Summary() != "Trying failed" || !strings.Contains(d.Detail(), tt.want) {
				t.Errorf("%s: %s\nlacks %q", d.Summary(), d.Detail(), tt.want)
			}
		})
	}
}
