package api

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Elements whose text no browser shows, and elements that are part of a line of text.
var (
	hiddenTags = []string{"script", "style", "noscript", "template"}
	inlineTags = []string{"a", "abbr", "b", "big", "code", "em", "font", "i", "kbd", "mark", "s", "small", "span", "strong", "sub", "sup", "tt", "u", "wbr"}
)

// markupText returns what an HTML error page or an XML error says: the title and the text that a
// browser shows, each block once, or the code and the message.
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
