// Command picture draws what `make demo` prints, as a terminal window in SVG, for the README: make picture. Of
// Terraform's long plans it keeps what tells the story.
package main

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"log"
	"os"
	"regexp"
	"strings"
)

const (
	width  = 110 // characters in a line; longer ones are cut
	char   = 8.4 // units a character is wide at size 14
	height = 20  // units a line is high
	margin = 20
	bar    = 36 // units of the window's title bar
)

// told are the lines of the demo that are shown wherever they stand; received is the step of which everything is.
var (
	told     = regexp.MustCompile(`^(\[\d+\]|\$ |Plan: |Apply complete|Destroy complete|No changes\.|vodlive_\S+: Creation complete|Warning: The |The object is|Demo complete)`)
	received = "[5]"
)

func main() {
	log.SetFlags(0)
	if err := draw(os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func draw(in io.Reader, out io.Writer) error {
	var lines []string
	step := ""
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		line := strings.TrimRight(scanner.Text(), " ")
		if strings.HasPrefix(line, "[") {
			step, _, _ = strings.Cut(line, " ")
		}
		again := len(lines) > 0 && lines[len(lines)-1] == line
		if line == "" || again || !told.MatchString(line) && step != received {
			continue
		}
		if strings.HasPrefix(line, "[") && len(lines) > 0 {
			lines = append(lines, "")
		}
		if runes := []rune(line); len(runes) > width {
			line = string(runes[:width-1]) + "…"
		}
		lines = append(lines, line)
	}
	if err := scanner.Err(); err != nil {
		return err
	}
	if len(lines) == 0 {
		return fmt.Errorf("the input holds nothing of a demo")
	}
	return window(out, lines)
}

func window(out io.Writer, lines []string) error {
	w, h := int(width*char)+2*margin, len(lines)*height+bar+2*margin
	b := &strings.Builder{}
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14">`+"\n", w, h)
	fmt.Fprintf(b, `<title>make demo</title><rect width="%d" height="%d" rx="8" fill="#161b22"/>`+"\n", w, h)
	for i, colour := range []string{"#ff5f56", "#ffbd2e", "#27c93f"} {
		fmt.Fprintf(b, `<circle cx="%d" cy="18" r="6" fill="%s"/>`, margin+20*i, colour)
	}
	fmt.Fprintf(b, "\n"+`<text x="%d" y="23" fill="#8b949e" text-anchor="middle">make demo</text>`+"\n", w/2)
	for i, line := range lines {
		if line == "" {
			continue
		}
		var escaped strings.Builder
		if err := xml.EscapeText(&escaped, []byte(line)); err != nil {
			return err
		}
		fmt.Fprintf(b, `<text x="%d" y="%d" fill="%s" xml:space="preserve">%s</text>`+"\n", margin, bar+margin+i*height, colourOf(line), escaped.String())
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(out, b.String())
	return err
}

func colourOf(line string) string {
	switch {
	case strings.HasPrefix(line, "["):
		return "#58a6ff"
	case strings.HasPrefix(line, "$ "):
		return "#8b949e"
	case strings.HasPrefix(line, "Warning"):
		return "#d29922"
	case strings.HasPrefix(line, "Apply complete"), strings.HasPrefix(line, "No changes"), strings.HasPrefix(line, "Demo complete"), strings.HasPrefix(line, "The object is"):
		return "#3fb950"
	}
	return "#c9d1d9"
}
