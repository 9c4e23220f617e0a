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
)

// reached counts the diagnostics of histories by their heading in the troubleshooting guide. What
// no history reaches, no history has proved.
type reached struct {
	mu    sync.Mutex
	times map[string]int
}

// heading is a heading of the troubleshooting guide. NAME in it stands for a session.
type heading struct {
	text    string
	summary *regexp.Regexp
}

// guideHeadings are the headings for diagnostics, those without a placeholder first.
var guideHeadings = sync.OnceValue(func() (all []heading) {
	text, err := os.ReadFile("../../templates/guides/troubleshooting.md")
	if err != nil {
		panic(err)
	}
	for _, match := range regexp.MustCompile(`(?m)^### (.+)$`).FindAllStringSubmatch(string(text), -1) {
		pattern := strings.ReplaceAll(regexp.QuoteMeta(match[1]), "NAME", ".+")
		all = append(all, heading{match[1], regexp.MustCompile("^" + pattern + "$")})
	}
	slices.SortStableFunc(all, func(a, b heading) int {
		return cmp.Compare(strings.Count(a.text, "NAME"), strings.Count(b.text, "NAME"))
	})
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
		for _, h := range guideHeadings() {
			if h.summary.MatchString(d.Summary) {
				r.times[h.text]++
				break
			}
		}
	}
}

// taken returns what was counted, and begins again.
func (r *reached) taken() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	times := r.times
	r.times = nil
	return times
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
	for _, title := range guideHeadings() {
		h := title.text
		switch {
		case excused[h] && r.times[h] > 0:
			t.Errorf("testdata/unreachable.txt names %q, which a history has reached", h)
		case !excused[h] && r.times[h] == 0:
			missing = append(missing, h)
		}
		delete(excused, h)
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
	for _, h := range guideHeadings() {
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
