// Package examples_test runs the examples that are whole configurations, and the commands and tests that examples bring
// along, with the real CLI against the simulated service. The single files that the pages of the documentation show are
// planned by the tests of internal/provider.
package examples_test

import (
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// sessionID is the session that the examples import.
const sessionID = "0f8fad5b-d9cb-469f-a165-70867728950e"

// variables are values for the variables that examples declare.
var variables = map[string]string{
	"edges":      `{"a":"edge-a.example.com","b":"edge-b.example.com"}`,
	"encoders":   `{"a":"encoder-a.example.com","b":"encoder-b.example.com"}`,
	"folder":     "media",
	"media":      "media/promo.mp4",
	"name":       "cup-final",
	"region":     "eu-central-1",
	"starts_at":  "2040-06-30T18:45:00Z",
	"stream_key": "not-a-real-key",
}

// newCLI is a working folder with the files and the session that examples refer to.
func newCLI(t *testing.T) *acctest.CLI {
	t.Helper()
	server := acctest.Start(t, simulator.Options{})
	server.AddSession(simulator.SessionRecord{
		ID: sessionID, Name: "studio-1", Region: "eu-central-1", Input: "RTMP_PUSH", Mode: "NORM", OutputMode: "RTMP_PULL",
		Resolution: "FULL_HD", Bitrate: "MAX_10_MBPS",
	})
	cli := acctest.NewCLI(t, server)
	cli.Write("media/promo.mp4", "promo")
	for name, value := range variables {
		cli.Setenv("TF_VAR_"+name, value)
	}
	return cli
}

// add writes an example's file into the working folder, under name there.
func add(t *testing.T, cli *acctest.CLI, example, name string) {
	t.Helper()
	text, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	cli.Write(name, string(text))
}

// addConfiguration writes every .tf file of an example's folder.
func addConfiguration(t *testing.T, cli *acctest.CLI, dir string) {
	t.Helper()
	for _, name := range glob(t, func(name string) bool { return path.Dir(name) == dir && path.Ext(name) == ".tf" }) {
		add(t, cli, name, path.Base(name))
	}
}

// addSnippet writes an example that is one file, with the requirement of the provider, which snippets leave out.
func addSnippet(t *testing.T, cli *acctest.CLI, name string) {
	t.Helper()
	add(t, cli, name, path.Base(name))
	cli.Write("terraform.tf", "terraform {\n  required_providers {\n    vodlive = { source = \"vodlive/vodlive\" }\n  }\n}\n")
}

// skipOld skips an example that shows what the CLI at hand does not have.
func skipOld(t *testing.T, cli *acctest.CLI, dir string) {
	t.Helper()
	if dir == "event" {
		cli.SkipBelow("provider functions", "1.8.0", "1.7.0")
	}
}

func glob(t *testing.T, match func(name string) bool) []string {
	t.Helper()
	var names []string
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && match(name) {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 {
		t.Fatal("no example matches")
	}
	return names
}

func TestEveryConfigurationPlans(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"demo", "event", "media-folder"} {
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			cli := newCLI(t)
			skipOld(t, cli, dir)
			addConfiguration(t, cli, dir)
			cli.Must("plan")
		})
	}
}

// TestModuleTests runs the tests that examples bring along, as the user of a module would: the provider is mocked.
func TestModuleTests(t *testing.T) {
	t.Parallel()
	for _, file := range glob(t, func(name string) bool { return strings.HasSuffix(name, ".tftest.hcl") }) {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			cli := newCLI(t)
			cli.SkipBelow("mock_provider", "1.7.0", "1.8.0")
			skipOld(t, cli, path.Dir(path.Dir(file)))
			addConfiguration(t, cli, path.Dir(path.Dir(file)))
			add(t, cli, file, "tests/"+path.Base(file))
			if out := cli.Must("test").Output; !strings.Contains(out, "Success!") {
				t.Errorf("terraform test does not say that it succeeded:\n%s", out)
			}
		})
	}
}

func TestEveryImportCommandWorks(t *testing.T) {
	t.Parallel()
	for _, name := range glob(t, func(name string) bool { return path.Base(name) == "import.sh" }) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cli := newCLI(t)
			addSnippet(t, cli, path.Dir(name)+"/resource.tf")
			text, err := os.ReadFile(name)
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
