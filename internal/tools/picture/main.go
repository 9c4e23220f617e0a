// Command picture draws what `make demo` prints as a terminal window in SVG, for the README: `make
// picture`. The lines are as they were printed. It leaves out most of Terraform's long plans, and
// cuts long lines.
package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"log"
	"os"
	"regexp"
	"slices"
	"strings"
)

var (
	shown    = regexp.MustCompile(`^(\[\d+\]|\$ |Plan: |Apply complete|Destroy complete|No changes\.|vodlive_\S+: Creation complete|Warning: |The object is|Error: |\d+ of \d+ parts |Refused: |Demo complete)`)
	received = regexp.MustCompile(`^(live sessions|objects|unfinished uploads|batch jobs|storage requests| .*)`) // of step 5
	colours  = [][2]string{
		{`^\[`, "#58a6ff"},
		{`^\$`, "#8b949e"},
		{`^Warning`, "#d29922"},
		{`^Error`, "#f85149"},
		{`^(Apply|Demo|Destroy) complete|^No changes|^The object is|^\d+ of|^Refused`, "#3fb950"},
		{``, "#c9d1d9"},
	}
)

func main() {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	_, _ = os.Stdout.WriteString(draw(lines(string(text))))
}

const columns = 120

// lines are those that are shown.
func lines(text string) (kept []string) {
	kept = append(kept, "$ make demo     # shortened: this picture leaves out most of what Terraform prints")
	step := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n")
		if strings.HasPrefix(line, "[") {
			step, _, _ = strings.Cut(line, " ")
		}
		if !shown.MatchString(line) && (step != "[5]" || !received.MatchString(line)) {
			continue
		}
		if letters := []rune(line); len(letters) > columns {
			line = string(letters[:columns-1]) + "…"
		}
		kept = append(kept, line)
	}
	return slices.Compact(kept)
}

func draw(lines []string) string {
	width := len(slices.MaxFunc(lines, func(a, b string) int { return len(a) - len(b) }))
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14">`+"\n"+
		`<title>make demo</title><rect width="100%%" height="100%%" rx="8" fill="#161b22"/>`+"\n", float64(width)*8.5+40, len(lines)*20+40)
	for i, line := range lines {
		colour := colours[slices.IndexFunc(colours, func(r [2]string) bool { return regexp.MustCompile(r[0]).MatchString(line) })][1]
		fmt.Fprintf(&b, `<text x="20" y="%d" fill="%s" xml:space="preserve">`, i*20+35, colour)
		_ = xml.EscapeText(&b, []byte(line))
		b.WriteString("</text>\n")
	}
	return b.String() + "</svg>\n"
}
