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

// markupText returns the title and the text that a browser shows of an error page, each block once.
func markupText(page string) string {
	tokens := html.NewTokenizer(strings.NewReader(page))
	tokens.AllowCDATA(true)
	var blocks []string
	var block strings.Builder
	endBlock := func() {
		text := strings.Join(strings.Fields(block.String()), " ")
		if text != "" && !slices.ContainsFunc(blocks, func(b string) bool { return strings.Contains(b, text) }) {
			blocks = append(blocks, text)
		}
		block.Reset()
	}
	hidden := "" // the hidden element that is open
	for kind := tokens.Next(); kind != html.ErrorToken; kind = tokens.Next() {
		token := tokens.Token()
		switch {
		case kind == html.TextToken && hidden == "":
			block.WriteString(token.Data)
		case kind == html.EndTagToken && token.Data == hidden:
			hidden = ""
		case kind == html.StartTagToken && hidden == "" && slices.Contains(hiddenTags, token.Data):
			hidden = token.Data
		}
		if kind != html.TextToken && kind != html.CommentToken && !slices.Contains(inlineTags, token.Data) {
			endBlock()
		}
	}
	endBlock()
	return strings.Join(blocks, "; ")
}
