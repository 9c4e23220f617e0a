package main

import (
	"errors"
	goversion "go/version"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestContributingSaysWhyEachModule holds the list in CONTRIBUTING.md against the modules that the
// released binary imports.
func TestContributingSaysWhyEachModule(t *testing.T) {
	t.Parallel()
	_, section, _ := strings.Cut(read(t, "CONTRIBUTING.md"), "## Modules in the binary\n")
	section, _, _ = strings.Cut(section, "\n## ")
	listed := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (.{10,}) \\|$").FindAllStringSubmatch(section, -1) {
		listed[row[1]] = true
	}

	// On this platform every module is in the binary; a few leave out the one that tells what a
	// processor can do.
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not (or .Main .Indirect)}}{{.Path}}{{end}}{{end}}", ".")
	list.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	built := map[string]bool{}
	for name := range strings.FieldsSeq(string(out)) {
		built[name] = true
	}
	if !maps.Equal(listed, built) {
		t.Errorf("CONTRIBUTING.md has %q, the binary imports %q", slices.Sorted(maps.Keys(listed)), slices.Sorted(maps.Keys(built)))
	}
}

// TestPagesNameTheGoVersion holds the pages against the newest Go that the provider or one of
// its tools requires.
func TestPagesNameTheGoVersion(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("internal/tools/*/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	newest := ""
	for _, file := range append(files, "go.mod") {
		match := regexp.MustCompile(`(?m)^go (\S+)$`).FindStringSubmatch(read(t, file))
		if match == nil {
			t.Fatalf("%s names no version of Go", file)
		}
		if v := goversion.Lang("go" + match[1]); goversion.Compare(v, newest) > 0 {
			newest = v
		}
	}
	want := "Go " + strings.TrimPrefix(newest, "go") + " or later"
	for _, page := range []string{"README.md", "templates/guides/getting-started.md"} {
		if !strings.Contains(read(t, page), want) {
			t.Errorf("%s does not say %q", page, want)
		}
	}
}

// TestReleasingNamesWhatSaysNotPublished: nobody finds after the first release what says that there
// is none.
func TestReleasingNamesWhatSaysNotPublished(t *testing.T) {
	t.Parallel()
	_, list, _ := strings.Cut(read(t, "RELEASING.md"), "### Publishing in the registries\n")
	list, _, _ = strings.Cut(list, "\n\nThe signing key")
	listed := map[string]bool{}
	for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(list, -1) {
		listed[name[1]] = true
	}
	say := map[string]bool{}
	for _, pattern := range []string{"*.md", "templates/*", "templates/*/*", "examples/*.md", "examples/*/*.md", "examples/*/*/*"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			if name != "RELEASING.md" && info.Mode().IsRegular() && regexp.MustCompile(`(?i)not published|until the provider is published|once (it|the provider) is published`).MatchString(read(t, name)) {
				say[filepath.ToSlash(name)] = true
			}
		}
	}
	if !maps.Equal(listed, say) || len(say) == 0 {
		t.Errorf("RELEASING.md lists %q, but %q say that the provider is not published", slices.Sorted(maps.Keys(listed)), slices.Sorted(maps.Keys(say)))
	}
}

// TestCommentsHaveOneWidth: no line of comments is wider than 100 columns, with tabs of four.
func TestCommentsHaveOneWidth(t *testing.T) {
	t.Parallel()
	files := 0
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && entry.Name() == ".cache" { // SkipDir for a link to a folder would end the walk
			return fs.SkipDir
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		files++
		n := 0
		for line := range strings.Lines(read(t, name)) {
			n++
			comment := strings.HasPrefix(strings.TrimSpace(line), "// ")
			if columns := len([]rune(strings.ReplaceAll(line, "\t", "    "))) - 1; comment && columns > 100 {
				t.Errorf("%s:%d: the comment has %d columns", filepath.ToSlash(name), n, columns)
			}
		}
		return nil
	})
	if err != nil || files < 100 {
		t.Fatalf("%d files were read: %v", files, err)
	}
}

