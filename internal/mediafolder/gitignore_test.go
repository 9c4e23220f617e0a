package mediafolder

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestPatternsAreGits compares patterns with what `git check-ignore --no-index` said of them. The
// first line of the file has all paths, each other line a pattern and the paths that it matches.
func TestPatternsAreGits(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/gitignore.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	paths, pairs := strings.Split(lines[0], "\t"), 0
	for _, line := range lines[1:] {
		fields := strings.Split(line, "\t")
		given, matched := fields[0], fields[1:]
		if problem := globProblem(given); problem != "" {
			if len(matched) > 0 {
				t.Errorf("%q %s git matches %q", given, problem, matched)
			}
			continue
		}
		g := parseGlob(given)
		for _, path := range paths {
			pairs++
			if want := slices.Contains(matched, path); g.matches(strings.Split(path, "/"), true) != want {
				t.Errorf("%q matches %q: %t, for git it is %t", given, path, !want, want)
			}
		}
	}
	if pairs < 5000 {
		t.Errorf("only %d pairs", pairs)
	}
}
