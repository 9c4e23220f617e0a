package providerdata

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

// ErrorDiagnostic converts an error to a diagnostic: that what was attempted ("Creating the live
// session") failed, the error and what to do. The error must not contain secrets.
func ErrorDiagnostic(attempted string, err error) diag.Diagnostic {
	detail := ErrorText(err)
	if errors.Is(err, context.Canceled) {
		detail = "Terraform interrupted this call, as after Ctrl-C."
		if text := ErrorText(err); text != ErrorText(context.Canceled) {
			detail += " " + text
		}
	}
	if hint := Advice(err); hint != "" {
		detail += "\n\n" + hint
	}
	return diag.NewErrorDiagnostic(attempted+" failed", detail)
}

// ErrorText returns the error as sentences, without advice, for a diagnostic that has its own: two
// pieces of advice could contradict each other.
func ErrorText(err error) string { return sentence(err.Error()) }

// mostLines is how many lines of a list a diagnostic shows.
const mostLines = 200

// List is a line for each of the first items, and one that counts the rest.
func List(items []string) string {
	lines := make([]string, 0, len(items))
	for _, item := range items[:min(len(items), mostLines)] {
		lines = append(lines, "  - "+item)
	}
	if len(items) > mostLines {
		lines = append(lines, fmt.Sprintf("  and %d more", len(items)-mostLines))
	}
	return strings.Join(lines, "\n")
}

// SubmitDiagnostic is ErrorDiagnostic for a batch job. It gives no advice to apply again if the job
// may have been submitted nevertheless. again is what submits once more, such as "applying".
func SubmitDiagnostic(err error, paths []string, again string) diag.Diagnostic {
	if !api.MayHaveBeenProcessed(err) {
		return ErrorDiagnostic("Submitting the batch job", err)
	}
	escaped := make([]string, len(paths))
	for i, path := range paths {
		escaped[i] = redact.Escape(path)
	}
	return diag.NewErrorDiagnostic("The batch job may have been submitted",
		fmt.Sprintf("%s\n\nThe request was sent, but its outcome is not known. The service may be processing these paths:\n%s\n\n"+
			"The provider did not send the request again. Find out at the service whether the job is running: if it is, %s again submits a second job.",
			ErrorText(err), List(escaped), again))
}

// Advice says what the user can do about an error. It is "" if the text of the error says it.
func Advice(err error) string {
	e, ok := errors.AsType[*api.Error](err)
	if !ok || errors.Is(err, context.Canceled) {
		return ""
	}
	_, noToken := errors.AsType[*credential.TokenError](err)
	switch {
	case noToken:
		return "Check where the identity token comes from: `id_token`, `id_token_file` or `id_token_command`."
	case e.Status == http.StatusUnauthorized && strings.Contains(e.Address, "/live/v1/"):
		return "The service did not accept the credentials: check `access_token_id` and `secret_key`."
	case e.Status == http.StatusUnauthorized:
		return "The service did not accept the identity token: check `id_token`, `id_token_file` or `id_token_command`, and that the token has not expired."
	case e.Status == http.StatusForbidden:
		return "The credentials have no permission for this call."
	case e.Status == http.StatusNotFound && e.Attempts == 0:
		return ""
	case e.Status == http.StatusTooManyRequests:
		return "The service limits the rate of requests. Apply again later, or with a lower `-parallelism`."
	case e.Status >= http.StatusInternalServerError:
		return "The service failed. Apply again later. If the error persists, report it to the service with the request id, if there is one above."
	case e.Status == 0 && errors.Is(err, context.DeadlineExceeded):
		return "" // the time limit of the operation, which the error names
	case e.Status == 0 && timedOut(err):
		return "The request timed out: check the network, or raise `request_timeout` in the provider block."
	case e.Status == 0 && !e.MayHaveBeenProcessed:
		return "Check that the address is right and can be reached from this machine (proxy settings, `ca_bundle_file`)."
	}
	return ""
}

func timedOut(err error) bool {
	t, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err)
	return ok && t.Timeout()
}

// sentence turns the text of a Go error into a sentence: capital letter, full stop.
func sentence(s string) string {
	if s == "" {
		return s
	}
	// Names such as id_token_file keep their lower-case letter.
	if word, _, _ := strings.Cut(s, " "); !strings.ContainsAny(word, "_/.:") {
		s = strings.ToUpper(s[:1]) + s[1:]
	}
	if !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "?") && !strings.HasSuffix(s, "!") {
		s += "."
	}
	return s
}
