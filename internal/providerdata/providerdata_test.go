package providerdata_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// timeOut is the error of an attempt that took too long.
type timeOut struct{}

func (timeOut) Error() string { return "time-out after 30s" }
func (timeOut) Timeout() bool { return true }

// TestErrorDiagnostic: an error says what failed, why, and what to do.
func TestErrorDiagnostic(t *testing.T) {
	t.Parallel()
	const live = "https://live.example.com/live/v1/regions"
	status := func(code int) error { return &api.Error{Address: live, Status: code, Attempts: 1} }
	for name, test := range map[string]struct {
		err             error
		summary, advice string
	}{
		"live credentials": {status(http.StatusUnauthorized), "The service did not accept the credentials", "Check `access_token_id` and `secret_key`."},
		"identity token":   {&api.Error{Status: http.StatusUnauthorized, Token: "the environment variable VODLIVE_ID_TOKEN"}, "The service did not accept the identity token", "Check the environment variable VODLIVE_ID_TOKEN"},
		"no token":         {&api.Error{Err: &credential.TokenError{Err: errors.New("the command failed")}}, "The identity token cannot be used", "Check where the identity token comes from"},
		"forbidden":        {status(http.StatusForbidden), "The credentials have no permission for this call", "administrator"},
		"not found":        {status(http.StatusNotFound), "The service does not know this address", "Check `base_url` and `vod_base_url`"},
		"refused":          {status(http.StatusBadRequest), "The service refused the values of this request", "Its message above says why"},
		"too many":         {status(http.StatusTooManyRequests), "The service limits the rate of requests", "longer time limit"},
		"service":          {status(http.StatusBadGateway), "The service failed", "with the request id"},
		"no connection":    {&api.Error{Attempts: 1, Err: errors.New("connection refused")}, "The address cannot be reached", "`ca_bundle_file`"},
		"time-out":         {&api.Error{Attempts: 1, Err: timeOut{}}, "The request timed out", "`request_timeout`"},
		"interrupted":      {&api.Error{Attempted: "x", Err: context.Canceled}, "Terraform interrupted this call", "X failed: the run was interrupted."},
		"Ctrl-C":           {context.Canceled, "Terraform interrupted this call", "Trying was interrupted"},
		"customer":         {&upload.CustomerError{KeyPath: "k", Customer: "c"}, "The key path is not allowed", "`allowed_customer_ids`"},
		"changed":          {fmt.Errorf("file: %w", &transfer.ChangedError{Path: "a.mp4"}), "The file has changed", "apply again"},
		"storage limits":   {&transfer.StatusError{Status: http.StatusServiceUnavailable, Code: "SlowDown"}, "Trying failed", "lower `upload_concurrency`"},
		"storage refuses":  {&transfer.StatusError{Status: http.StatusForbidden, Code: "AccessDenied"}, "Trying failed", "report the response of storage to the service"},
		"proxy":            {&transfer.StatusError{Status: http.StatusForbidden}, "Trying failed", "a proxy or a firewall"},
		"stall":            {&transfer.ConnectionError{Stalled: true}, "Trying failed", "`stall_timeout`"},
		"other content":    {&transfer.ChecksumError{}, "Trying failed", "is not what was sent"},
		"time limit":       {&transfer.TimeLimitError{Limit: errors.New("late"), Latest: status(http.StatusBadGateway)}, "Trying failed", "with the request id"},
		"anything else":    {errors.New("it broke"), "Trying failed", "It broke."},
	} {
		d := providerdata.ErrorDiagnostic("Trying", test.err)
		if d.Summary() != test.summary || !strings.Contains(d.Detail(), test.advice) {
			t.Errorf("%s: %s: %s\nwant %q, %q", name, d.Summary(), d.Detail(), test.summary, test.advice)
		}
	}
}

