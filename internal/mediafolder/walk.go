package mediafolder

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// walker finds the files of a folder that patterns select.
type walker struct {
	root     fs.FS
	dir      string
	patterns patterns

	paths    map[string]string // on this machine, by relative path in NFC, which Terraform makes of all text
	problems []string          // lines about files that cannot be uploaded
	links    []string          // lines about links to folders
	used     []bool            // for each pattern of include: it selects a file
	ignored  []string          // files that are not selected, and folders that are not opened
}

// walk finds the selected files of a folder. The error is about the folder itself.
func walk(dir string, p patterns) (*walker, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &missingFolderError{dir}
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", dir, cause(err))
	case !info.IsDir():
		return nil, fmt.Errorf("%s is no folder. A single file is the `source` of `vodlive_media_upload`, or of the action", dir)
	}
	w := &walker{root: os.DirFS(dir), dir: dir, patterns: p, paths: map[string]string{}, used: make([]bool, len(p.include))}
	if err := fs.WalkDir(w.root, ".", w.visit); err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", dir, cause(err))
	}
	return w, nil
}

type missingFolderError struct{ dir string }

func (e *missingFolderError) Error() string {
	return e.dir + " does not exist. A relative path starts at the folder in which Terraform runs"
}

func (e *missingFolderError) Unwrap() error { return fs.ErrNotExist }

// cause returns an error without the path, which the text has already.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

func (w *walker) visit(relative string, entry fs.DirEntry, err error) error {
	name := norm.NFC.String(relative)
	switch {
	case relative == ".":
		return err
	case err != nil:
		w.problems = append(w.problems, fmt.Sprintf("%s cannot be read: %s", readable(name), cause(err)))
		return fs.SkipDir
	case entry.IsDir() && !w.patterns.reach(name):
		w.ignored = append(w.ignored, name)
		return fs.SkipDir
	case entry.IsDir():
		return nil
	case entry.Type()&fs.ModeSymlink != 0 && w.isLinkedFolder(relative):
		if w.patterns.reach(name) && !w.patterns.areExcluding(name) {
			w.links = append(w.links, readable(name))
		}
		return nil
	}
	localPath := filepath.Join(w.dir, filepath.FromSlash(relative))
	if isTerraformFile(name) || !w.selects(name) || isSavedPlan(name, localPath) {
		w.ignored = append(w.ignored, name)
		return nil
	}
	w.add(name, relative, localPath, entry)
	return nil
}

// isLinkedFolder reports whether a link leads to a folder.
func (w *walker) isLinkedFolder(relative string) bool {
	info, err := fs.Stat(w.root, relative)
	return err == nil && info.IsDir()
}

// selects reports whether the patterns select a file, and notes which of them do.
func (w *walker) selects(name string) (selected bool) {
	if w.patterns.areExcluding(name) {
		return false
	}
	for i, p := range w.patterns.include {
		if p.includes(name) {
			selected, w.used[i] = true, true
		}
	}
	return selected
}

// add adds a selected file, or the problem that it has.
func (w *walker) add(name, relative, localPath string, entry fs.DirEntry) {
	_, twice := w.paths[name]
	var err error
	if entry.Type()&fs.ModeSymlink != 0 {
		_, err = fs.Stat(w.root, relative)
	}
	switch {
	case !utf8.ValidString(relative):
		w.problems = append(w.problems, readable(relative)+" has a name that is not UTF-8")
	case twice:
		w.problems = append(w.problems, name+" is the name of two files, which differ only in how their letters are encoded")
	case err != nil:
		target, _ := os.Readlink(localPath)
		w.problems = append(w.problems, fmt.Sprintf("%s is a link to %s, which cannot be read: %s", name, readable(target), cause(err)))
	default:
		w.paths[name] = localPath
	}
}

// readable returns a name as a text: quoted if it is not UTF-8.
func readable(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	return fmt.Sprintf("%q", name)
}

// unusedPatterns returns a warning for each pattern of include that selects no file.
func (w *walker) unusedPatterns() (warnings []string) {
	for i, p := range w.patterns.include {
		if w.used[i] {
			continue
		}
		warning := fmt.Sprintf("%q selects no file of %s.", p.given, w.dir)
		otherCase := slices.IndexFunc(w.ignored, func(name string) bool {
			lower := strings.ToLower(name)
			return !p.includes(name) && !p.reaches(name) && (p.lower().includes(lower) || p.lower().reaches(lower))
		})
		if otherCase >= 0 {
			warning += fmt.Sprintf(" In another letter case, it would select %s. Letter case counts in patterns.", readable(w.ignored[otherCase]))
		}
		warnings = append(warnings, warning)
	}
	return warnings
}

// isTerraformFile reports whether Terraform itself writes or reads a file, by its name.
func isTerraformFile(name string) bool {
	base := path.Base(name)
	for _, suffix := range []string{".tf", ".tf.json", ".tfvars", ".tfvars.json", ".tfstate"} {
		if strings.HasSuffix(base, suffix) {
			return true
		}
	}
	return strings.Contains(base, ".tfstate.")
}

// isSavedPlan reports whether a file is a plan that Terraform has saved: a zip archive with an entry
// "tfplan". A file with the extension of a media type is not opened for that.
func isSavedPlan(name, localPath string) bool {
	if upload.TypeByName(name) != "" {
		return false
	}
	info, err := os.Stat(localPath)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(localPath)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	const start = "PK\x03\x04"
	head := make([]byte, len(start))
	if _, err := io.ReadFull(f, head); err != nil || string(head) != start {
		return false
	}
	archive, err := zip.NewReader(f, info.Size())
	return err == nil && slices.ContainsFunc(archive.File, func(entry *zip.File) bool { return entry.Name == "tfplan" })
}
