package providerdata

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// ErrorDiagnostic converts an error to a diagnostic. The summary is the cause, which the detail
// does not repeat, or else that what was attempted ("Creating the live session") failed. The error
// must not contain secrets.
func ErrorDiagnostic(attempted string, err error) diag.Diagnostic {
	why := causeOf(err)
	summary, detail := why.summary, ErrorText(err)
	if summary == "" {
		summary, detail = attempted+" failed", Reason(err)
	}
	if err == context.Canceled { //nolint:errorlint // it says nothing else
		detail = attempted + " was interrupted, as by Ctrl-C."
	}
	return diag.NewErrorDiagnostic(summary, strings.TrimSpace(detail+"\n\n"+why.advice))
}

// ErrorText returns the error as sentences, without advice, for a diagnostic that has its own: two
// pieces of advice could contradict each other.
func ErrorText(err error) string { return sentence(inWords.Replace(err.Error())) }

// inWords says what package context says to programmers.
var inWords = strings.NewReplacer(context.Canceled.Error(), "the run was interrupted", context.DeadlineExceeded.Error(), "its time limit was reached")

// Reason is ErrorText for a text that says itself which call failed.
func Reason(err error) string {
	if e, ok := errors.AsType[*api.Error](err); ok && e.Error() == err.Error() {
		return sentence(inWords.Replace(e.Reason()))
	}
	return ErrorText(err)
}

// ErrorAndAdvice returns the error as sentences, and what the user can do about it.
func ErrorAndAdvice(err error) string {
	return strings.TrimSpace(ErrorText(err) + " " + causeOf(err).advice)
}

// Advice says, for a list of errors, what the cause of one is and what the user can do about it. It
// is "" if the text of the error says it.
func Advice(err error) string {
	why := causeOf(err)
	return strings.TrimPrefix(why.summary+". "+why.advice, ". ")
}

// mostLines is how many lines of a list a diagnostic shows.
const mostLines = 200

// List is a line for each of the first items, and one that counts the rest.
func List(items []string) string {
	var lines []string
	for _, item := range items[:min(len(items), mostLines)] {
		lines = append(lines, "  - "+item)
	}
	if len(items) > mostLines {
		lines = append(lines, fmt.Sprintf("  and %d more", len(items)-mostLines))
	}
	return strings.Join(lines, "\n")
}

// cause is why a call or an upload failed. It is empty if the text of the error says it.
type cause struct {
	summary string // constant; "": that what was attempted failed
	advice  string // what the user can do
}

func causeOf(err error) cause {
	if errors.Is(err, context.Canceled) {
		return cause{summary: "Terraform interrupted this call"}
	}
	if late, ok := errors.AsType[*transfer.TimeLimitError](err); ok {
		return cause{advice: causeOf(late.Latest).advice}
	}
	if e, ok := errors.AsType[*api.Error](err); ok {
		return callCause(e)
	}
	return uploadCause(err)
}

// callCause is the cause of a call that failed.
func callCause(e *api.Error) cause {
	_, noToken := errors.AsType[*credential.TokenError](e.Err)
	timedOut, isTimeOut := errors.AsType[interface {
		error
		Timeout() bool
	}](e.Err)
	token := cmp.Or(e.Token, "`id_token`, `id_token_file` or `id_token_command`")
	switch {
	case noToken:
		return cause{"The identity token cannot be used", "Check where the identity token comes from: " + token + "."}
	case e.Status == http.StatusUnauthorized && e.Token == "" && strings.Contains(e.Address, "/live/v1/"):
		return cause{"The service did not accept the credentials", "Check `access_token_id` and `secret_key`."}
	case e.Status == http.StatusUnauthorized:
		return cause{"The service did not accept the identity token", "Check " + token + ", and that the token has not expired."}
	case e.Status == http.StatusForbidden:
		return cause{"The credentials have no permission for this call", "Ask the administrator of the account for it."}
	case e.StorageCode != "" || e.Attempts == 0:
		return cause{}
	case e.Status == http.StatusNotFound:
		return cause{"The service does not know this address", "Check `base_url` and `vod_base_url`, to which the provider appends the path of the API, and the ids and key paths of the configuration."}
	case e.Status == http.StatusBadRequest:
		return cause{"The service refused the values of this request", "Its message above says why: correct the configuration."}
	case e.Status == http.StatusTooManyRequests:
		return cause{"The service limits the rate of requests", "Try again later, or with a longer time limit."}
	case e.Status >= http.StatusInternalServerError:
		return cause{"The service failed", "Try again later. If the error persists, report it to the service with the request id, if there is one above."}
	case e.Status == 0 && isTimeOut && timedOut.Timeout() && !errors.Is(e.Err, context.DeadlineExceeded):
		return cause{"The request timed out", "Check the network, or raise `request_timeout` in the provider block."}
	case e.Status == 0 && !e.MayHaveBeenProcessed && !errors.Is(e.Err, context.DeadlineExceeded):
		return cause{"The address cannot be reached", "Check that the address is right and can be reached from this machine (proxy settings, `ca_bundle_file`)."}
	}
	return cause{}
}

