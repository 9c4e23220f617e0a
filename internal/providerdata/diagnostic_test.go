package providerdata_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

func TestErrorDiagnosticSaysWhatToDo(t *testing.T) {
	t.Parallel()
	const live = "https://live.example.com/live/v1/regions"
	tests := map[string]struct {
		err  error
		want string
	}{
		"live credentials": {&api.Error{Address: live, Status: http.StatusUnauthorized}, "check `access_token_id` and `secret_key`"},
		"identity token":   {&api.Error{Status: http.StatusUnauthorized}, "check `id_token`"},
		"no token":         {&api.Error{Err: errors.Join(api.ErrNoToken, errors.New("the command failed"))}, "Check where the identity token comes from"},
		"no new token":     {&api.Error{Status: http.StatusUnauthorized, Err: errors.Join(api.ErrNoToken, errors.New("x"))}, "Check where the identity token comes from"},
		"forbidden":        {&api.Error{Status: http.StatusForbidden}, "may not do this"},
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
