package provider_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/provider"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

const (
	examples  = "../../examples"
	sessionID = "0f8fad5b-d9cb-469f-a165-70867728950e" // the id in the examples of imports
)

// TestEveryExamplePlans plans each configuration of the documentation against a simulated service,
// as a user would who copies it.
func TestEveryExamplePlans(t *testing.T) {
	t.Parallel()
	pages := []string{"actions", "data-sources", "ephemeral-resources", "functions", "list-resources", "resources"}
	found := exampleFiles(t, func(name string) bool {
		kind, rest, _ := strings.Cut(name, "/")
		onPage := kind == "provider" || slices.Contains(pages, kind) && strings.Count(rest, "/") == 1
		return onPage && (path.Ext(name) == ".tf" || path.Ext(name) == ".hcl")
	})
	if len(found) < 15 {
		t.Fatalf("examples found: %v", found)
	}
	for _, name := range found {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			planExample(t, name)
		})
	}
}

// exampleFiles are the files below examples that match, with slashes.
func exampleFiles(t *testing.T, match func(name string) bool) (names []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(examples), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && match(name) {
			names = append(names, name)
		}
		return err
	})
	if err != nil || len(names) == 0 {
		t.Fatalf("examples found: %v, %v", names, err)
	}
	return names
}

// exampleFolder is a working folder in which the examples find their files, variables and sessions.
func exampleFolder(t *testing.T) *acctest.CLI {
	t.Helper()
	server := acctest.Start(t, simulator.Options{})
	server.AddSession(simulator.SessionRecord{
		ID: sessionID, Name: "studio-1", Region: "eu-central-1", Input: "RTMP_PUSH", Mode: "NORM", OutputMode: "RTMP_PULL",
		Codec: "H264", Resolution: "FULL_HD", Bitrate: "MAX_10_MBPS", Status: "READY",
	})
	cli := acctest.NewCLI(t, server)
	cli.Config("") // the requirement of the provider
	cli.Write("media/promo.mp4", "promo")
	cli.Write("captions/en.vtt", "WEBVTT")
	cli.Write("clips/goal.mp4", "goal")
	cli.Write("clips/goal.vtt", "WEBVTT")
	master := cli.Write("media/master.mxf", "master")
	cli.Write("media/master.mxf.sha256", fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte("master")), filepath.Base(master)))
	cli.Write("media/SHA256SUMS", fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte("master")), filepath.Base(master)))
	cli.Write("channels.csv", "name,region,resolution,record\nch01,eu-central-1,FULL_HD,true\n")
	cli.Write("titles.yaml", "cup-final: { video: media/promo.mp4, captions: captions/en.vtt }\n")
	for name, value := range map[string]string{
		"access_token_id": "id",
		"edges":           `{"a":"edge-a.example.com","b":"edge-b.example.com"}`,
		"encoders":        `{"a":"encoder-a.example.com","b":"encoder-b.example.com"}`,
		"folder":          "media",
		"key_path":        "vod/input/customer-4821/6f1c3c52-8d0e-4a39-9b1c-0c3f0a6f2f10/promo.mp4",
		"media":           "media/promo.mp4",
		"name":            "cup-final",
		"region":          "eu-central-1",
		"secret_key":      "secret",
		"session_id":      sessionID,
		"starts_at":       "2040-06-30T18:45:00Z",
		"stream_key":      "key",
		"stream_keys":     `{"main":"key"}`,
	} {
		cli.Setenv("TF_VAR_"+name, value)
	}
	return cli
}

// addExample writes an example's file into the working folder, under another name there, and
// returns its content.
func addExample(t *testing.T, cli *acctest.CLI, example, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(examples, filepath.FromSlash(example)))
	if err != nil {
		t.Fatal(err)
	}
	// Tests of examples name the address of `make simulator`.
	cli.Write(name, strings.ReplaceAll(string(content), "http://127.0.0.1:8080", cli.Env("VODLIVE_BASE_URL")))
	return string(content)
}

// invocation is the option in the comment of an example that says how to invoke its action.
var invocation = regexp.MustCompile(`-invoke=\S+`)

