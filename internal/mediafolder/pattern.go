package mediafolder

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// glob is a pattern of `include` or `exclude`. It means what it means in .gitignore, with
// alternatives in braces besides: without a slash, other than one at the end, it matches at any
// depth, otherwise from the folder on; what matches a folder selects all that is in it; a slash at
// the end makes it match folders only.
type glob struct {
	given    string
	segments []string // "**" is any number of folders
	folder   bool     // it matches folders only
}

func parseGlob(given string) glob {
	g := glob{given: given, folder: strings.HasSuffix(given, "/")}
	name := strings.TrimSuffix(given, "/")
	for segment := range strings.SplitSeq(strings.TrimPrefix(name, "/"), "/") {
		if segment != "." {
			expanded, _ := expandClasses(segment) // validated
			if len(segment) > 1 && strings.Trim(segment, "*") == "" {
				expanded = "**"
			}
			g.segments = append(g.segments, expanded)
		}
	}
	if !strings.Contains(name, "/") && len(g.segments) > 0 {
		g.segments = slices.Insert(g.segments, 0, "**")
	}
	last := len(g.segments) - 1
	switch {
	case last < 0 || g.segments[last] != "**":
	case g.folder: // every folder in a folder
		g.segments = append(g.segments, "*")
	default: // everything in a folder
		for last >= 0 && g.segments[last] == "**" {
			last--
		}
		g.segments, g.folder = g.segments[:last+1], true
	}
	return g
}