// TestErrorDiagnosticNamesTheCallOnce: the summary names the call, or the detail.
func TestErrorDiagnosticNamesTheCallOnce(t *testing.T) {
	t.Parallel()
	refused := &api.Error{Attempted: "reading the live session s-1", Method: "GET", Address: "https://live.example.com/s-1", Status: http.StatusConflict, Attempts: 1}
	if d := providerdata.ErrorDiagnostic("Reading the live session", refused); d.Summary() != "Reading the live session failed" || d.Detail() != "GET https://live.example.com/s-1: 409 Conflict." {
		t.Errorf("got %s: %s", d.Summary(), d.Detail())
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	if got := providerdata.List(make([]string, 203)); strings.Count(got, "\n") != 200 || !strings.HasSuffix(got, "and 3 more") {
		t.Errorf("got %s", got)
	}
}

// TestRules: a rule judges only what is known, and shows the value where that is no secret.
func TestRules(t *testing.T) {
	t.Parallel()
	check := func(v types.String) string {
		var resp validator.StringResponse
		providerdata.PositiveDuration.ValidateString(t.Context(), validator.StringRequest{Path: path.Root("create"), ConfigValue: v}, &resp)
		if resp.Diagnostics.HasError() {
			return resp.Diagnostics[0].Detail()
		}
		return ""
	}
	for value, want := range map[types.String]string{
		types.StringNull(): "", types.StringUnknown(): "", types.StringValue("20m"): "",
		types.StringValue("1d"): "`create` is \"1d\"; it must be a duration longer than 0", types.StringValue("-5s"): "is \"-5s\"",
	} {
		if got := check(value); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", value, got, want)
		}
	}
}

func TestPathProblem(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{"a b/c.mp4": "", `C:\a`: "", " ": "is blank", "~/x": `pathexpand("~/x")`, "https://joe:hidden@h/x": "is a URL"} {
		if got := providerdata.PathProblem(given); (got == "") != (want == "") || !strings.Contains(got, want) || strings.Contains(got, "hidden") {
			t.Errorf("%q: got %s, want %s", given, got, want)
		}
	}
}

func TestSameTriggers(t *testing.T) {
	t.Parallel()
	of := func(elements map[string]attr.Value) types.Map { return types.MapValueMust(types.StringType, elements) }
	null, empty := types.MapNull(types.StringType), of(map[string]attr.Value{"a": types.StringNull()})
	set, unknown := of(map[string]attr.Value{"a": types.StringValue("1")}), types.MapUnknown(types.StringType)
	if !providerdata.SameTriggers(null, empty) || !providerdata.SameTriggers(set, set) || providerdata.SameTriggers(set, null) || providerdata.SameTriggers(unknown, unknown) {
		t.Error("triggers are compared otherwise")
	}
}

// TestMissing: what is missing is named by whatever needs it.
func TestMissing(t *testing.T) {
	t.Parallel()
	data := &providerdata.Data{MissingLive: []string{"`base_url`", "`secret_key`"}, CheckToken: func(context.Context) error { return errors.New("it expired") }}
	for _, test := range []struct{ got, want string }{
		{fmt.Sprint(data.ReadLive("vodlive_regions")), "vodlive_regions calls the live API, which needs `base_url` and `secret_key`"},
		{fmt.Sprint(data.NeedUpload("vodlive_media_upload")), "[]"},
		{fmt.Sprint(data.PlanUpload(t.Context(), "vodlive_media_upload")), "It expired."},
		{fmt.Sprint((&providerdata.Data{Unknown: true}).OpenLive("vodlive_live_session")), "come from a resource that is not applied yet"},
	} {
		if !strings.Contains(test.got, test.want) {
			t.Errorf("got %s, want %s", test.got, test.want)
		}
	}
}

// TestShared: all resources of a process share one value of a type.
func TestShared(t *testing.T) {
	t.Parallel()
	type counter struct{ n int }
	data := &providerdata.Data{}
	providerdata.Shared[counter](data).n++
	if got := providerdata.Shared[counter](data).n; got != 1 {
		t.Errorf("got %d", got)
	}
}

func TestWithLimit(t *testing.T) {
	t.Parallel()
	ctx, cancel := providerdata.WithLimit(t.Context(), time.Nanosecond, "create")
	defer cancel()
	<-ctx.Done()
	if got := context.Cause(ctx).Error(); got != "the time limit of 1ns (timeouts.create) was reached" {
		t.Errorf("got %s", got)
	}
}
