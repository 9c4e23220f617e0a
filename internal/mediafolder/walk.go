package mediafolder

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/text/unicode/norm"

	"github.com/vodlive/terraform-provider-vodlive/internal/disk"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

type patterns struct {
	Include []string `json:"include"`
	Exclude []string `json:"exclude"`
}

func (p patterns) equal(other patterns) bool {
	return slices.Equal(p.Include, other.Include) && slices.Equal(p.Exclude, other.Exclude)
}

func (s Selection) patterns() patterns {
	if s.Include.IsNull() {
		s.Include = defaultInclude
	}
	return patterns{texts(s.Include), texts(s.Exclude)}
}

func texts(set types.Set) (list []string) {
	for _, e := range set.Elements() {
		list = append(list, text(e).ValueString())
	}
	return list
}

// walk finds the files of a folder that the patterns match: their paths in the file system by their
// relative ones, which have slashes and are normalized (NFC), as Terraform normalizes all text.
// Links to folders are not followed. The problems are files that cannot be uploaded; err is about
// the folder.
func walk(dir string, p patterns) (found map[string]string, problems []string, err error) {
	found, problems, _, err = p.selector().walk(dir)
	return found, problems, err
}

// walk finds the files that the patterns select.
func (s selector) walk(dir string) (found map[string]string, problems []string, seen findings, err error) {
	seen.used = make([]bool, len(s.include))
	root := os.DirFS(dir)
	found = map[string]string{}
	err = fs.WalkDir(root, ".", func(relative string, d fs.DirEntry, err error) error {
		name := norm.NFC.String(relative)
		switch {
		case err != nil && relative == ".":
			return disk.Cause(err)
		case err != nil:
			problems = append(problems, fmt.Sprintf("%s cannot be read: %s", name, disk.Cause(err)))
			return fs.SkipDir
		case d.IsDir() && relative != "." && s.prunes(name):
			return fs.SkipDir
		case d.IsDir():
			return nil
		case linksToFolder(root, relative, d):
			if s.reaches(name) && leadsOutside(dir, relative) {
				seen.links = append(seen.links, name)
			}
			return nil
		case !s.match(name, &seen):
			return nil
		}
		switch _, twice := found[name]; {
		case !utf8.ValidString(relative):
			problems = append(problems, fmt.Sprintf("%q has a name that is not UTF-8", relative))
		case twice:
			problems = append(problems, fmt.Sprintf("%s is the name of two files, which differ only in how its letters are encoded", name))
		default:
			found[name] = filepath.Join(dir, filepath.FromSlash(relative))
		}
		return nil
	})
	return found, problems, seen, err
}

// linksToFolder reports whether an entry is a link to a folder, which is no file that a pattern can
// select.
func linksToFolder(root fs.FS, relative string, d fs.DirEntry) bool {
	if d.Type()&fs.ModeSymlink == 0 {
		return false
	}
	info, err := fs.Stat(root, relative)
	return err == nil && info.IsDir()
}

// leadsOutside reports whether a link leads to a folder that is not below dir. What is below dir is
// found without the link.
func leadsOutside(dir, link string) bool {
	target, err := filepath.EvalSymlinks(filepath.Join(dir, filepath.FromSlash(link)))
	root, rootErr := filepath.EvalSymlinks(dir)
	if err != nil || rootErr != nil {
		return true
	}
	inside, err := filepath.Rel(absolute(root), absolute(target))
	parent := "../"
	return err != nil || strings.HasPrefix(filepath.ToSlash(inside)+"/", parent) && !strings.HasPrefix(absolute(root)+"/", absolute(target)+"/")
}

// nameProblems describes the files whose names in storage would be invalid.
func nameProblems(names []string, format string) (problems []string) {
	for _, name := range names {
		if problem := upload.NameProblem(storedName(name, format)); problem != "" {
			problems = append(problems, fmt.Sprintf("the name of %q %s", name, problem))
		}
	}
	return problems
}

// clashes are the files that would be stored under one name, by this name.
func clashes(names []string, format string) map[string][]string {
	files := make(map[string][]string, len(names))
	for _, name := range names {
		stored := storedName(name, format)
		files[stored] = append(files[stored], name)
	}
	maps.DeleteFunc(files, func(_ string, names []string) bool { return len(names) == 1 })
	return files
}

// clashProblem says which files would be stored under one name, "" if there are none. What to do
// comes first, because a long text is cut.
func clashProblem(names []string, format string) string {
	files := clashes(names, format)
	if len(files) == 0 {
		return ""
	}
	count := 0
	var lines []string
	for _, stored := range slices.Sorted(maps.Keys(files)) {
		count += len(files[stored])
		shown := files[stored][:min(len(files[stored]), 3)]
		line := fmt.Sprintf("%q: %s", stored, strings.Join(shown, ", "))
		if more := len(files[stored]) - len(shown); more > 0 {
			line += fmt.Sprintf(" and %d more", more)
		}
		lines = append(lines, line)
	}
	advice := "Rename files, or name some of them in `exclude`."
	if example := files[slices.Min(slices.Collect(maps.Keys(files)))][0]; format != formatFlat && len(clashes(names, formatFlat)) == 0 {
		advice = fmt.Sprintf("Set `name_format = \"flat\"`: the stored names are then made of the whole paths, such as %q. Or rename files.", storedName(example, formatFlat))
	} else if format != formatFlat {
		advice = "With `name_format = \"flat\"`, whose stored names are made of the whole paths, only these would clash: " +
			strings.Join(slices.Sorted(maps.Keys(clashes(names, formatFlat))), ", ") + ". Rename them as well."
	}
	return fmt.Sprintf("%d files would be stored under %s. %s\n%s", count, counted(len(files), "name"), advice, providerdata.List(lines))
}
