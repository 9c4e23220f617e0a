package api

import (
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
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
	if v := parse(body); v != nil && len(v) <= errorBodyRead {
		text := said(v, 0)
		if text == "" && !v.hollow(0) {
			text, _ = mask.JSON(v)
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
	case v.isArray():
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
	case v.isObject():
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

// statusUnless returns a function that finds the error status that the body of a 2xx response
// tells, 0 if none: a number from 400 to 599 at its top level. A body that has what was asked for
// is no refusal, whatever status it tells.
func statusUnless(answered func(value) bool) func(body []byte) int {
	return func(body []byte) int {
		v := parse(body)
		o := v.object()
		for _, key := range []string{"statusCode", "code"} {
			text, _ := o.get(key).scalar()
			status, err := strconv.Atoi(text)
			if err == nil && status >= http.StatusBadRequest && status <= 599 && !answered(v) {
				return status
			}
		}
		return 0
	}
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
	words := strings.FieldsFunc(strings.ToLower(string(body[:min(len(body), errorBodyRead)])), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	text := " " + strings.Join(words, " ") + " "
	for _, known := range storageCodes {
		if strings.Contains(text, known.words) {
			return known.code
		}
	}
	return ""
}

func isStorageRefusal(body []byte) bool { return storageCode(body) != "" }
