// Command picture draws what `make demo` prints as a terminal window in SVG, for the README: `make
// picture`. It leaves out most of Terraform's long plans. Ids and times are fixed examples, so that
// the picture changes only with the demo.
package main

import (
	"cmp"
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
	shown    = regexp.MustCompile(`^(\[\d+\]|\$ |Plan: |Apply complete|Destroy complete|No changes\.|vodlive_\S+: Creation complete|Warning: The |The object is|Demo complete)`)
	received = regexp.MustCompile(`^(live sessions|objects|unfinished uploads|batch jobs|storage requests| .*)`) // of step 5
	fixed    = [][2]string{
		{`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`, "0f8e6c1a-52d7-4b39-9c1e-7a3b5d2f4e60"},
		{`id=[A-Z0-9]{26}`, "id=CNOAQVOSM5KV3OXN7CVPWUTK6C"},
		{`after \d+s`, "after 2s"},
		{`in \d+ s\.`, "in 5 s."},
		{`\$ tofu`, "$$ terraform"},
		{` -(no-color|input=false)`, ""},
	}
	colours = [][2]string{
		{`^\[`, "#58a6ff"},
		{`^\$`, "#8b949e"},
		{`^Warning`, "#d29922"},
		{`^(Apply|Demo|Destroy) complete|^No changes|^The object is`, "#3fb950"},
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

// inOrder sorts lines of what Terraform does at one time, which come in any order. A batch job
// follows its upload.
func inOrder(a, b string) int {
	follows := func(line string) int {
		return strings.Count(line, "vodlive_batch_job") + 2*strings.Count(line, "vodlive_live_session")
	}
	return cmp.Or(cmp.Compare(follows(a), follows(b)), cmp.Compare(a, b))
}

// lines are those that are shown.
func lines(text string) (kept []string) {
	kept = append(kept, "$ make demo     # shortened: this picture leaves out most of what Terraform prints")
	step, block := "", 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n")
		if strings.HasPrefix(line, "[") {
			step, _, _ = strings.Cut(line, " ")
		}
		if !shown.MatchString(line) && (step != "[5]" || !received.MatchString(line)) {
			continue
		}
		for _, r := range fixed {
			line = regexp.MustCompile(r[0]).ReplaceAllString(line, r[1])
		}
		if !strings.HasPrefix(line, "Warning") && !strings.HasPrefix(line, "vodlive_") {
			block = len(kept) + 1
		}
		kept = append(kept, line)
		slices.SortFunc(kept[min(block, len(kept)):], inOrder)
	}
	return slices.Compact(kept) // a warning comes once for the plan and once for the apply
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
