package acctest

import (
	"path"
	"slices"
	"strings"
)

// selects has patterns for folder.one, and which of its files .gitignore has them match. It is
// written by hand, so that it does not repeat a mistake of the provider.
var selects = map[string]string{
	"a.mp4":       "a.mp4",
	"/a.mp4":      "a.mp4",
	"a.mp4/":      "",
	"*.mp4/":      "",
	"/b.mp4/":     "",
	"c.mp4":       "sub/c.mp4",
	"/c.mp4":      "",
	"sub":         "sub/c.mp4",
	"sub/":        "sub/c.mp4",
	"/sub/**":     "sub/c.mp4",
	"./sub/*":     "sub/c.mp4",
	"**/c.mp4":    "sub/c.mp4",
	"**/sub/":     "sub/c.mp4",
	"s*/c.*":      "sub/c.mp4",
	"?.mp4":       "a.mp4 b.mp4 sub/c.mp4",
	"/?.mp4":      "a.mp4 b.mp4",
	"[ab].mp4":    "a.mp4 b.mp4",
	"{a,c}.mp4":   "a.mp4 sub/c.mp4",
	"b*":          "b.mp4",
	"B*":          "",
	"*.mp4":       ".hidden.mp4 a.mp4 b.mp4 long.mp4 sub/c.mp4",
	"**":          ".hidden.mp4 a.mp4 b.mp4 long.mp4 sub/c.mp4",
	".hidden.mp4": ".hidden.mp4",
	"/.*":         ".hidden.mp4",
	"long*":       "long.mp4",
	"long.mp4":    "long.mp4",
}

// drawnPatterns are those that drawn folders use. Without "long*" in exclude, several files would
// have several parts.
var drawnPatterns = func() (all []string) {
	for pattern := range selects {
		all = append(all, pattern)
	}
	slices.Sort(all)
	return all
}()

// drawnFolders is how many drawn folders there are: two patterns or fewer in include, and one or
// none more in exclude.
var drawnFolders = (len(drawnPatterns) + 1) * (len(drawnPatterns) + 1) * (len(drawnPatterns) + 1)

func drawnFolder(n int) variant {
	next := func() (pattern []any) {
		base := len(drawnPatterns) + 1
		i := n % base
		if n /= base; i > 0 {
			pattern = []any{drawnPatterns[i-1]}
		}
		return pattern
	}
	one, two := next(), next()
	if slices.Equal(one, two) {
		two = nil
	}
	config := Attrs{"exclude": []any{"long*"}}
	if include := slices.Concat(one, two); len(include) > 0 {
		config["include"] = include
	}
	if exclude := next(); len(exclude) > 0 && exclude[0] != "long*" {
		config["exclude"] = append(exclude, "long*")
	}
	return folder(config)
}

// selected are the files of folder.one that a configuration selects, sorted.
func selected(config Attrs) (names []string) {
	given := func(name string, instead []any) []any {
		if patterns, ok := config[name].([]any); ok {
			return patterns
		}
		return instead
	}
	matched := func(pattern any, name string) bool {
		return slices.Contains(strings.Fields(selects[pattern.(string)]), name)
	}
	for _, file := range folderFiles {
		name := strings.TrimPrefix(file, mediaDir+"/")
		hidden := strings.HasPrefix(path.Base(name), ".")
		included := slices.ContainsFunc(given("include", []any{"**"}), func(pattern any) bool {
			named := strings.HasPrefix(path.Base(pattern.(string)), ".")
			return matched(pattern, name) && (!hidden || named)
		})
		if included && !slices.ContainsFunc(given("exclude", nil), func(pattern any) bool { return matched(pattern, name) }) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