// uploadCause names the argument to change.
func uploadCause(err error) cause {
	_, customer := errors.AsType[*upload.CustomerError](err)
	_, name := errors.AsType[*upload.NameError](err)
	_, changed := errors.AsType[*transfer.ChangedError](err)
	size, tooLarge := errors.AsType[*upload.SizeError](err)
	switch {
	case customer:
		return cause{"The key path is not allowed", "Check that the identity token is that of the right account, and `allowed_customer_ids` of the provider."}
	case name:
		return cause{"The file cannot be uploaded", "Set `file_name` to the name to store it under."}
	case changed:
		return cause{"The file has changed", "No object was made of it. When nothing writes to the file any more, apply again: that plans its new content."}
	case tooLarge && size.Limit == upload.LimitPut:
		return cause{"The file is too large for one PUT", "Leave `method` out, or set it to \"multipart\"."}
	case tooLarge && size.Limit == upload.LimitParts:
		return cause{"The part size does not fit the file", fmt.Sprintf("Raise `part_size` to at least %d, or leave it out.", transfer.PartSize(size.Size))}
	case tooLarge:
		return cause{"The file is too large", "Split the file."}
	}
	return cause{advice: storageAdvice(err)}
}

// storageAdvice says what can be done about the error of a PUT. It is "" for other errors.
func storageAdvice(err error) string {
	refused, isRefused := errors.AsType[*transfer.StatusError](err)
	_, changed := errors.AsType[*transfer.ChecksumError](err)
	_, broken := errors.AsType[*transfer.ConnectionError](err)
	switch {
	case changed || isRefused && refused.Code == "BadDigest":
		return "What storage has is not what was sent: a proxy or faulty hardware may have changed it on its way."
	case broken || isRefused && (refused.Code == "RequestTimeout" || refused.Code == "IncompleteBody"):
		return "Check the network between this machine and storage (proxy settings, `ca_bundle_file`), or raise `stall_timeout` in the provider block."
	case isRefused && (refused.Status == http.StatusTooManyRequests || refused.Status >= http.StatusInternalServerError):
		return "Apply again later, or lower `upload_concurrency` in the provider block."
	case isRefused && refused.Code != "":
		return "The service has just made this address: report the response of storage to the service."
	case isRefused:
		return "The response has none of the codes of S3, so a proxy or a firewall between this machine and storage may have sent it: PUT requests to this host must pass it. Shorter ones may, with a smaller `part_size`."
	}
	return ""
}

// sentence turns the text of a Go error into a sentence: capital letter, full stop.
func sentence(s string) string {
	// Names such as id_token_file and video.mp4 keep their lower-case letter.
	if word, _, _ := strings.Cut(s, " "); word != "" && word[0] < 0x80 && !strings.ContainsAny(word, "_/.:") {
		s = strings.ToUpper(s[:1]) + s[1:]
	}
	if s == "" || strings.HasSuffix(s, ".") || strings.HasSuffix(s, "?") || strings.HasSuffix(s, "!") {
		return s
	}
	return s + "."
}