// TestNoBinariesAreKept: what a build makes is not in the repository.
func TestNoBinariesAreKept(t *testing.T) {
	t.Parallel()
	list := exec.Command("git", "ls-files", "-z")
	out, err := list.Output()
	if err != nil {
		t.Skip("this is not a clone")
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		if info, err := os.Stat(name); err == nil && info.Size() > 1<<20 {
			t.Errorf("%s has %d bytes", name, info.Size())
		}
	}
}

// TestDocumentsNameTargetsThatExist looks for commands that somebody would copy in vain.
func TestDocumentsNameTargetsThatExist(t *testing.T) {
	t.Parallel()
	files := []string{"README.md", "CONTRIBUTING.md", "RELEASING.md", "SECURITY.md", "CHANGELOG.md", ".ci/run"}
	for _, pattern := range []string{"templates/guides/*.md", "examples/*.md", ".github/*.md", ".github/*/*.yml"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %v", pattern, found, err)
		}
		files = append(files, found...)
	}
	makefile := read(t, "GNUmakefile")
	for _, file := range files {
		// A command of its own line, of a step, or in back quotes: in prose, "make" is also a word.
		for _, match := range regexp.MustCompile("(?m)(?:^|`|run: |check [^ ]+ |--no-print-directory )make (?:--no-print-directory )?([a-z][a-z -]*)").FindAllStringSubmatch(read(t, file), -1) {
			for target := range strings.FieldsSeq(match[1]) {
				if !regexp.MustCompile("(?m)^(?:[a-z-]+ )*" + regexp.QuoteMeta(target) + "(?: [a-z-]+)*:").MatchString(makefile) {
					t.Errorf("%s names make %s, which does not exist", file, target)
				}
			}
		}
	}
}

// TestEveryModuleIsKeptUpToDate looks for modules that no entry of dependabot.yml covers.
func TestEveryModuleIsKeptUpToDate(t *testing.T) {
	t.Parallel()
	config := read(t, ".github/dependabot.yml")
	var patterns []string
	for _, match := range regexp.MustCompile(`(?m)^ +(?:directory:|-) (/\S*)$`).FindAllStringSubmatch(config, -1) {
		patterns = append(patterns, match[1])
	}
	modules := 0
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (name == ".cache" || name == ".git" || name == "dist"):
			return fs.SkipDir
		case entry.IsDir() || entry.Name() != "go.mod":
			return nil
		}
		modules++
		dir := path.Join("/", path.Dir(name))
		if !slices.ContainsFunc(patterns, func(pattern string) bool { ok, _ := path.Match(pattern, dir); return ok }) {
			t.Errorf("dependabot.yml does not cover %s: %q", dir, patterns)
		}
		return nil
	})
	if err != nil || modules < 10 {
		t.Fatalf("%d modules: %v", modules, err)
	}
}

// workflow is what the tests look at in a workflow of GitHub.
type workflow struct {
	Permissions map[string]string
	Jobs        map[string]struct {
		Environment string
		Needs       yaml.Node
		Permissions map[string]string
		Strategy    struct {
			Matrix struct{ Version, Include yaml.Node }
		}
		Steps []struct {
			Uses, Run string
			With      map[string]string
		}
	}
}

func workflows(t *testing.T) map[string]workflow {
	t.Helper()
	files, err := filepath.Glob(".github/workflows/*.yml")
	if err != nil || len(files) < 8 {
		t.Fatalf("workflows: %q, %v", files, err)
	}
	all := map[string]workflow{}
	for _, file := range files {
		var w workflow
		if err := yaml.Unmarshal([]byte(read(t, file)), &w); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all[filepath.Base(file)] = w
	}
	return all
}

