package provider_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/provider"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

const guides = "../../templates/guides"

// TestEveryConfigurationOfAGuidePlans plans the configurations in the guides and in the README, as
// a user would who copies them.
func TestEveryConfigurationOfAGuidePlans(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(guides, "*.md"))
	if err != nil || len(files) < 6 {
		t.Fatalf("guides found: %v, %v", files, err)
	}
	files = append(files, "../../README.md")
	block := regexp.MustCompile("(?s)```terraform\n(.*?)```")
	total := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, match := range block.FindAllStringSubmatch(string(text), -1) {
			total++
			t.Run(filepath.Base(file)+" "+strconv.Itoa(i+1), func(t *testing.T) {
				t.Parallel()
				planGuide(t, match[1])
			})
		}
	}
	if total < 11 {
		t.Errorf("%d configurations found: the guides have more", total)
	}
}

func planGuide(t *testing.T, config string) {
	t.Helper()
	cli := exampleFolder(t)
	// What a guide leaves out of a session.
	config = strings.Replace(config, "# ...", `
  name         = "channel"
  region       = "eu-central-1"
  input        = "RTMP_PUSH"
  mode         = "NORM"
  output_mode  = "RTMP_PULL"
  input_preset = { resolution = "HD", bitrate = "MAX_10_MBPS" }`, 1)
	switch {
	case strings.Contains(config, "on_failure "):
		cli.SkipBelow("on_failure", "1.16.0", "")
	case strings.HasPrefix(config, "action "):
		cli.SkipBelow("actions", "1.14.2", "")
	case strings.HasPrefix(config, "list "):
		cli.SkipBelow("queries", "1.14.2", "")
		cli.Write("guide.tfquery.hcl", config)
		cli.Must("query")
		return
	case strings.Contains(config, "provider::"):
		cli.SkipBelow("provider functions", "1.8.0", "1.7.0")
	case strings.HasPrefix(config, "removed "):
		cli.SkipBelow("removed blocks", "1.7.0", "1.10.0")
	case strings.HasPrefix(config, "terraform "):
		if err := os.Remove(filepath.Join(cli.Dir, "main.tf")); err != nil { // it has the requirement itself
			t.Fatal(err)
		}
	}
	cli.Write("guide.tf", config)
	if strings.Contains(config, "use_lockfile") {
		cli.SkipBelow("use_lockfile of the S3 backend", "1.10.0", "1.10.0")
	}
	if strings.Contains(config, ".example.com") || strings.Contains(config, "backend ") { // no service, no backend of that address
		cli.Must("validate")
		return
	}
	cli.Must("plan")
}

// placeholder is a word in a heading of the troubleshooting guide that stands for what differs from
// case to case.
var placeholder = regexp.MustCompile(`\b(ACTION|COUNT|NAME|FILE|STATUS)\b`)

// TestTroubleshootingKnowsEveryDiagnostic holds the headings of the guide against the summaries of
// the errors and warnings in the code. So the anchor of a summary is its slug, or that of the
// heading with a placeholder.
func TestTroubleshootingKnowsEveryDiagnostic(t *testing.T) {
	t.Parallel()
	var explained []*regexp.Regexp
	for _, match := range regexp.MustCompile(`(?m)^### (.+)$`).FindAllStringSubmatch(guide(t, "troubleshooting.md"), -1) {
		pattern := placeholder.ReplaceAllLiteralString(regexp.QuoteMeta(match[1]), ".+")
		explained = append(explained, regexp.MustCompile("^"+pattern+"$"))
	}
	found := summaries(t)
	if len(found) < 40 {
		t.Errorf("%d summaries found: the code has more: %q", len(found), found)
	}
	for _, summary := range found {
		if !slices.ContainsFunc(explained, func(r *regexp.Regexp) bool { return r.MatchString(summary) }) {
			t.Errorf("the guide has no heading for %q", summary)
		}
	}
	for _, r := range explained {
		byTerraform := []string{"Provider produced inconsistent final plan", "Invalid function argument"}
		if !slices.ContainsFunc(append(found, byTerraform...), r.MatchString) {
			t.Errorf("the guide explains %s, which nothing in the code says", r)
		}
	}
}