func planExample(t *testing.T, name string) {
	t.Helper()
	cli := exampleFolder(t)
	content := addExample(t, cli, name, path.Base(name))
	kind, _, _ := strings.Cut(name, "/")
	switch kind {
	case "provider":
		if err := os.Remove(filepath.Join(cli.Dir, "main.tf")); err != nil { // it has the requirement itself
			t.Fatal(err)
		}
		cli.Must("validate") // its addresses are no service's
		return
	case "functions":
		cli.SkipBelow("provider functions", "1.8.0", "1.7.0")
	case "ephemeral-resources":
		cli.SkipBelow("ephemeral resources", "1.10.0", "1.11.0")
	case "actions":
		cli.SkipBelow("actions", "1.14.1", "")
		want := "submitted: "
		switch {
		case strings.Contains(name, "folder"):
			want = "(2): "
		case strings.Contains(name, "process_media"):
			want = "submitted vod/input/"
		}
		r := cli.Must("apply", "-auto-approve")
		if invoke := invocation.FindString(content); invoke != "" {
			r = cli.Must("apply", "-auto-approve", invoke)
		}
		if !strings.Contains(r.Output, want) {
			t.Errorf("the action did not say what it did:\n%s", r.Output)
		}
		return
	case "list-resources":
		cli.SkipBelow("queries", "1.14.1", "")
		cli.Must("query")
		return
	}
	if strings.Contains(name, "write_only") || strings.Contains(name, "outside_the_state") {
		cli.SkipBelow("write-only arguments", "1.11.0", "1.11.0")
	}
	want := "Plan:"
	switch base := path.Base(name); {
	case strings.HasPrefix(base, "import-"):
		if strings.Contains(base, "identity") {
			cli.SkipBelow("import by identity", "1.12.0", "1.12.0")
		}
		addExample(t, cli, strings.TrimSuffix(name, base)+"resource.tf", "resource.tf")
		want = "Plan: 1 to import, 0 to add"
	case kind == "functions", kind == "data-sources":
		want = "Changes to Outputs"
	}
	if r := cli.Must("plan"); !strings.Contains(r.Output, want) {
		t.Errorf("the plan lacks %q:\n%s", want, r.Output)
	}
}

// wholeExample is a working folder with the configuration in one of the folders of examples.
func wholeExample(t *testing.T, folder string) *acctest.CLI {
	t.Helper()
	cli := exampleFolder(t)
	if folder == "event" {
		cli.SkipBelow("provider functions", "1.8.0", "1.7.0")
	}
	for _, name := range exampleFiles(t, func(name string) bool { return path.Dir(name) == folder && path.Ext(name) == ".tf" }) {
		addExample(t, cli, name, path.Base(name))
	}
	return cli
}

// TestEveryWholeExamplePlans plans the examples that are configurations of several files.
func TestEveryWholeExamplePlans(t *testing.T) {
	t.Parallel()
	for _, file := range exampleFiles(t, func(name string) bool { return strings.Count(name, "/") == 1 && path.Base(name) == "main.tf" }) {
		t.Run(path.Dir(file), func(t *testing.T) {
			t.Parallel()
			wholeExample(t, path.Dir(file)).Must("plan")
		})
	}
}

// TestTestsOfExamples runs the tests that examples bring along, as the user of a module would: with
// a mocked provider, or against the simulated service.
func TestTestsOfExamples(t *testing.T) {
	t.Parallel()
	for _, file := range exampleFiles(t, func(name string) bool { return strings.HasSuffix(name, ".tftest.hcl") }) {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			folder, name, _ := strings.Cut(file, "/")
			cli := wholeExample(t, folder)
			cli.SkipBelow("mock_provider", "1.7.0", "1.8.0")
			addExample(t, cli, file, name)
			if out := cli.Must("test", "-test-directory="+path.Dir(name)).Output; !strings.Contains(out, "Success!") {
				t.Errorf("terraform test does not say that it succeeded:\n%s", out)
			}
		})
	}
}

// mocks is the file of mock data that users copy.
const mocks = "testing/vodlive.tfmock.hcl"

// TestExamplesUnderMocks plans and applies the documented configurations with a mocked provider, as
// `terraform test` does it for a module.
func TestExamplesUnderMocks(t *testing.T) {
	t.Parallel()
	found := exampleFiles(t, func(name string) bool {
		kind, rest, _ := strings.Cut(name, "/")
		base := path.Base(name)
		onPage := slices.Contains([]string{"data-sources", "functions", "resources"}, kind) && strings.Count(rest, "/") == 1
		return path.Ext(name) == ".tf" && !strings.HasPrefix(base, "import-") && (onPage || kind == "media-folder")
	})
	texts := map[string]string{}
	for _, name := range found {
		content, err := os.ReadFile(filepath.Join(examples, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(content)
	}
	// What only an entry of a mocked collection can show.
	texts["entries"] = `
resource "vodlive_media_folder" "clips" {
  source_dir = "media"
}
output "paths" {
  value = keys(vodlive_media_folder.clips.files)
}
data "vodlive_live_sessions" "all" {}
output "name" {
  value = data.vodlive_live_sessions.all.sessions[0].name
}
`
	mocked, err := os.ReadFile(filepath.Join(examples, filepath.FromSlash(mocks)))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cli := exampleFolder(t)
			cli.SkipBelow("override_during", "1.11.0", "1.8.0")
			if strings.Contains(text, "required_providers") {
				cli.Write("main.tf", text)
			} else {
				cli.Write("example.tf", text)
			}
			if cli.IsTofu() { // which has neither source nor override_during: the blocks of the file stand in the block of the provider
				cli.Write("tests/module.tftest.hcl", "mock_provider \"vodlive\" {\n"+withoutArguments(t, string(mocked))+"\n}\n\nrun \"applies\" {}\n")
				if out := cli.Must("test").Output; !strings.Contains(out, "1 passed, 0 failed") {
					t.Errorf("tofu test says:\n%s", out)
				}
				return
			}
			addExample(t, cli, mocks, "tests/mocks/vodlive.tfmock.hcl")
			inGuide := blocks(t, filepath.Join(guides, "testing.md"), "hcl")
			i := slices.IndexFunc(inGuide, func(s string) bool { return strings.Contains(s, "mock_provider") })
			if i < 0 {
				t.Fatal("the guide mocks no provider")
			}
			cli.Write("tests/module.tftest.hcl", inGuide[i])
			if out := cli.Must("test").Output; !strings.Contains(out, " 0 failed") {
				t.Errorf("terraform test says:\n%s", out)
			}
		})
	}
}

