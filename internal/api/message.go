package api

import (
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire"
)

const (
	// errorBodyRead, in bytes, is how much of an error body is read: more than a Line reads.
	errorBodyRead = 64<<10 + 1
	// messageDepth is how deep a message is searched for in JSON.
	messageDepth = 6
	// itemsRead is how many elements of a list of errors are read.
	itemsRead = 20
)

// errorMessage returns what an error body says as one masked line, "" if it says nothing.
func errorMessage(mask *redact.Redactor, contentType string, body []byte) string {
	if v := parseBody(body); v.Exists() && len(v.Raw) <= errorBodyRead {
		text := said(v, 0)
		if text == "" && !v.hollow(0) {
			text, _ = mask.JSON([]byte(v.Raw))
		}
		return mask.Line(text)
	}
	text := strings.ToValidUTF8(string(body[:min(len(body), errorBodyRead)]), "\uFFFD")
	media, _, _ := mime.ParseMediaType(contentType)
	if strings.HasSuffix(media, "html") || strings.HasSuffix(media, "xml") || strings.HasPrefix(strings.TrimSpace(text), "<") {
		text = markupText(mask.Text(text))
	}
	return mask.Line(text)
}

// Keys under which services say what went wrong, the most specific first; keys of wrappers; and
// keys that name what an error in a list is about.
var (
	messageKeys = []string{"message", "errormessage", "errordescription", "msg", "detail", "details", "description", "reason", "error", "title", "fault", "errors", "cause", "status", "code"}
	wrapperKeys = []string{"data", "response", "result", "body", "meta"}
	itemKeys    = []string{"field", "property", "path", "parameter", "name"}
)

// said finds the message in an error body of unknown shape.
func said(v value, depth int) string {
	switch {
	case depth > messageDepth:
	case v.isString():
		return strings.TrimSpace(v.text())
	case v.IsArray():
		var items []string
		for i, item := range v.items() {
			if i == itemsRead {
				break
			}
			if text := said(item, depth+1); text != "" {
				items = append(items, text)
			}
		}
		return strings.Join(items, "; ")
	case v.IsObject():
		return saidByObject(v.object(), depth)
	}
	return ""
}

func saidByObject(o object, depth int) string {
	main := ""
	for _, key := range slices.Concat(messageKeys, wrapperKeys) {
		if main = said(o.get(key), depth+1); main != "" {
			break
		}
	}
	if main == "" {
		return ""
	}
	// A list of errors beside a general message says more.
	for _, key := range []string{"errors", "details", "error"} {
		inner := o.get(key)
		if more := said(inner, depth+1); !inner.isString() && more != "" && !strings.Contains(main, more) {
			main += ": " + more
			break
		}
	}
	for _, key := range itemKeys {
		name := o.get(key).text()
		if depth > 0 && name != "" && !strings.Contains(main, name) {
			return name + ": " + main
		}
	}
	return main
}

// refusal returns a function that reads the refusal in a body: a 2xx response that does not have
// what was asked for, but a message. A body that has it is no refusal, whatever else it says. S3's
// words that a multipart upload cannot go on count under any status, if the call names one.
func refusal(ofUpload bool, answered func(value) bool) func(status int, body []byte) (said wire.Refusal, inBody int) {
	return func(status int, body []byte) (wire.Refusal, int) {
		ok := status >= 200 && status <= 299
		if !ok && !ofUpload {
			return wire.NotRefused, 0
		}
		v := parseBody(body)
		inBody := statusIn(v.object())
		switch {
		case ok && v.Exists() && (inBody == 0 && !saysOnlyWhy(v) || answered(v)):
			return wire.NotRefused, 0
		case ofUpload && storageCode(body) != "":
			return wire.RefusedUndone, inBody
		case !ok || !v.Exists():
			return wire.NotRefused, 0
		case passing(v):
			return wire.RefusedForNow, inBody
		}
		return wire.Refused, inBody
	}
}

