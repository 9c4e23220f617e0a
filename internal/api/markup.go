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

// markupText returns what an error page says: the title and the text that a browser shows, each
// block once. Of an XML error it returns only the code and the message: S3's others show
// signatures.
func markupText(page string) string {
	tokens := html.NewTokenizer(strings.NewReader(page))
	tokens.AllowCDATA(true)
	var blocks []string
	var block, code, message strings.Builder
	texts := map[string]*strings.Builder{"code": &code, "message": &message}
	endBlock := func() {
		text := strings.Join(strings.Fields(block.String()), " ")
		if text != "" && !slices.ContainsFunc(blocks, func(b string) bool { return strings.Contains(b, text) }) {
			blocks = append(blocks, text)
		}
		block.Reset()
	}
	within := "" // the hidden, code or message element that is open
	for kind := tokens.Next(); kind != html.ErrorToken; kind = tokens.Next() {
		token := tokens.Token()
		switch {
		case kind == html.TextToken && !slices.Contains(hiddenTags, within):
			block.WriteString(token.Data)
			if text := texts[within]; text != nil {
				text.WriteString(token.Data)
			}
		case kind == html.EndTagToken && token.Data == within:
			within = ""
		case kind == html.StartTagToken && within == "" && (texts[token.Data] != nil || slices.Contains(hiddenTags, token.Data)):
			within = token.Data
		}
		if kind != html.TextToken && kind != html.CommentToken && !slices.Contains(inlineTags, token.Data) {
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
