package api

import (
	"bytes"
	"html"
	"regexp"
	"slices"
	"strings"
)

const (
	// messageRead, in bytes, is how much of a body is read for its message.
	messageRead = 64 << 10
	// messageDepth is how deep a message is searched for in JSON.
	messageDepth = 4
)

// messageKeys are the keys under which services say what went wrong, the most specific first.
var messageKeys = []string{"message", "errorMessage", "error_description", "error", "errors", "detail", "details", "description", "reason", "title", "data"}

// markupMessage finds the title of an HTML page and the message of S3.
var markupMessage = regexp.MustCompile(`(?is)<(?:title|message)[^>]*>(.*?)</`)

// message returns what a body says went wrong, "" if it says nothing.
func message(body []byte) string {
	if v := parseBody(body); v != nil {
		return said(v, 0)
	}
	text := string(bytes.TrimSpace(body[:min(len(body), messageRead)]))
	if !strings.HasPrefix(text, "<") {
		return text
	}
	var all []string
	if code := markupCode.FindStringSubmatch(text); code != nil {
		all = append(all, code[1])
	}
	if found := markupMessage.FindStringSubmatch(text); found != nil {
		all = append(all, html.UnescapeString(found[1]))
	}
	return strings.Join(all, ": ")
}

var markupCode = regexp.MustCompile(`<Code>(\w+)</Code>`)

// said finds the message in JSON.
func said(v any, depth int) string {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v)
	case []any:
		var all []string
		for _, item := range v[:min(len(v), 20)] {
			if text := said(item, depth+1); text != "" {
				all = append(all, text)
			}
		}
		return strings.Join(all, "; ")
	case object:
		for _, key := range messageKeys {
			if text := said(v[key], depth+1); text != "" && depth < messageDepth {
				return text
			}
		}
	}
	return ""
}

// refuses reports whether the body of a success says that the call was refused.
func refuses(v any) bool {
	o, _ := v.(object)
	return o["success"] == false || o["ok"] == false || o["status"] == "error" || o["errorMessage"] != nil || said(o["error"], 0) != "" || said(o["errors"], 0) != ""
}

// Values of Error.StorageCode.
const (
	StorageNoSuchUpload = "NoSuchUpload" // unknown, aborted or already complete
	StorageInvalidPart  = "InvalidPart"  // a part is not stored, or has another ETag
)

// storageWords are S3's error codes for a multipart upload that cannot go on, and its sentences for
// them. The service may pass on either, with any status.
var storageWords = [][2]string{
	{StorageNoSuchUpload, StorageNoSuchUpload},
	{"specified upload does not exist", StorageNoSuchUpload},
	{StorageInvalidPart, StorageInvalidPart},
	{"specified parts could not be found", StorageInvalidPart},
	{"EntityTooSmall", "EntityTooSmall"},
}

// storageCode returns the S3 error code that a body passes on, "" for none.
func storageCode(body []byte) string {
	text := string(body[:min(len(body), messageRead)])
	i := slices.IndexFunc(storageWords, func(w [2]string) bool { return strings.Contains(text, w[0]) })
	if i < 0 {
		return ""
	}
	return storageWords[i][1]
}
