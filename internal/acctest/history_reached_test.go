package acctest

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// reached counts the diagnostics of histories by their heading in the troubleshooting guide. What no history reaches,
// no history has proved.
type reached struct {
	mu    sync.Mutex
	times map[string]int
}

// heading is a heading of the troubleshooting guide.
type heading struct {
	text    string
	matches func(d *tfprotov6.Diagnostic) bool
}

// headings are those that diagnostics have. A cause (####) is known by the link of an error, anything else by the summary.
var headings = sync.OnceValue(func() (all []heading) {
	text, err := os.ReadFile("../provider/headings.txt")
	if err != nil {
		panic(err)
	}
	placeholder := regexp.MustCompile(`\b(ACTION|COUNT|NAME|FILE|STATUS)\b`)
	for line := range strings.Lines(string(text)) {
		marks, title, _ := strings.Cut(strings.TrimSpace(line), " ")
		summary := regexp.MustCompile("^" + placeholder.ReplaceAllLiteralString(regexp.QuoteMeta(title), ".+") + "$")
		link := "#" + strings.ReplaceAll(strings.ToLower(title), " ", "-")
		all = append(all, heading{title, func(d *tfprotov6.Diagnostic) bool {
			if marks == "####" {
				return strings.HasSuffix(d.Detail, link)
			}
			return summary.MatchString(d.Summary)
		}})
	}
	return all
})

func (r *reached) note(diags Diagnostics) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.times == nil {
		r.times = map[string]int{}
	}
	for _, d := range diags {
		for _, h := range headings() {
			if h.matches(d) {
				r.times[h.text]++
			}
		}
	}
}

// missing are the headings that were never reached, without those that a history cannot reach.
func (r *reached) missing(t *testing.T) (missing []string) {
	t.Helper()
	text, err := os.ReadFile("testdata/unreachable.txt")
	if err != nil {
		t.Fatal(err)
	}
	excused := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		title, why, found := strings.Cut(strings.TrimSpace(line), ": ")
		if !found || why == "" {
			t.Errorf("testdata/unreachable.txt: %q is not \"heading: why\"", line)
		}
		excused[title] = true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, h := range headings() {
		switch {
		case excused[h.text] && r.times[h.text] > 0:
			t.Errorf("testdata/unreachable.txt names %q, which a history has reached", h.text)
		case !excused[h.text] && r.times[h.text] == 0:
			missing = append(missing, h.text)
		}
		delete(excused, h.text)
	}
	for title := range excused {
		t.Errorf("testdata/unreachable.txt names %q, which the guide does not have", title)
	}
	return missing
}

// String has the headings that were reached, the rarest first.
func (r *reached) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []string
	for _, h := range headings() {
		if r.times[h.text] > 0 {
			all = append(all, h.text)
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(r.times[a], r.times[b]) })
	var b strings.Builder
	for _, title := range all {
		fmt.Fprintf(&b, "%7d %s\n", r.times[title], title)
	}
	return b.String()
}
