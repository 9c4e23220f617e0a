package api

import (
	"bytes"
	"encoding/json"
	"html"
	"mime"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// longestMessage, in characters, is what is shown of an error body.
	longestMessage = 500
	// errorBodyRead, in bytes, is what is looked at of one.
	errorBodyRead = 64 << 10
	// messageDepth bounds the search in a JSON error body.
	messageDepth = 6
)

// errorMessage is what an error body says: one line of at most longestMessage
// characters, without control characters, masked. "" when it says nothing.
func (m *masker) errorMessage(contentType string, body []byte, more ...string) string {
	body = firstWords(bytes.TrimSpace(body), errorBodyRead)
	if len(body) == 0 {
		return ""
	}
	if json.Valid(body) {
		return m.oneLine(jsonMessage(m, body, more), more...)
	}
	text := strings.ToValidUTF8(string(body), "\uFFFD")
	media, _, _ := mime.ParseMediaType(contentType)
	if strings.HasSuffix(media, "html") || strings.HasSuffix(media, "xml") || strings.HasPrefix(text, "<") {
		text = markupText(m.text(text, more...))
	}
	return m.oneLine(text, more...)
}

// firstWords cuts a body between words, so that no half of a secret, which
// masking would miss, is left at the end.
func firstWords(body []byte, limit int) []byte {
	if len(body) <= limit {
		return body
	}
	body = body[:limit]
	if end := bytes.LastIndexAny(body, " \t\r\n"); end > 0 {
		return body[:end]
	}
	return nil
}

// oneLine masks s and makes one line of it, of bounded length.
func (m *masker) oneLine(s string, more ...string) string {
	// Before, because collapsing white space could hide a secret; after,
	// because dropping control characters could complete one.
	s = m.text(strings.ToValidUTF8(s, "\uFFFD"), more...)
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, s)
	s = m.text(strings.Join(strings.Fields(s), " "), more...)
	if utf8.RuneCountInString(s) > longestMessage {
		runes := []rune(s)
		s = strings.TrimSpace(string(runes[:longestMessage-1])) + "…"
	}
	return s
}

var (
	titleTag  = regexp.MustCompile(`(?is)<(?:title|h1)\b[^>]*>(.*?)</(?:title|h1)`)
	codeTag   = regexp.MustCompile(`(?is)<code>(.*?)</code>`)
	textTag   = regexp.MustCompile(`(?is)<message>(.*?)</message>`)
	hiddenTag = regexp.MustCompile(`(?is)<!--.*?(?:-->|$)|<(?:script|style|head)\b.*?(?:</(?:script|style|head)\s*>|$)`)
	anyTag    = regexp.MustCompile(`<[^>]*(?:>|$)`)
)

// markupText is the text of an HTML page (its title, if it has one) or of an
// XML error.
func markupText(page string) string {
	if message := textTag.FindStringSubmatch(page); message != nil {
		text := anyTag.ReplaceAllString(message[1], " ")
		if code := codeTag.FindStringSubmatch(page); code != nil {
			text = anyTag.ReplaceAllString(code[1], " ") + ": " + text
		}
		return html.UnescapeString(text)
	}
	if title := titleTag.FindStringSubmatch(page); title != nil {
		if text := strings.TrimSpace(anyTag.ReplaceAllString(title[1], " ")); text != "" {
			return html.UnescapeString(text)
		}
	}
	text := hiddenTag.ReplaceAllString(page, " ")
	return html.UnescapeString(anyTag.ReplaceAllString(text, " "))
}

// Names under which services tell what went wrong, the most telling first.
var (
	messageKeys = []string{"message", "errormessage", "errordescription", "msg", "detail", "details", "description", "reason", "error", "title", "fault", "errors", "cause", "status", "code"}
	wrapperKeys = []string{"data", "response", "result", "body", "meta"}
	itemKeys    = []string{"field", "property", "path", "parameter", "name"}
)

func jsonMessage(m *masker, body []byte, more []string) string {
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		return ""
	}
	if text := said(v, 0); text != "" {
		return text
	}
	if empty(v) {
		return ""
	}
	shown, err := json.Marshal(m.maskJSON(v, more))
	if err != nil {
		return ""
	}
	return string(shown)
}

// said finds the message in an error body of unknown shape.
func said(v any, depth int) string {
	if depth > messageDepth {
		return ""
	}
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v)
	case []any:
		var items []string
		for _, item := range v[:min(len(v), 20)] {
			if text := said(item, depth+1); text != "" {
				items = append(items, text)
			}
		}
		return strings.Join(items, "; ")
	case map[string]any:
		return saidByObject(v, depth)
	}
	return ""
}

func saidByObject(object map[string]any, depth int) string {
	folded := foldedValues(object)
	main := ""
	for _, key := range slices.Concat(messageKeys, wrapperKeys) {
		if main = said(folded[key], depth+1); main != "" {
			break
		}
	}
	if main == "" {
		return ""
	}
	// A list of errors beside a general message says what is wrong.
	for _, key := range []string{"errors", "details", "error"} {
		if _, text := folded[key].(string); text {
			continue
		}
		if more := said(folded[key], depth+1); more != "" && !strings.Contains(main, more) {
			main += ": " + more
			break
		}
	}
	for _, key := range itemKeys {
		name, ok := folded[key].(string)
		if ok && depth > 0 && name != "" && !strings.Contains(main, name) {
			return name + ": " + main
		}
	}
	return main
}

// foldedValues indexes an object by folded key; of keys that fold alike the
// first in order counts.
func foldedValues(object map[string]any) map[string]any {
	keys := make([]string, 0, len(object))
	for key := range object {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	folded := make(map[string]any, len(object))
	for _, key := range keys {
		if _, taken := folded[fold(key)]; !taken {
			folded[fold(key)] = object[key]
		}
	}
	return folded
}

func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return strings.TrimSpace(v) == ""
	case []any:
		return !slices.ContainsFunc(v, func(item any) bool { return !empty(item) })
	case map[string]any:
		for _, item := range v {
			if !empty(item) {
				return false
			}
		}
		return true
	}
	return false
}
