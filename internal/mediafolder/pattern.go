package mediafolder

import (
	"fmt"
	"math"
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
	for segment := range strings.SplitSeq(name, "/") {
		if segment != "" && segment != "." {
			g.segments = append(g.segments, segment)
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
	case given == "" || !doublestar.ValidatePattern(given):
		return "must be a pattern such as **/*.mp4."
	case slices.ContainsFunc(segments, func(segment string) bool { return !doublestar.ValidatePattern(segment) }):
		return "has a slash inside of braces or brackets. Write one pattern for each alternative."
	}
	return ""
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

// match reports whether a file is selected, and notes in used by which patterns of include.
func (s selector) match(name string, used []bool) bool {
	file, included := strings.Split(name, "/"), false
	if s.excludes(file) {
		return false
	}
	for i, g := range s.include {
		if g.matches(file, s.hidden) {
			included, used[i] = true, true
		}
	}
	return included
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

// describe explains why a pattern of include selects no file, by what is like it among all files of
// the folder.
func (s selector) describe(g glob, all []string) string {
	for _, name := range all {
		switch file := strings.Split(name, "/"); {
		case g.matches(file, false):
			return fmt.Sprintf("`exclude` drops what it matches, such as %q.", name)
		case g.matches(file, true):
			return fmt.Sprintf("It matches hidden files only, such as %q. To select that one, write %q with its dot.", name, firstHidden(file))
		}
	}
	if path := g.nearest(all); path != "" {
		return fmt.Sprintf("The nearest path is %q.", path)
	}
	return "There is no other file."
}

func firstHidden(file []string) string { return file[slices.IndexFunc(file, isHidden)] }

// nearest returns the path that is most like the glob: of a folder if the glob is for folders.
func (g glob) nearest(all []string) (nearest string) {
	wanted, least := strings.Join(g.segments, "/"), math.MaxInt
	wanted, anyDepth := strings.CutPrefix(wanted, "**/")
	seen := map[string]bool{}
	consider := func(candidate string) {
		if seen[candidate] {
			return
		}
		seen[candidate] = true
		name := strings.TrimSuffix(candidate, "/")
		if anyDepth && !strings.Contains(wanted, "/") {
			name = path.Base(name)
		}
		if d := distance(wanted, name); d < least {
			nearest, least = candidate, d
		}
	}
	for _, name := range all {
		for i := range name {
			if name[i] == '/' {
				consider(name[:i+1])
			}
		}
		if !g.folder {
			consider(name)
		}
	}
	return nearest
}

// distance is how many letters of a name have to change for it to match a pattern, without regard
// to case. A star matches anything.
func distance(pattern, name string) int {
	p, n := []rune(strings.ToLower(pattern)), []rune(strings.ToLower(name))
	before, row := make([]int, len(n)+1), make([]int, len(n)+1)
	for j := range before {
		before[j] = j
	}
	for i := range p {
		star := p[i] == '*'
		row[0] = before[0] + 1
		if star {
			row[0] = before[0]
		}
		for j := range n {
			switch {
			case star:
				row[j+1] = min(before[j+1], row[j])
			case p[i] == n[j] || p[i] == '?':
				row[j+1] = before[j]
			default:
				row[j+1] = 1 + min(before[j], before[j+1], row[j])
			}
		}
		before, row = row, before
	}
	return before[len(n)]
}