// withoutArguments leaves out mock data of arguments, which OpenTofu refuses where the
// configuration sets them.
func withoutArguments(t *testing.T, mocked string) string {
	t.Helper()
	schemas := provider.Schemas()
	var kept strings.Builder
	var schema *tfprotov6.Schema
	for line := range strings.Lines(mocked) {
		if block := regexp.MustCompile(`^mock_(resource|data) "(\w+)"`).FindStringSubmatch(line); block != nil {
			schema = map[string]map[string]*tfprotov6.Schema{"resource": schemas.ResourceSchemas, "data": schemas.DataSourceSchemas}[block[1]][block[2]]
		}
		argument := false
		if value := regexp.MustCompile(`^    (\w+) += `).FindStringSubmatch(line); len(value) > 0 {
			argument = slices.ContainsFunc(schema.Block.Attributes, func(a *tfprotov6.SchemaAttribute) bool {
				return a.Name == value[1] && (a.Optional || a.Required)
			})
		}
		if !argument {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// TestMocksAreComplete holds the mock data against the schemas: Terraform makes up what they lack,
// once for a plan and differently for its apply.
func TestMocksAreComplete(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(filepath.Join(examples, filepath.FromSlash(mocks)))
	if err != nil {
		t.Fatal(err)
	}
	schemas := provider.Schemas()
	for kind, types := range map[string]map[string]*tfprotov6.Schema{"mock_resource": schemas.ResourceSchemas, "mock_data": schemas.DataSourceSchemas} {
		for name, schema := range types {
			_, block, _ := strings.Cut(string(content), fmt.Sprintf("\n%s %q {", kind, name))
			block, _, _ = strings.Cut(block, "\n}\n")
			for _, a := range schema.Block.Attributes {
				if !a.Computed || a.Name == "incomplete_uploads" { // Terraform mocks that as an empty map
					continue
				}
				fields := []string{a.Name}
				if a.Type != nil {
					typ := a.Type
					if list, ok := typ.(tftypes.List); ok {
						typ = list.ElementType
					} else if m, ok := typ.(tftypes.Map); ok {
						typ = m.ElementType
					}
					if object, ok := typ.(tftypes.Object); ok && a.Name != "urls" { // null, and mocked as an empty map
						fields = slices.AppendSeq(fields, maps.Keys(object.AttributeTypes))
					}
				}
				if a.NestedType != nil {
					for _, nested := range a.NestedType.Attributes {
						fields = append(fields, nested.Name)
					}
				}
				for _, field := range fields {
					if !regexp.MustCompile(`\b` + field + `\s*=`).MatchString(block) {
						t.Errorf("%s %s lacks %s (of %s)", kind, name, field, a.Name)
					}
				}
			}
		}
	}
}

func TestEveryImportCommandWorks(t *testing.T) {
	t.Parallel()
	for _, name := range exampleFiles(t, func(name string) bool { return path.Base(name) == "import.sh" }) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cli := exampleFolder(t)
			addExample(t, cli, path.Dir(name)+"/resource.tf", "resource.tf")
			text, err := os.ReadFile(filepath.Join(examples, filepath.FromSlash(name)))
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(string(text)), "\n")
			command := strings.Fields(lines[len(lines)-1])
			if len(command) != 4 || command[0] != "terraform" {
				t.Fatalf("the last line is %q, want terraform import ADDRESS ID", lines[len(lines)-1])
			}
			cli.Must(command[1:]...)
			if _, ok := cli.State()[command[2]]; !ok {
				t.Errorf("%s is not in the state", command[2])
			}
		})
	}
}
