package provider_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
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
		cli.SkipBelow("actions", "1.14.1", "")
	case strings.HasPrefix(config, "list "):
		cli.SkipBelow("queries", "1.14.1", "")
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

// headingsOfTheGuide are those of the troubleshooting guide.
func headingsOfTheGuide(t *testing.T) (headings []string) {
	t.Helper()
	for _, match := range regexp.MustCompile(`(?m)^### (.+)$`).FindAllStringSubmatch(guide(t, "troubleshooting.md"), -1) {
		headings = append(headings, match[1])
	}
	return headings
}

// TestTroubleshootingKnowsEveryDiagnostic holds the headings of the guide against the summaries of
// the errors and warnings in the code. The summary of an error is constant. That of a warning may
// name what stays behind, because Terraform folds warnings with equal summaries.
func TestTroubleshootingKnowsEveryDiagnostic(t *testing.T) {
	t.Parallel()
	aboutValues := regexp.MustCompile(`^(Invalid (value|pattern|\.\.\.)|An argument (is missing|does not apply))$`)
	headings := headingsOfTheGuide(t)
	constant, named := map[string]bool{}, []*regexp.Regexp{}
	for _, heading := range headings {
		constant[heading] = true
		if strings.Contains(heading, "NAME") {
			named = append(named, regexp.MustCompile("^"+strings.ReplaceAll(regexp.QuoteMeta(heading), "NAME", ".+")+"$"))
		}
	}
	found := summaries(t)
	delete(found, "The ... is protected from deletion")
	for _, kind := range []string{"live session", "stored file", "media folder"} {
		found["The "+kind+" is protected from deletion"] = false
	}
	if len(found) < 40 {
		t.Errorf("%d summaries found: the code has more: %v", len(found), found)
	}
	for summary, warns := range found {
		matches := func(r *regexp.Regexp) bool { return r.MatchString(summary) }
		explained := constant[summary] || aboutValues.MatchString(summary) || warns && slices.ContainsFunc(named, matches)
		if !explained {
			t.Errorf("the guide has no heading for %q, of a warning: %t", summary, warns)
		}
		delete(constant, summary)
	}
	for _, r := range named {
		for summary := range found {
			if r.MatchString(summary) {
				delete(constant, strings.ReplaceAll(r.String()[1:len(r.String())-1], ".+", "NAME"))
			}
		}
	}
	delete(constant, "Provider produced inconsistent final plan") // by Terraform
	delete(constant, "Invalid function argument")                 // by Terraform
	for heading := range constant {
		t.Errorf("the guide explains %q, which nothing in the code says", heading)
	}
}