// TestWorkflowsUseFewRights: only one job can write to the repository. It has an environment, which
// holds the signing key and whose reviewers start it, and runs no test.
func TestWorkflowsUseFewRights(t *testing.T) {
	t.Parallel()
	writers := 0
	for file, w := range workflows(t) {
		if len(w.Permissions) != 1 || w.Permissions["contents"] != "read" {
			t.Errorf("%s: the permissions of all jobs are %v", file, w.Permissions)
		}
		for name, job := range w.Jobs {
			signs := false
			for _, step := range job.Steps {
				if step.Uses != "" && !regexp.MustCompile(`@[0-9a-f]{40}$`).MatchString(step.Uses) {
					t.Errorf("%s: %s is not pinned to a commit", file, step.Uses)
				}
				signs = signs || strings.Contains(step.Uses, "gpg")
				if job.Environment == "release" && strings.Contains(step.Run, "make test") {
					t.Errorf("%s: %s runs tests beside the signing key", file, name)
				}
			}
			writes := job.Permissions["contents"] == "write"
			if writes {
				writers++
			}
			if (writes || signs) && job.Environment != "release" {
				t.Errorf("%s: %s signs or writes without reviewers", file, name)
			}
		}
	}
	if writers != 1 {
		t.Errorf("%d jobs can write to the repository, want 1", writers)
	}
}

// TestReleasesAreBuiltWithTheGoOfTheTag: one line of go.mod decides which Go every workflow uses,
// and a release waits until no vulnerability is known of it and of the dependencies.
func TestReleasesAreBuiltWithTheGoOfTheTag(t *testing.T) {
	t.Parallel()
	if !regexp.MustCompile(`(?m)^toolchain go1\.\d+\.\d+$`).MatchString(read(t, "go.mod")) {
		t.Error("go.mod has no toolchain line")
	}
	all := workflows(t)
	for file, w := range all {
		for name, job := range w.Jobs {
			for _, step := range job.Steps {
				if strings.HasPrefix(step.Uses, "actions/setup-go@") && (step.With["go-version-file"] != "go.mod" || step.With["go-version"] != "") {
					t.Errorf("%s: %s uses the Go of %v", file, name, step.With)
				}
			}
		}
	}
	release := all["release.yml"]
	publish := release.Jobs["release"]
	var needs []string
	if err := publish.Needs.Decode(&needs); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"make test", "make vulncheck"} {
		if !slices.ContainsFunc(needs, func(job string) bool {
			for _, step := range release.Jobs[job].Steps {
				if strings.HasPrefix(step.Run, command) {
					return true
				}
			}
			return false
		}) {
			t.Errorf("the release does not wait for %s: it needs %q", command, needs)
		}
	}
}

// TestWorkflowsTestTheOldestAndTheNewestCLI holds the workflow against the releases that the README
// names, on each system.
func TestWorkflowsTestTheOldestAndTheNewestCLI(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile(`made for Terraform ([\d.]+) and later and OpenTofu ([\d.]+) and later`).FindStringSubmatch(read(t, "README.md"))
	if named == nil {
		t.Fatal("the README does not say which CLIs the provider works with")
	}
	jobs := workflows(t)["test.yml"].Jobs
	for job, oldest := range map[string]string{"terraform": named[1] + ".*", "opentofu": named[2] + ".x"} {
		matrix := jobs[job].Strategy.Matrix
		var linux []string
		var others []struct{ OS, Version string }
		if err := errors.Join(matrix.Version.Decode(&linux), matrix.Include.Decode(&others)); err != nil {
			t.Fatal(err)
		}
		tested := map[string]bool{}
		for _, version := range linux {
			tested["ubuntu-latest "+version] = true
		}
		for _, other := range others {
			tested[other.OS+" "+other.Version] = true
		}
		for _, system := range []string{"ubuntu-latest", "macos-latest", "windows-latest"} {
			for _, version := range []string{oldest, "latest"} {
				if !tested[system+" "+version] {
					t.Errorf("%s is not tested with %s on %s", job, version, system)
				}
			}
		}
	}
}
