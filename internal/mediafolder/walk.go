package mediafolder

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/text/unicode/norm"

	"github.com/vodlive/terraform-provider-vodlive/internal/regularfile"
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
	s := p.selector()
	return s.walk(dir, make([]bool, len(s.include)))
}

// walk finds the files that the patterns select. It notes in used which patterns of include select
// one.
func (s selector) walk(dir string, used []bool) (found map[string]string, problems []string, err error) {
	root := os.DirFS(dir)
	found = map[string]string{}
	err = fs.WalkDir(root, ".", func(relative string, d fs.DirEntry, err error) error {
		name := norm.NFC.String(relative)
		switch {
		case err != nil && relative == ".":
			return regularfile.Cause(err)
		case err != nil:
			problems = append(problems, fmt.Sprintf("%s cannot be read: %s", name, regularfile.Cause(err)))
			return fs.SkipDir
		case d.IsDir() && relative != "." && s.prunes(name):
			return fs.SkipDir
		case d.IsDir() || linksToFolder(root, relative, d) || !s.match(name, used):
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
	return found, problems, err
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

// nameProblems describes the files whose names in storage would be invalid, or those of other
// files.
func nameProblems(names []string, format string) (problems []string) {
	first := make(map[string]string, len(names))
	for _, name := range names {
		stored := storedName(name, format)
		if problem := upload.NameProblem(stored); problem != "" {
			problems = append(problems, fmt.Sprintf("the name of %q %s", name, problem))
		}
		if other, taken := first[stored]; taken {
			problems = append(problems, fmt.Sprintf("%s and %s would both be stored as %q", other, name, stored))
			continue
		}
		first[stored] = name
	}
	return problems
}