// saysOnlyWhy reports whether a body has a message or an error, and no data.
func saysOnlyWhy(v value) bool {
	if len(v.Raw) > errorBodyRead {
		return false
	}
	if refuses(v) {
		return true
	}
	o := v.object()
	for _, m := range o.distinct() {
		if (m.Type == gjson.JSON || m.folded == "data") && !among(whyKeys, m.key) && !m.hollow(0) {
			return false
		}
	}
	return said(o.get(whyKeys...), 0) != ""
}

// whyKeys are keys under which a refusal says why.
var whyKeys = []string{"message", "errorMessage", "errorDescription", "msg", "detail", "details", "reason", "error", "errors", "fault"}

// explanation is the message in a body whose data cannot be read, "" if there is none.
func explanation(v value) string {
	if _, first := v.count(); v.IsArray() {
		v = first
	}
	for _, o := range []object{v.object(), v.object().get("data").object()} {
		for _, key := range slices.Concat(whyKeys, []string{"description", "title"}) {
			if text := said(o.get(key), 0); text != "" {
				return text
			}
		}
	}
	return ""
}

// refuses reports whether a body, or its data, has an error status, an error or no success.
func refuses(v value) bool { return saysError(v) || saysError(v.object().get("data")) }

// saysError reports whether the top level of an object has an error status, an error or no success.
func saysError(v value) bool {
	o := v.object()
	why := o.get("error", "errors", "errorMessage")
	return statusIn(o) > 0 || !why.hollow(0) && !why.isNo() || o.get("success", "ok").isNo() ||
		slices.Contains([]string{"error", "fail", "failed", "failure"}, strings.ToLower(o.get("status").text()))
}

// isNo reports whether a value says no.
func (v value) isNo() bool {
	text, _ := v.scalar()
	return text == "false" || text == "0"
}

// statusIn returns the error status that a gateway writes into a body, 0 if there is none.
func statusIn(o object) int {
	for _, key := range []string{"statusCode", "code"} {
		text, _ := o.get(key).scalar()
		if status, err := strconv.Atoi(text); err == nil && status >= http.StatusBadRequest && status <= 599 {
			return status
		}
	}
	return 0
}

// passingWords are words of refusals that a repeat may not meet.
var passingWords = []string{
	" internalerror ", " internal error ", " internal server error ", " slowdown ", " serviceunavailable ", " service unavailable ",
	" temporarily unavailable ", " requesttimeout ", " too many requests ", " try again ",
}

// passing reports whether a refusal in a 2xx response may pass.
func passing(v value) bool {
	if len(v.Raw) > errorBodyRead {
		return false
	}
	text := words(said(v, 0))
	return slices.ContainsFunc(passingWords, func(known string) bool { return strings.Contains(text, known) })
}

// words returns the words of a text in lower case, each between blanks.
func words(text string) string {
	return " " + strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), " ") + " "
}

// storageCodes are S3's error codes for a multipart upload that cannot go on, by the words that
// tell them. The service may pass on the code, the sentence or both, with any status.
var storageCodes = []struct{ words, code string }{
	{" nosuchupload ", StorageNoSuchUpload},
	{" specified upload does not exist ", StorageNoSuchUpload},
	{" upload id may be invalid ", StorageNoSuchUpload},
	{" invalidpart ", StorageInvalidPart},
	{" specified parts could not be found ", StorageInvalidPart},
	{" entitytoosmall ", StorageEntityTooSmall},
	{" smaller than the minimum allowed size ", StorageEntityTooSmall},
}

// storageCode returns the S3 error code that an error body passes on, "" for none. Only calls that
// name a multipart upload get one.
func storageCode(body []byte) string {
	text := words(string(body[:min(len(body), errorBodyRead)]))
	for _, known := range storageCodes {
		if strings.Contains(text, known.words) {
			return known.code
		}
	}
	return ""
}
