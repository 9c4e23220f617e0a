package providerdata_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

func TestErrorDiagnosticSaysWhatToDo(t *testing.T) {
	t.Parallel()
	const live = "https://live.example.com/live/v1/regions"
	tests := map[string]struct {
		err             error
		summary, advice string
	}{
		"live credentials": {&api.Error{Address: live, Status: http.StatusUnauthorized}, "The service did not accept the credentials", "Check `access_token_id` and `secret_key`."},
		"identity token":   {&api.Error{Status: http.StatusUnauthorized}, "The service did not accept the identity token", "Check `id_token`"},
		"token variable":   {&api.Error{Status: http.StatusUnauthorized, Token: "the environment variable VODLIVE_ID_TOKEN"}, "The service did not accept the identity token", "Check the environment variable VODLIVE_ID_TOKEN, and that"},
		"path twice":       {&api.Error{Address: "https://live.example.com/live/v1/live/v1/regions", Status: http.StatusNotFound, Attempts: 1}, "The address has the path of the API twice", "`/live/v1`, `/vod/v1` and `/v1/local`, which the provider appends. Remove this end"},
		"path and more":    {&api.Error{Address: "https://vod.example.com/vod/v1/customer/vod/v1/customer/presign-url", Status: http.StatusNotFound, Attempts: 1}, "The address has the path of the API twice", "Remove this end, and what follows it, from"},
		"not found":        {&api.Error{Address: live, Status: http.StatusNotFound, Attempts: 1}, "The service does not know this address", "Check `base_url` and `vod_base_url`"},
		"refused":          {&api.Error{Address: live, Status: http.StatusBadRequest, Attempts: 1}, "The service refused the values of this request", "Its message above says why"},
		"no token":         {&api.Error{Err: &credential.TokenError{Err: errors.New("the command failed")}}, "The identity token cannot be used", "Check where the identity token comes from"},
		"no new token":     {&api.Error{Status: http.StatusUnauthorized, Err: &credential.TokenError{Err: errors.New("x")}}, "The identity token cannot be used", "Check where the identity token comes from"},
		"forbidden":        {&api.Error{Status: http.StatusForbidden}, "The credentials have no permission for this call", "administrator"},
		"too many":         {&api.Error{Status: http.StatusTooManyRequests}, "The service limits the rate of requests", "longer time limit"},
		"service":          {&api.Error{Status: http.StatusBadGateway}, "The service failed", "report it to the service with the request id"},
		"no connection":    {&api.Error{Err: errors.New("connection refused")}, "The address cannot be reached", "Check that the address is right"},
		"customer":         {&upload.CustomerError{KeyPath: "k", Customer: "c"}, "The key path is not allowed", "`allowed_customer_ids`"},
		"changed":          {fmt.Errorf("file: %w", &transfer.ChangedError{Path: "a.mp4"}), "The file has changed", "No object was made of it. When nothing writes to the file any more, apply again"},
		"storage limits":   {&transfer.StatusError{Status: http.StatusServiceUnavailable, Code: "SlowDown"}, "Trying failed", "lower `upload_concurrency`"},
		"storage fails":    {&transfer.StatusError{Status: http.StatusInternalServerError}, "Trying failed", "Apply again later."},
		"storage refuses":  {&transfer.StatusError{Status: http.StatusForbidden, Code: "AccessDenied"}, "Trying failed", "report the response of storage to the service"},
		"storage, slow":    {&transfer.StatusError{Status: http.StatusBadRequest, Code: "RequestTimeout"}, "Trying failed", "Check the network between"},
		"bad digest":       {&transfer.StatusError{Status: http.StatusBadRequest, Code: "BadDigest"}, "Trying failed", "is not what was sent"},
		"proxy":            {&transfer.StatusError{Status: http.StatusForbidden}, "Trying failed", "a proxy or a firewall"},
		"too long":         {&transfer.StatusError{Status: http.StatusRequestEntityTooLarge}, "Trying failed", "a smaller `part_size`"},
		"page":             {&transfer.StatusError{Status: http.StatusOK}, "Trying failed", "a proxy or a firewall"},
		"stall":            {&transfer.ConnectionError{Stalled: true}, "Trying failed", "raise `stall_timeout`"},
		"unreached":        {&transfer.ConnectionError{Unreached: true}, "Trying failed", "another one than the service's"},
		"broken":           {&transfer.ConnectionError{}, "Trying failed", "Check the network between"},
		"other checksum":   {&transfer.ChecksumError{}, "Trying failed", "is not what was sent"},
		"time limit":       {&transfer.TimeLimitError{Limit: errors.New("late"), Latest: &api.Error{Status: http.StatusBadGateway}}, "Trying failed", "report it to the service with the request id"},
		"interrupted":      {context.Canceled, "Terraform interrupted this call", "Trying was interrupted"},
		"in a request":     {&api.Error{Attempted: "x", Err: context.Canceled}, "Terraform interrupted this call", "X failed: the run was interrupted."},
		"anything else":    {errors.New("it broke"), "Trying failed", "It broke."},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := providerdata.ErrorDiagnostic("Trying", tt.err)
			if d.Summary() != tt.summary || !strings.Contains(d.Detail(), tt.advice) {
				t.Errorf("%s: %s\nwant %q, %q", d.Summary(), d.Detail(), tt.summary, tt.advice)
			}
		})
	}
}

// TestErrorDiagnosticNamesTheCallOnce: the heading names the call, or the text. Package acctest
// holds every diagnostic of the provider to this.
func TestErrorDiagnosticNamesTheCallOnce(t *testing.T) {
	t.Parallel()
	refused := &api.Error{Attempted: "reading the live session s-1", Method: "GET", Address: "https://live.example.com/s-1", Status: http.StatusConflict, Attempts: 1}
	limited := *refused
	limited.Status = http.StatusTooManyRequests
	for err, want := range map[error]string{
		refused:  "Reading the live session failed: GET https://live.example.com/s-1: 409 Conflict.",
		&limited: "The service limits the rate of requests: Reading the live session s-1 failed: GET https://live.example.com/s-1: 429 Too Many Requests.",
	} {
		d := providerdata.ErrorDiagnostic("Reading the live session", err)
		if got, _, _ := strings.Cut(d.Summary()+": "+d.Detail(), "\n"); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
