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
// does not repeat, or else that what was attempted ("Creating the live session") failed. attempted
// must be constant, because the documentation has a heading for each summary. The error must not
// contain secrets.
func ErrorDiagnostic(attempted string, err error) diag.Diagnostic {
	why, detail := causeOf(err), ErrorText(err)
	switch {
	case why.summary == "":
		return diag.NewErrorDiagnostic(attempted+" failed", strings.TrimSpace(Reason(err)+"\n\n"+why.advice))
	case detail == ErrorText(context.Canceled):
		detail = attempted + " was interrupted, as by Ctrl-C."
	case why.advice != "":
		detail += "\n\n" + why.advice
	}
	return diag.NewErrorDiagnostic(why.summary, detail)
}

// ErrorText returns the error as sentences, without advice, for a diagnostic that has its own: two
// pieces of advice could contradict each other.
func ErrorText(err error) string { return sentence(inWords.Replace(err.Error())) }

// inWords says what package context says to programmers.
var inWords = strings.NewReplacer(context.Canceled.Error(), "the run was interrupted", context.DeadlineExceeded.Error(), "its time limit was reached")

// Reason is ErrorText for a text that says itself which call failed.
func Reason(err error) string {
	if e, ok := errors.AsType[*api.Error](err); ok && e.Error() == err.Error() {
		return sentence(e.Reason())
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
	if why.advice == "" || why.summary == "" {
		return why.advice
	}
	return why.summary + ". " + why.advice
}

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
	e, ok := errors.AsType[*api.Error](err)
	if !ok {
		return uploadCause(err)
	}
	_, noToken := errors.AsType[*credential.TokenError](err)
	switch {
	case noToken:
		return cause{"The identity token cannot be used", "Check where the identity token comes from: " + tokenSource(e) + "."}
	case e.Status == http.StatusUnauthorized && strings.Contains(e.Address, "/live/v1/"):
		return cause{"The service did not accept the credentials", "Check `access_token_id` and `secret_key`."}
	case e.Status == http.StatusUnauthorized:
		return cause{"The service did not accept the identity token", "Check " + tokenSource(e) + ", and that the token has not expired."}
	case e.Status == http.StatusForbidden:
		return cause{"The credentials have no permission for this call", "Ask the administrator of the account for it."}
	case e.StorageCode != "", e.Status == http.StatusNotFound && e.Attempts == 0:
		return cause{}
	case e.Status == http.StatusNotFound && e.PathTwice():
		return cause{"The address has the path of the API twice", "`base_url` and `vod_base_url` end before `/live/v1`, `/vod/v1` and `/v1/local`, which the provider appends. Remove this end, and what follows it, from the configured address."}
	case e.Status == http.StatusNotFound:
		return cause{"The service does not know this address", "Check `base_url` and `vod_base_url`, to which the provider appends the path of the API, and the ids and key paths of the configuration."}
	case e.Status == http.StatusBadRequest && e.Method == http.MethodGet: // its message is not shown
		return cause{"The service refused the values of this request", "Check the ids in the configuration, and `base_url`."}
	case e.Status == http.StatusBadRequest:
		return cause{"The service refused the values of this request", "Its message above says why: correct the configuration and apply again."}
	case e.Status == http.StatusTooManyRequests:
		return cause{"The service limits the rate of requests", "It refused this one until the time for the operation was over. Apply again later, or with a longer time limit."}
	case e.Status >= http.StatusInternalServerError:
		return cause{"The service failed", "Apply again later. If the error persists, report it to the service with the request id, if there is one above."}
	case e.Status == 0 && errors.Is(err, context.DeadlineExceeded):
		return cause{} // the time limit of the operation, which the error names
	case e.Status == 0 && timedOut(err):
		return cause{"The request timed out", "Check the network, or raise `request_timeout` in the provider block."}
	case e.Status == 0 && !e.MayHaveBeenProcessed:
		return cause{"The address cannot be reached", "Check that the address is right and can be reached from this machine (proxy settings, `ca_bundle_file`)."}
	}
	return cause{}
}

// uploadCause names the argument to change.
func uploadCause(err error) cause {
	if _, ok := errors.AsType[*upload.CustomerError](err); ok {
		return cause{"The key path is not allowed", "Check that the identity token is that of the right account, and `allowed_customer_ids` of the provider."}
	}
	if _, ok := errors.AsType[*upload.NameError](err); ok {
		return cause{"The file cannot be uploaded", "Set `file_name` to the name to store it under."}
	}
	if _, ok := errors.AsType[*transfer.ChangedError](err); ok {
		return cause{"The file has changed", "No object was made of it. When nothing writes to the file any more, apply again: that plans its new content."}
	}
	e, ok := errors.AsType[*upload.SizeError](err)
	switch {
	case !ok:
		return cause{advice: storageAdvice(err)}
	case e.Limit == upload.LimitPut:
		return cause{"The file is too large for one PUT", "Leave `method` out, or set it to \"multipart\"."}
	case e.Limit == upload.LimitParts:
		return cause{"The part size does not fit the file", fmt.Sprintf("Raise `part_size` to at least %d, or leave it out.", transfer.PartSize(e.Size))}
	}
	return cause{"The file is too large", "Split the file."}
}

// storageAdvice says what can be done about the error of a PUT. It is "" for other errors.
func storageAdvice(err error) string {
	const (
		network = "Check the network between this machine and storage"
		changed = "What storage has is not what was sent: a proxy or faulty hardware may have changed it on its way. If it happens again, try another network or machine."
		ofProxy = "The response has none of the codes of S3, so a proxy or a firewall between this machine and storage may have sent it: PUT requests to this host must pass it"
	)
	if e, ok := errors.AsType[*transfer.StatusError](err); ok {
		switch {
		case e.Code == "RequestTimeout", e.Code == "IncompleteBody":
			return network + "."
		case e.Code == "BadDigest":
			return changed
		case e.Status == http.StatusTooManyRequests, e.Status == http.StatusServiceUnavailable:
			return "Apply again later, or lower `upload_concurrency` in the provider block."
		case e.Status >= http.StatusInternalServerError:
			return "Apply again later."
		case e.Code != "":
			return "The service has just made this address: report the response of storage to the service."
		case e.Status == http.StatusRequestEntityTooLarge:
			return ofProxy + ". Shorter ones may: `method = \"multipart\"`, and a smaller `part_size`."
		}
		return ofProxy + "."
	}
	if e, ok := errors.AsType[*transfer.ConnectionError](err); ok {
		switch {
		case e.Stalled:
			return network + ", or raise `stall_timeout` in the provider block."
		case e.Unreached:
			return "Check that this machine reaches that host, which is another one than the service's (proxy settings, `ca_bundle_file`)."
		}
		return network + "."
	}
	if _, ok := errors.AsType[*transfer.ChecksumError](err); ok {
		return changed
	}
	return ""
}

// tokenSource is where the identity token of a call comes from.
func tokenSource(e *api.Error) string {
	return cmp.Or(e.Token, "`id_token`, `id_token_file` or `id_token_command`")
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
