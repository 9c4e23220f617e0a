package api

import (
	"bytes"
	"encoding/json"
	"mime"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

const (
	// errorBodyRead, in bytes, is what is looked at of one.
	errorBodyRead = 64 << 10
	// messageDepth bounds the search in a JSON error body.
	messageDepth = 6
	// itemsRead bounds how many elements of a list of errors are read.
	itemsRead = 20
)

// errorMessage is what an error body says: one line of at most 500 characters, masked. "" when it says
// nothing.
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

// Elements that markupText tells apart: those whose text no browser shows, and those that are part
// of a line of text.
var (
	hiddenTags = []string{"script", "style", "noscript", "template"}
	inlineTags = []string{"a", "abbr", "b", "big", "code", "em", "font", "i", "kbd", "mark", "s", "small", "span", "strong", "sub", "sup", "tt", "u", "wbr"}
)

// markupText is what an error page or an XML error says. Of an HTML page these are the title and all
// that a browser shows, each block of text once; of an XML error its code and message.
func markupText(page string) string {
	tokens := html.NewTokenizer(strings.NewReader(page))
	tokens.AllowCDATA(true)
	var blocks []string
	var block, code, message strings.Builder
	within := "" // the hidden, code or message element that is open
	endBlock := func() {
		text := strings.Join(strings.Fields(block.String()), " ")
		if text != "" && !slices.ContainsFunc(blocks, func(b string) bool { return strings.Contains(b, text) }) {
			blocks = append(blocks, text)
		}
		block.Reset()
	}
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			break
		}
		token := tokens.Token()
		if kind == html.TextToken {
			switch within {
			case "code":
				code.WriteString(token.Data)
			case "message":
				message.WriteString(token.Data)
			}
			if !slices.Contains(hiddenTags, within) {
				block.WriteString(token.Data)
			}
			continue
		}
		switch tag := token.Data; {
		case kind == html.EndTagToken && tag == within:
			within = ""
		case kind == html.StartTagToken && within == "" && (tag == "code" || tag == "message" || slices.Contains(hiddenTags, tag)):
			within = tag
		}
		if kind != html.CommentToken && !slices.Contains(inlineTags, token.Data) {
			endBlock()
		}
	}
	endBlock()
	switch {
	case message.Len() == 0:
		return strings.Join(blocks, "; ")
	case code.Len() == 0:
		return message.String()
	}
	return code.String() + ": " + message.String()
}

// Names under which services tell what went wrong, the most telling first.
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

// hollow reports whether there is nothing in a value, nor in any value within it.
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
	// A list of errors beside a general message says what is wrong.
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