// TestHeadingsAreThoseOfTheGuide holds the file that the provider carries against the guide.
func TestHeadingsAreThoseOfTheGuide(t *testing.T) {
	t.Parallel()
	var want strings.Builder
	for _, line := range regexp.MustCompile(`(?m)^####? .+\n`).FindAllString(guide(t, "troubleshooting.md"), -1) {
		want.WriteString(line)
	}
	if *update {
		if err := os.WriteFile("../server/headings.txt", []byte(want.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("../server/headings.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.String(), string(got)); diff != "" {
		t.Errorf("headings.txt is out of date; run make docs:\n%s", diff)
	}
}

func TestErrorsLinkToTheGuide(t *testing.T) {
	t.Parallel()
	known := anchors(t, "troubleshooting.md")
	p := acctest.NewProvider(t, nil)
	broken := p.Configure(acctest.Attrs{"base_url": "http://service.example"})
	p.Configure(acctest.Attrs{}).Must(t)
	incomplete := p.Plan(p.New("vodlive_batch_job"), acctest.Attrs{"paths": []string{"vod/input/c/u/a.mp4"}, "service_modes": []string{"video_optimizer"}}).Diags
	for want, diags := range map[string]acctest.Diagnostics{
		"invalid-provider-configuration": broken, "the-provider-configuration-is-incomplete": incomplete,
	} {
		if !known[want] || !diags.Failed() {
			t.Errorf("%s: in the guide: %v, diagnostics: %s", want, known[want], diags)
		}
		for _, d := range diags {
			if !strings.HasSuffix(d.Detail, "/docs/guides/troubleshooting.md#"+want) {
				t.Errorf("%s: no link to #%s:\n%s", d.Summary, want, d.Detail)
			}
		}
	}
}

// TestErrorsOfValuesLinkToTheSchema: of the version that runs.
func TestErrorsOfValuesLinkToTheSchema(t *testing.T) {
	t.Parallel()
	const repository = "https://github.com/vodlive/terraform-provider-vodlive/blob/"
	for version, ref := range map[string]string{
		"1.2.3": "v1.2.3", "0.4.0-rc.1": "v0.4.0-rc.1", "0.0.0-dev": "main", "1.2.3-4-gabcdef": "main", "1.2.4-SNAPSHOT-abc": "main", "test": "main",
	} {
		p := acctest.NewProvider(t, nil)
		p.Server = provider.NewServer(version, provider.Machine{Env: func(string) (string, bool) { return "", false }}, false)
		p.Configure(nil).Must(t)
		job := acctest.Attrs{"paths": []string{"a.mp4"}, "service_modes": []string{"video_optimizer"}}
		for want, diags := range map[string]acctest.Diagnostics{
			"/docs/resources/batch_job.md#schema":                                      p.Validate("vodlive_batch_job", job),
			"/docs/guides/troubleshooting.md#invalid-provider-configuration":           p.ValidateProvider(acctest.Attrs{"base_url": "ftp://service.example"}),
			"/docs/guides/troubleshooting.md#the-provider-configuration-is-incomplete": p.Plan(p.New("vodlive_batch_job"), job.With(acctest.Attrs{"paths": acctest.Unknown})).Diags,
		} {
			if !diags.Failed() {
				t.Errorf("%s: no error that links to %s", version, want)
			}
			for _, d := range diags {
				if !strings.HasSuffix(d.Detail, repository+ref+want) {
					t.Errorf("%s: the link is not %s: %s", version, repository+ref+want, d.Detail)
				}
			}
		}
	}
}

// TestNumbersThatAreNotWhole: the framework would report them as an error in the provider.
func TestNumbersThatAreNotWhole(t *testing.T) {
	t.Parallel()
	p := acctest.NewProvider(t, nil)
	for _, tc := range []struct {
		name, number string
		diags        acctest.Diagnostics
	}{
		{"max_retries", "1.5", p.ValidateProvider(attrs{"max_retries": 1.5})},
		{"part_size", "10000000.5", p.Validate("vodlive_media_upload", attrs{"source": "a.mp4", "part_size": 10000000.5})},
		{"part_size", "1e-30", p.Validate("vodlive_media_upload", attrs{"source": "a.mp4", "part_size": 1e-30})},
		{"urls_wo_version", "0.25", p.Validate("vodlive_live_session", attrs{"urls_wo_version": 0.25})},
	} {
		name, text := tc.name, strings.Join(tc.diags.Texts(), "\n")
		if want := fmt.Sprintf("error %s: Invalid %s: `%s` is %s, which is not a whole number.", name, name, name, tc.number); !strings.HasPrefix(text, want) || strings.Contains(text, "error in the provider") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestErrorsBelowObjects name the argument of which Terraform shows the line.
func TestErrorsBelowObjects(t *testing.T) {
	t.Parallel()
	diags := acctest.NewProvider(t, nil).Validate("vodlive_live_session", attrs{
		"name": "n", "region": "eu-central-1", "input": "RTMP_PUSH", "mode": "NORM", "output_mode": "RTMP_PULL",
		"input_preset": attrs{"resolution": "HDD", "bitrate": "MAX_10_MBPS"}, "timeouts": attrs{"create": "soon"},
	})
	text := diags.String()
	if len(diags) != 2 || !strings.Contains(text, "error input_preset: Invalid input_preset.resolution: ") || !strings.Contains(text, "error timeouts: Invalid timeouts.create: ") {
		t.Error(text)
	}
}

// TestErrorsLinkToTheirCause: what was attempted says little about what is wrong.
func TestErrorsLinkToTheirCause(t *testing.T) {
	t.Parallel()
	known := anchors(t, "troubleshooting.md")
	for _, row := range []struct {
		call, kind, want string
	}{
		{simulator.CallMultipartCreate, "401", "the-service-did-not-accept-the-identity-token"},
		{simulator.CallBatch, "401", "the-service-did-not-accept-the-identity-token"},
		{simulator.CallGetSession, "401", "the-service-did-not-accept-the-credentials"},
		{simulator.CallPresignURL, "403", "the-credentials-have-no-permission-for-this-call"},
		{simulator.CallCreateSession, "429", "the-service-limits-the-rate-of-requests"},
		{simulator.CallMultipartURL, "500", "the-service-failed"},
		{simulator.CallRegions, "time-out before", "the-request-timed-out"},
		{simulator.CallCreateSession, "not connected", "check-that-the-address-is-right-and-can-be-reached"},
		{simulator.CallPutPart, "404", "uploading-file-failed"}, // the cause is in the text
	} {
		t.Run(row.call+" "+row.kind, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := acctest.NewWorld(t, simulator.Options{})
				id := w.AddSession(simulator.SessionRecord{})
				path := w.Store(t)
				p := w.Provider(attrs{"max_retries": 1, "skip_region_validation": true, "request_timeout": "5s"})
				c := cell{call: row.call, times: "ever"}
				c.arm(t, w, faultKinds()[row.kind])
				diags := c.carry(t, w, p, path, id)
				if !known[row.want] || !diags.Failed() {
					t.Fatalf("in the guide: %v, diagnostics: %s", known[row.want], diags)
				}
				for _, d := range diags {
					if !strings.HasSuffix(d.Detail, "/docs/guides/troubleshooting.md#"+row.want) {
						t.Errorf("%s: no link to #%s:\n%s", d.Summary, row.want, d.Detail)
					}
				}
			})
		})
	}
}

func guide(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(guides, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// slug is the anchor that GitHub and the registries give to a heading.
func slug(heading string) string {
	return strings.ReplaceAll(regexp.MustCompile(`[^a-z0-9_ -]`).ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

// anchors are those of a guide. No two may be the same: the second would get a number.
func anchors(t *testing.T, name string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?m)^##+ (.+)$`).FindAllStringSubmatch(guide(t, name), -1) {
		if found[slug(match[1])] {
			t.Errorf("%s has two headings with the anchor %s", name, slug(match[1]))
		}
		found[slug(match[1])] = true
	}
	return found
}

func TestLinksBetweenGuides(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir(guides)
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for _, file := range files {
		anchors(t, file.Name())
		for _, match := range regexp.MustCompile(`\]\(([a-z-]*(?:\.md)?)(?:#([^)]*))?\)`).FindAllStringSubmatch(guide(t, file.Name()), -1) {
			links++
			target, anchor := match[1], match[2]
			if target == "" {
				target = file.Name()
			}
			if anchor != "" && !anchors(t, target)[anchor] {
				t.Errorf("%s links to %s#%s, which does not exist", file.Name(), target, anchor)
			}
			guide(t, target)
		}
	}
	if links < 5 {
		t.Errorf("%d links found: the guides have more", links)
	}
}

// summaryAt is which argument of a call is the summary of a diagnostic.
var summaryAt = map[string]int{
	"AddError": 0, "AddWarning": 0, "AddAttributeError": 1, "AddAttributeWarning": 1,
	"NewErrorDiagnostic": 0, "NewWarningDiagnostic": 0, "NewAttributeErrorDiagnostic": 1, "NewAttributeWarningDiagnostic": 1,
	"ErrorDiagnostic": 0, "warn": 0, "fail": 0,
}

// summaries are those in the code that can be told from it: literals, formats and constants.
func summaries(t *testing.T) []string {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains([]string{"simulator", "acctest", "tools", "testdata"}, entry.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		names := constants(file)
		ast.Inspect(file, func(node ast.Node) bool {
			if literal, ok := node.(*ast.CompositeLit); ok {
				if typ, ok := literal.Type.(*ast.SelectorExpr); ok && typ.Sel.Name == "Diagnostic" {
					for _, e := range literal.Elts {
						if field := e.(*ast.KeyValueExpr); field.Key.(*ast.Ident).Name == "Summary" {
							found[written(field.Value, names)] = true
						}
					}
				}
			}
			call, ok := node.(*ast.CallExpr)
			if !ok {
				return true
			}
			name := called(call)
			at, ok := summaryAt[name]
			if !ok || at >= len(call.Args) {
				return true
			}
			if text := written(call.Args[at], names); strings.Trim(text, ". ") != "" {
				if name == "ErrorDiagnostic" {
					text += " failed"
				}
				found[text] = true
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(found))
}

func called(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}

// constants are the strings that a file gives a name, at any level.
func constants(file *ast.File) map[string]string {
	names := map[string]string{}
	ast.Inspect(file, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.ValueSpec:
			for i, value := range n.Values {
				names[n.Names[i].Name] = written(value, nil)
			}
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if id, ok := left.(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) && names[id.Name] == "" {
					names[id.Name] = written(n.Rhs[i], nil)
				}
			}
		}
		return true
	})
	return names
}

var verb = regexp.MustCompile(`%[a-z]`)

// written is an expression's text as far as the code has it, with "..." for the rest; "" if there
// is nothing.
func written(e ast.Expr, names map[string]string) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return text
		}
	case *ast.Ident:
		return names[e.Name]
	case *ast.BinaryExpr:
		left, right := written(e.X, names), written(e.Y, names)
		if left+right == "" {
			return ""
		}
		if left == "" {
			left = "..."
		}
		if right == "" {
			right = "..."
		}
		return left + right
	case *ast.CallExpr:
		if called(e) == "Sprintf" && len(e.Args) > 0 {
			return verb.ReplaceAllString(written(e.Args[0], names), "...")
		}
	}
	return ""
}

// TestPagesOfTheReference: every example has a heading, and the pages of what only newer CLIs have
// say which.
func TestPagesOfTheReference(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*/*.md")
	if err != nil || len(pages) < 15 {
		t.Fatalf("pages: %v, %v", pages, err)
	}
	for _, page := range pages {
		kind := filepath.Base(filepath.Dir(page))
		if kind == "guides" {
			continue
		}
		content, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text := string(content)
		_, usage, found := strings.Cut(text, "\n## Example Usage\n")
		usage, _, _ = strings.Cut(usage, "\n## ")
		usage, _, _ = strings.Cut(usage, "\n<!-- ")
		examples, headings := strings.Count(usage, "\n```terraform\n"), strings.Count(usage, "\n### ")
		if !found || examples == 0 || headings != examples {
			t.Errorf("%s has %d examples and %d headings over them", page, examples, headings)
		}
		newer := kind != "resources" && kind != "data-sources"
		if newer != strings.Contains(text, "need Terraform ") {
			t.Errorf("%s: %s says which CLIs have it: %t, want %t", page, kind, !newer, newer)
		}
	}
}

// TestParagraphsAreShort: a paragraph or an item of a list has 80 words at most.
func TestParagraphsAreShort(t *testing.T) {
	t.Parallel()
	files := []string{"../../README.md", "../../CONTRIBUTING.md", "../../RELEASING.md", "../../SECURITY.md", "../../CHANGELOG.md"}
	for _, pattern := range []string{guides + "/*.md", "../../templates/*.tmpl", "../../examples/*/README.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		files = append(files, found...)
	}
	code := regexp.MustCompile("(?s)```.*?```")
	for _, file := range files {
		for line := range strings.Lines(code.ReplaceAllString(readFile(t, file), "")) {
			if words := len(strings.Fields(line)); words > 80 && !strings.HasPrefix(line, "|") {
				t.Errorf("%s has a paragraph of %d words: %.80s", file, words, line)
			}
		}
	}
}
