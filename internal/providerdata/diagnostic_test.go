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

func TestErrorDiagnosticSaysWhatToDo(t *testing.T) {
	t.Parallel()
	const live = "https://live.example.com/live/v1/regions"
	tests := map[string]struct {
		err  error
		want string
	}{
		"live credentials": {&api.Error{Address: live, Status: http.StatusUnauthorized}, "check `access_token_id` and `secret_key`"},
		"identity token":   {&api.Error{Status: http.StatusUnauthorized}, "check `id_token`"},
		"token variable":   {&api.Error{Status: http.StatusUnauthorized, Token: "the environment variable VODLIVE_ID_TOKEN"}, "did not accept the identity token: check the environment variable VODLIVE_ID_TOKEN, and that"},
		"path twice":       {&api.Error{Address: "https://live.example.com/live/v1/live/v1/regions", Status: http.StatusNotFound, Attempts: 1}, "`/live/v1`, `/vod/v1` and `/v1/local`, which the provider appends. Remove this end"},
		"not found":        {&api.Error{Address: live, Status: http.StatusNotFound, Attempts: 1}, "check `base_url` and `vod_base_url`"},
		"refused":          {&api.Error{Address: live, Status: http.StatusBadRequest, Attempts: 1}, "Its message above says why"},
		"no token":         {&api.Error{Err: &credential.TokenError{Err: errors.New("the command failed")}}, "Check where the identity token comes from"},
		"no new token":     {&api.Error{Status: http.StatusUnauthorized, Err: &credential.TokenError{Err: errors.New("x")}}, "Check where the identity token comes from"},
		"forbidden":        {&api.Error{Status: http.StatusForbidden}, "have no permission for this call"},
		"too many":         {&api.Error{Status: http.StatusTooManyRequests}, "longer time limit"},
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