// globProblem says why a pattern is surely a mistake, "" if it may be meant.
func globProblem(given string) string {
	switch segments := strings.Split(given, "/"); {
	case strings.Contains(given, `\`):
		return `has a backslash. Write slashes: "` + strings.ReplaceAll(given, `\`, "/") + `".`
	case strings.TrimSpace(given) != given:
		return "begins or ends with a blank. Remove it; `?` matches any character."
	case strings.HasPrefix(given, "!"):
		return "begins with \"!\". The patterns are a set without an order, so none takes back what another one says. What `exclude` matches is never uploaded."
	case slices.Contains(segments, ".."):
		return `has the segment "..". A pattern is for paths relative to ` + "`source_dir`, and for nothing outside of it."
	case given == "":
		return "must be a pattern such as **/*.mp4."
	default:
		if problem := segmentProblem(given); problem != "" {
			return problem
		}
		if slices.ContainsFunc(segments, func(segment string) bool { return segmentProblem(segment) != "" }) {
			return "has a slash inside of braces or brackets. Write one pattern for each alternative."
		}
	}
	return ""
}

func segmentProblem(segment string) string {
	expanded, problem := expandClasses(segment)
	if problem == "" && !doublestar.ValidatePattern(expanded) {
		return "must be a pattern such as **/*.mp4."
	}
	return problem
}

// matches reports whether the glob matches a file, or a folder in which it is. With hidden,
// wildcards also match names that begin with a dot.
func (g glob) matches(file []string, hidden bool) bool {
	return matchSegments(g.segments, file, g.folder, hidden)
}

func matchSegments(pattern, name []string, folder, hidden bool) bool {
	switch {
	case len(pattern) == 0: // name is what is left below the folder that matched, nothing if the file itself did
		return (len(name) > 0 || !folder) && (hidden || !slices.ContainsFunc(name, isHidden))
	case pattern[0] == "**":
		for {
			if matchSegments(pattern[1:], name, folder, hidden) {
				return true
			}
			if len(name) == 0 || !hidden && isHidden(name[0]) {
				return false
			}
			name = name[1:]
		}
	case len(name) == 0 || isHidden(name[0]) && !hidden && !isHidden(pattern[0]):
		return false
	}
	return doublestar.MatchUnvalidated(pattern[0], name[0]) && matchSegments(pattern[1:], name[1:], folder, hidden)
}

func isHidden(name string) bool { return strings.HasPrefix(name, ".") }

// selector says which files of a folder are uploaded.
type selector struct {
	include, exclude []glob
	namesHidden      bool // some of include select hidden files
	hidden           bool // all of include do, also by wildcards
}

// everything selects all files.
var everything = selector{include: []glob{parseGlob("**")}, namesHidden: true, hidden: true}

func (p patterns) selector() (s selector) {
	for _, given := range p.Include {
		g := parseGlob(given)
		s.include = append(s.include, g)
		s.namesHidden = s.namesHidden || slices.ContainsFunc(g.segments, isHidden)
	}
	for _, given := range p.Exclude {
		s.exclude = append(s.exclude, parseGlob(given))
	}
	return s
}

// match reports whether a file is selected, and notes in seen which patterns select it or, without
// letter case, would select or drop it.
func (s selector) match(name string, seen *findings) bool {
	file, included := strings.Split(name, "/"), false
	if s.excludes(file) {
		return false
	}
	for _, g := range s.exclude {
		seen.noteName(g, file)
	}
	for i, g := range s.include {
		if g.matches(file, s.hidden) {
			included, seen.used[i] = true, true
		}
	}
	lower := strings.Split(strings.ToLower(name), "/")
	if !included {
		for _, g := range s.include {
			if g.lower().matches(lower, s.hidden) {
				seen.include.note(g, name)
			}
			seen.noteName(g, file)
		}
		return false
	}
	for _, g := range s.exclude {
		// One that differs from a pattern of include only in letter case is meant.
		meant := slices.ContainsFunc(s.include, func(i glob) bool { return strings.EqualFold(i.given, g.given) })
		if !meant && g.lower().matches(lower, true) {
			seen.exclude.note(g, name)
		}
	}
	return true
}

// lower matches names in lower case as g would match them without letter case.
func (g glob) lower() glob {
	lower := glob{given: g.given, folder: g.folder}
	for _, segment := range g.segments {
		lower.segments = append(lower.segments, strings.ToLower(segment))
	}
	return lower
}

// reaches reports whether a file below a folder can match.
func (s selector) reaches(folder string) bool {
	path := strings.Split(folder, "/")
	return !s.prunes(folder) && !s.excludes(path) && slices.ContainsFunc(s.include, func(g glob) bool { return reachesSegments(g.segments, path) })
}

func reachesSegments(pattern, folder []string) bool {
	return len(pattern) == 0 || len(folder) == 0 || pattern[0] == "**" ||
		doublestar.MatchUnvalidated(pattern[0], folder[0]) && reachesSegments(pattern[1:], folder[1:])
}

// findings are what a walk learned of the patterns.
type findings struct {
	used             []bool    // by which patterns of include a file is selected
	include, exclude otherCase // what they match without letter case only
	links            []string  // folders that may have files to select, and are links
	names            []string  // a line for each pattern that is a name which it does not match
}

// literal writes a name as a pattern that matches it.
var literal = strings.NewReplacer("[", "[[]", "{", "[{]", "}", "[}]", "*", "[*]", "?", "[?]")

// noteName notes a pattern that does not match a file and is its name, or that of a folder in which
// it is: brackets and braces are taken for wildcards.
func (f *findings) noteName(g glob, file []string) {
	if !strings.ContainsAny(g.given, "[{") {
		return
	}
	name := strings.Trim(g.given, "/")
	is := slices.Contains(file, name)
	if strings.Contains(strings.TrimSuffix(g.given, "/"), "/") {
		is = strings.HasPrefix(strings.Join(file, "/")+"/", name+"/")
	}
	line := fmt.Sprintf("%q does not match %q. Write %q", g.given, name, literal.Replace(g.given))
	if is && !slices.Contains(f.names, line) {
		f.names = append(f.names, line)
	}
}

// otherCase are files that a pattern matches without letter case only, by pattern.
type otherCase struct {
	patterns []string
	count    map[string]int
	example  map[string]string
}

func (o *otherCase) note(g glob, name string) {
	if o.count == nil {
		o.count, o.example = map[string]int{}, map[string]string{}
	}
	if o.count[g.given]++; o.count[g.given] == 1 {
		o.patterns, o.example[g.given] = append(o.patterns, g.given), name
	}
}

// lines describe the files, a line for each pattern. verb is what the pattern would do.
func (o *otherCase) lines(verb string) (lines []string) {
	for _, given := range o.patterns {
		lines = append(lines, fmt.Sprintf("%q would %s %s in another letter case, such as %q", given, verb, counted(o.count[given], "file"), o.example[given]))
	}
	return lines
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (s selector) excludes(file []string) bool {
	return slices.ContainsFunc(s.exclude, func(g glob) bool { return g.matches(file, true) })
}

// prunes reports whether no file below a folder can match.
func (s selector) prunes(folder string) bool {
	return !s.namesHidden && isHidden(path.Base(folder)) || slices.ContainsFunc(s.exclude, func(g glob) bool {
		return matchSegments(g.segments, strings.Split(folder, "/"), false, true)
	})
}

// describe explains why a pattern of include selects no file, "" if it is like none of all files of
// the folder.
func (s selector) describe(g glob, all []string) string {
	for _, name := range all {
		switch file := strings.Split(name, "/"); {
		case g.matches(file, false):
			return fmt.Sprintf(" `exclude` drops what it matches, such as %q.", name)
		case g.matches(file, true):
			return fmt.Sprintf(" It matches hidden files only, such as %q. To select that one, write %q with its dot.", name, firstHidden(file))
		}
	}
	return ""
}

func firstHidden(file []string) string { return file[slices.IndexFunc(file, isHidden)] }
