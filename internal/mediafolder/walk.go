package mediafolder

import (
	"fmt"
	"io/fs"
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

// walk finds the files of a folder that the patterns select: their paths in the file system by their
// relative ones, which have slashes and are normalized (NFC), as Terraform normalizes all text.
// Links to folders are not followed. The problems are files that cannot be uploaded; err is about
// the folder.
func walk(dir string, p patterns) (found map[string]string, problems []string, err error) {
	found = map[string]string{}
	hidden := slices.ContainsFunc(p.include, hasDot)
	root := os.DirFS(dir)
	err = fs.WalkDir(root, ".", func(relative string, d fs.DirEntry, err error) error {
		name := norm.NFC.String(relative)
		switch {
		case err != nil && relative == ".":
			return disk.Cause(err)
		case err != nil:
			problems = append(problems, fmt.Sprintf("%s cannot be read: %s", name, disk.Cause(err)))
			return fs.SkipDir
		case d.IsDir() && relative != "." && strings.HasPrefix(d.Name(), ".") && !hidden:
			return fs.SkipDir
		case d.IsDir() || !p.match(name):
			return nil
		}
		if d.Type()&fs.ModeSymlink != 0 {
			if info, err := fs.Stat(root, relative); err == nil && info.IsDir() {
				return nil
			}
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

// nameProblems describes the files whose names in storage would be invalid.
func nameProblems(names []string, format string) (problems []string) {
	for _, name := range names {
		if problem := upload.NameProblem(storedName(name, format)); problem != "" {
			problems = append(problems, fmt.Sprintf("the name of %q %s", name, problem))
		}
	}
	return problems
}

// clashProblem says which files would be stored under one name, "" if there are none. What to do
// comes first, because a long text is cut.
func clashProblem(names []string, format string) string {
	first := map[string]string{}
	var lines []string
	for _, name := range names {
		stored := storedName(name, format)
		if other, twice := first[stored]; twice {
			lines = append(lines, fmt.Sprintf("%s and %s as %q", other, name, stored))
		} else {
			first[stored] = name
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return fmt.Sprintf("Files would be stored under one name (%d). Rename them, name some in `exclude`, or set `name_format = \"flat\"`, which makes names of whole paths.\n%s", len(lines), providerdata.List(lines))
}
