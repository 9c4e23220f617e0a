package provider_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
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
	master := cli.Write("media/master.mxf", "master")
	cli.Write("media/master.mxf.sha256", fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte("master")), filepath.Base(master)))
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

// addExample writes an example's file into the working folder, under another name there.
func addExample(t *testing.T, cli *acctest.CLI, example, name string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(examples, filepath.FromSlash(example)))
	if err != nil {
		t.Fatal(err)
	}
	// Tests of examples name the address of `make simulator`.
	cli.Write(name, strings.ReplaceAll(string(content), "http://127.0.0.1:8080", cli.Env("VODLIVE_BASE_URL")))
}

func planExample(t *testing.T, name string) {
	t.Helper()
	cli := exampleFolder(t)
	addExample(t, cli, name, path.Base(name))
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
		cli.SkipBelow("actions", "1.14.2", "")
		if strings.Contains(name, "process_media") {
			action, want := "promo", "submitted vod/input/"
			if strings.Contains(name, "folder") {
				action, want = "clips", "(2): "
			}
			if r := cli.Must("apply", "-auto-approve", "-invoke=action.vodlive_process_media."+action); !strings.Contains(r.Output, want) {
				t.Errorf("the action did not say what it did:\n%s", r.Output)
			}
			return
		}
	case "list-resources":
		cli.SkipBelow("queries", "1.14.2", "")
		cli.Must("query")
		return
	}
	if strings.Contains(name, "write_only") {
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

// TestTestsOfExamples runs the tests that examples bring along, as the user of a module would: with a
// mocked provider, or against the simulated service.
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
