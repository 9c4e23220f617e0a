package api

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

const (
	// errorBodyRead, in bytes, is how much of an error body is read.
	errorBodyRead = 64 << 10
	// messageDepth is how deep a message is searched for in JSON.
	messageDepth = 6
	// itemsRead is how many elements of a list of errors are read.
	itemsRead = 20
)

// errorMessage returns what an error body says as one masked line, "" if it says nothing.
func errorMessage(mask *redact.Redactor, contentType string, body []byte) string {
	body = redact.Cut(bytes.TrimSpace(body), errorBodyRead)
	if len(body) == 0 {
		return ""
	}
	if json.Valid(body) {
		return mask.Line(jsonMessage(mask, body))
	}
	text := strings.ToValidUTF8(string(body), "\uFFFD")
	media, _, _ := mime.ParseMediaType(contentType)
	if strings.HasSuffix(media, "html") || strings.HasSuffix(media, "xml") || strings.HasPrefix(text, "<") {
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

func jsonMessage(mask *redact.Redactor, body []byte) string {
	v := parse(body)
	if text := said(v, 0); text != "" || v.hollow(0) {
		return text
	}
	text, _ := mask.JSON(body)
	return text
}

// hollow reports whether a value is empty, or contains only empty values.
func (v value) hollow(depth int) bool {
	if depth > messageDepth {
		return false
	}
	for _, item := range v.items() {
		if !item.hollow(depth + 1) {
			return false
		}
	}
	for _, member := range v.object().members {
		if !member.hollow(depth + 1) {
			return false
		}
	}
	return v.isArray() || v.isObject() || v.empty()
}

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

// statusInBody returns the error status that the body of a 2xx response tells, 0 if none: a number
// from 400 to 599 at its top level. A body with what was asked for is no refusal, whatever number
// is beside it.
func statusInBody(v value) int {
	o := v.object()
	for _, key := range []string{"statusCode", "code"} {
		status, err := strconv.Atoi(string(o.get(key)))
		if err != nil || status < http.StatusBadRequest || status > 599 {
			continue
		}
		if isSession(o) || slices.ContainsFunc([]string{"data", "Sessions", "regions"}, func(key string) bool { return !o.get(key).empty() }) {
			return 0
		}
		return status
	}
	return 0
}

// storageCodes are S3's error codes for a multipart upload that cannot go on, by the words that
// tell them, in lower case and without spaces and punctuation: the service may pass on the code,
// the sentence or both, with any status.
var storageCodes = []struct{ words, code string }{
	{"nosuchupload", StorageNoSuchUpload},
	{"specifieduploaddoesnotexist", StorageNoSuchUpload},
	{"uploadidmaybeinvalid", StorageNoSuchUpload},
	{"invalidpart", StorageInvalidPart},
	{"specifiedpartscouldnotbefound", StorageInvalidPart},
	{"entitytoosmall", StorageEntityTooSmall},
	{"smallerthantheminimumallowedsize", StorageEntityTooSmall},
}

// storageCode returns the S3 error code that an error body passes on, "" for none. Only calls that
// name a multipart upload get one.
func storageCode(body []byte) string {
	words := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return -1
	}, string(redact.Cut(body, errorBodyRead)))
	for _, known := range storageCodes {
		if strings.Contains(words, known.words) {
			return known.code
		}
	}
	return ""
}

func isStorageRefusal(body []byte) bool { return storageCode(body) != "" }
