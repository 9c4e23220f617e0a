package api

import (
	"html"
	"regexp"
	"strings"
)

var (
	title      = regexp.MustCompile(`(?is)<title[^>]*>(.*?)(?:</title|$)`)
	xmlCode    = regexp.MustCompile(`(?s)<Code>(.*?)(?:</Code|$)`)
	cdata      = regexp.MustCompile(`(?s)<!\[CDATA\[(.*?)\]\]>`)
	xmlMessage = regexp.MustCompile(`(?s)<Message>(.*?)(?:</Message|$)`)
)

// markupText returns what an error page says: its title, and of an XML error the code and the
// message. What else they have says little, and S3's other elements show signatures.
func markupText(page string) string {
	said := func(element *regexp.Regexp) string {
		found := element.FindStringSubmatch(page)
		if found == nil {
			return ""
		}
		return strings.TrimSpace(html.UnescapeString(cdata.ReplaceAllString(found[1], "$1")))
	}
	if text := said(title); text != "" {
		return text
	}
	return strings.Trim(said(xmlCode)+": "+said(xmlMessage), ": ")
}