// TestHeadingsAreThoseOfTheGuide holds the file that the provider carries against the guide.
func TestHeadingsAreThoseOfTheGuide(t *testing.T) {
	t.Parallel()
	want := strings.Join(headingsOfTheGuide(t), "\n") + "\n"
	if *update {
		if err := os.WriteFile("../edge/headings.txt", []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("../edge/headings.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
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

// TestNumbersThatTheProviderCannotHold tries them for each number argument of every object, in its
// validation and, as for a value that is not known before, in what follows. The framework would
// report them as an error in the provider.
func TestNumbersThatTheProviderCannotHold(t *testing.T) {
	t.Parallel()
	p := acctest.NewProvider(t, nil)
	p.Configure(nil).Must(t)
	check := func(t *testing.T, page, name, want string, diags acctest.Diagnostics) {
		t.Helper()
		text := strings.Join(diags.Texts(), "\n")
		if !strings.Contains(text, fmt.Sprintf("error %s: ", name)) || !strings.Contains(text, "`"+name+"` "+want) || strings.Contains(text, "error in the provider") {
			t.Errorf("%s: got %q, want %q", name, text, want)
		}
		if link := "/docs/" + page + ".md#schema"; page != "" && !slices.ContainsFunc(diags, func(d *tfprotov6.Diagnostic) bool { return strings.HasSuffix(d.Detail, link) }) {
			t.Errorf("%s: no link to %s in %q", name, link, diags)
		}
	}
	objects, arguments := numberArguments(p)
	for i, o := range objects {
		for _, name := range arguments[i] {
			t.Run(o.page+" "+name, func(t *testing.T) {
				t.Parallel()
				for number, want := range map[float64]string{
					1.5: "is 1.5, which is not a whole number.", 1e-30: "is 1e-30, which is not a whole number.", -0.25: "is -0.25, which is not a whole number.",
					1e30: "is 1e+30, which is out of range: whole numbers are from -9223372036854775808 to 9223372036854775807.", -1e30: "is -1e+30, which is out of range:",
				} {
					for _, step := range o.steps {
						check(t, o.page, name, want, step(attrs{name: number}))
					}
				}
				if !strings.HasSuffix(name, "_wo_version") {
					check(t, "", name, "is -1", o.steps[0](attrs{name: -1}))
					return
				}
				for _, version := range []float64{-1, 0, 1 << 53} {
					if text := o.steps[0](attrs{name: version}).String(); strings.Contains(text, fmt.Sprintf("error %s: Invalid value", name)) {
						t.Errorf("%s = %v: %s", name, version, text)
					}
				}
			})
		}
	}
}

// numbered is an object of the provider.
type numbered struct {
	page  string                                   // that describes it
	steps []func(config attrs) acctest.Diagnostics // what gets its configuration, the validation first
}

// numberArguments returns the objects that have arguments which are numbers, and their names.
func numberArguments(p *acctest.Provider) (objects []numbered, arguments [][]string) {
	add := func(o numbered, schema *tfprotov6.Schema) {
		var names []string
		for _, a := range schema.Block.Attributes {
			if a.Type != nil && a.Type.Is(tftypes.Number) && (a.Optional || a.Required) {
				names = append(names, a.Name)
			}
		}
		if len(names) > 0 {
			objects, arguments = append(objects, o), append(arguments, names)
		}
	}
	page := func(folder, name string) string { return folder + "/" + strings.TrimPrefix(name, "vodlive_") }
	type steps = []func(attrs) acctest.Diagnostics
	add(numbered{"index", steps{p.ValidateProvider, p.Configure}}, p.Schema.Provider)
	for name, schema := range p.Schema.ResourceSchemas {
		validate := func(c attrs) acctest.Diagnostics { return p.Validate(name, c) }
		plan := func(c attrs) acctest.Diagnostics { return p.Plan(p.New(name), c).Diags }
		add(numbered{page("resources", name), steps{validate, plan}}, schema)
	}
	for name, schema := range p.Schema.DataSourceSchemas {
		read := func(c attrs) acctest.Diagnostics {
			_, diags := p.DataSource(name, c)
			return diags
		}
		add(numbered{page("data-sources", name), steps{read}}, schema)
	}
	for name, schema := range p.Schema.EphemeralResourceSchemas {
		open := func(c attrs) acctest.Diagnostics {
			_, diags := p.Open(name, c)
			return diags
		}
		add(numbered{page("ephemeral-resources", name), steps{open}}, schema)
	}
	for name, schema := range p.Schema.ListResourceSchemas {
		list := func(c attrs) (diags acctest.Diagnostics) {
			for r := range p.List(name, c, false, 1) {
				diags = append(diags, r.Diags...)
			}
			return diags
		}
		add(numbered{page("list-resources", name), steps{list}}, schema)
	}
	for name, schema := range p.Schema.ActionSchemas {
		invoke := func(c attrs) acctest.Diagnostics {
			_, diags := p.Invoke(name, c)
			return diags
		}
		add(numbered{page("actions", name), steps{invoke}}, schema.Schema)
	}
	return objects, arguments
}

// TestErrorsOfLibrariesHaveALink to the description of the argument.
func TestErrorsOfLibrariesHaveALink(t *testing.T) {
	t.Parallel()
	p := acctest.NewProvider(t, nil)
	var listed acctest.Diagnostics
	for r := range p.List("vodlive_live_session", attrs{"statuses": []any{nil}}, false, 1) {
		listed = r.Diags
	}
	_, opened := p.Open("vodlive_live_session", attrs{"id": ""})
	for _, row := range []struct {
		summary, page string
		diags         acctest.Diagnostics
	}{
		{"Null Set Value", "list-resources/live_session", listed},
		{"Invalid value", "ephemeral-resources/live_session", opened},
		{"Duplicate List Value", "resources/batch_job", p.Validate("vodlive_batch_job", attrs{"paths": []string{"vod/input/c/u/a.mp4", "vod/input/c/u/a.mp4"}, "service_modes": []string{"a"}})},
		{"Invalid value", "resources/batch_job", p.Validate("vodlive_batch_job", attrs{"paths": []any{nil}, "service_modes": []string{"a"}})},
		{"Missing Attribute Configuration", "resources/media_upload", p.Validate("vodlive_media_upload", attrs{"file_name": "a.mp4"})},
		{"Invalid Attribute Combination", "resources/media_upload", p.Validate("vodlive_media_upload", attrs{"source": "a.mp4", "content": "x", "file_name": "a.mp4"})},
		{"Invalid Attribute Value Match", "resources/media_upload", p.Validate("vodlive_media_upload", attrs{"source": "a.mp4", "method": "both"})},
		{"Invalid Attribute Value Match", "resources/media_folder", p.Validate("vodlive_media_folder", attrs{"source_dir": ".", "name_format": "x"})},
	} {
		want := "/docs/" + row.page + ".md#schema"
		if _, err := os.Stat("../../docs/" + row.page + ".md"); err != nil {
			t.Error(err)
		}
		found := false
		for _, d := range row.diags {
			found = found || d.Summary == row.summary && strings.HasSuffix(d.Detail, want)
		}
		if !found {
			t.Errorf("no %q with a link to %s: %s", row.summary, want, row.diags)
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
	if len(diags) != 2 || !strings.Contains(text, "error input_preset: Invalid value: `input_preset.resolution` is ") || !strings.Contains(text, "error timeouts: Invalid value: `timeouts.create` is ") {
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
		{simulator.CallCreateSession, "not connected", "the-address-cannot-be-reached"},
		{simulator.CallPutPart, "404", "uploading-the-file-failed"}, // the cause is in the text
	} {
		bubble.Run(t, row.call+" "+row.kind, func(t *testing.T) {
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

// summaries are those in the code that can be told from it: literals, formats and constants. The
// value says whether only warnings have one.
func summaries(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	note := func(text string, warns bool) {
		if strings.Trim(text, ". ") != "" {
			before, known := found[text]
			found[text] = warns && (before || !known)
		}
	}
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
				switch typ := literal.Type.(type) {
				case *ast.SelectorExpr:
					switch typ.Sel.Name {
					case "Diagnostic":
						noteField(literal, "Summary", names, false, note)
					case "StringRule":
						noteField(literal, "Unknown", names, true, note)
					}
				case *ast.Ident:
					if typ.Name == "cause" { // of a failed call
						noteField(literal, "summary", names, false, note)
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
			text := written(call.Args[at], names)
			if text == "... failed" { // see ErrorDiagnostic
				return true
			}
			if text != "" && name == "ErrorDiagnostic" {
				text += " failed"
			}
			note(text, strings.Contains(strings.ToLower(name), "warn"))
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// noteField notes the summary in a composite literal: its field of that name, or else its first
// value.
func noteField(literal *ast.CompositeLit, name string, names map[string]string, warns bool, note func(text string, warns bool)) {
	for i, e := range literal.Elts {
		switch e := e.(type) {
		case *ast.KeyValueExpr:
			if e.Key.(*ast.Ident).Name == name {
				note(written(e.Value, names), warns)
			}
		default:
			if i == 0 {
				note(written(e, names), warns)
			}
		}
	}
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

// TestReadmeFigures holds the figures in the README against the results of the benchmark.
func TestReadmeFigures(t *testing.T) {
	t.Parallel()
	readme, results := readFile(t, "../../README.md"), readFile(t, "../tools/bench/results.md")
	measured := func(section, client string) (seconds, mebibytes float64) {
		_, text, _ := strings.Cut(results, "\n## "+section+"\n")
		text, _, _ = strings.Cut(text, "\n## ")
		row := regexp.MustCompile(`(?m)^\| ` + client + ` \| ([\d.]+) s .* (\d+) MiB`).FindStringSubmatch(text)
		if row == nil {
			t.Fatalf("the results lack %s in %s", client, section)
		}
		seconds, _ = strconv.ParseFloat(row[1], 64)
		mebibytes, _ = strconv.ParseFloat(row[2], 64)
		return seconds, mebibytes
	}
	for client, row := range map[string]string{
		"curl": "curl", "rclone copyto": "rclone copyto", "transfer manager": "AWS SDK transfer manager", "engine": "upload engine of this provider",
		"engine, sums known": "the same after a plan", "apply": "complete `terraform apply`",
	} {
		storage, memory := measured("1 x 1024 MiB to versitygw", client)
		sink, more := measured("1 x 1024 MiB to sink", client)
		peak := fmt.Sprintf("%.0f MiB", max(memory, more))
		if client == "curl" {
			peak = "–" // its parts were split by another program before
		}
		want := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(row) + `.* \| ` + regexp.QuoteMeta(fmt.Sprintf("%.1f s | %.1f s | %s |", storage, sink, peak)))
		if !want.MatchString(readme) {
			t.Errorf("the README has other figures of %s than %.1f s, %.1f s, %s", row, storage, sink, peak)
		}
	}
	_, table, _ := strings.Cut(results, "\n## Many files\n")
	table, _, _ = strings.Cut(table, "\n## ")
	want := map[string]string{"apply": "", "for_each": "", "rclone": ""}
	for _, row := range regexp.MustCompile(`(?m)^\| \d+ \| ([\d.]+) s (?:\|[^|]*){6}\| (?:([\d.]+) s)? .* ([\d.]+) s \|$`).FindAllStringSubmatch(table, -1) {
		for i, client := range []string{"apply", "for_each", "rclone"} {
			if row[i+1] == "" {
				want[client] += " | not run"
				continue
			}
			seconds, _ := strconv.ParseFloat(row[i+1], 64)
			digits := 0
			if seconds < 10 {
				digits = 1
			}
			want[client] += fmt.Sprintf(" | %.*f s", digits, seconds)
		}
	}
	for _, row := range []string{
		"| rclone copy" + want["rclone"], "| complete `terraform apply` of `vodlive_media_folder`" + want["apply"],
		"| the same as resources of their own (`for_each`)" + want["for_each"],
	} {
		if !strings.Contains(readme, "\n"+row+" |\n") {
			t.Errorf("the README lacks the row %s |", row)
		}
	}
}
