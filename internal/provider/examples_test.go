package provider_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
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

// TestEveryExamplePlans plans each configuration of the documentation against a simulated service, as a user would who
// copies it.
func TestEveryExamplePlans(t *testing.T) {
	t.Parallel()
	var found []string
	err := filepath.WalkDir(examples, func(path string, entry fs.DirEntry, err error) error {
		slash := filepath.ToSlash(strings.TrimPrefix(path, examples+string(filepath.Separator)))
		// Those that are whole configurations have tests of their own, beside them.
		kind, rest, _ := strings.Cut(slash, "/")
		pages := []string{"actions", "data-sources", "ephemeral-resources", "functions", "list-resources", "resources"}
		generated := kind == "provider" || slices.Contains(pages, kind) && strings.Count(rest, "/") == 1
		if err == nil && !entry.IsDir() && generated && (strings.HasSuffix(path, ".tf") || strings.HasSuffix(path, ".hcl")) {
			found = append(found, slash)
		}
		return err
	})
	if err != nil || len(found) < 15 {
		t.Fatalf("examples found: %v, %v", found, err)
	}
	for _, name := range found {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			planExample(t, name)
		})
	}
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
	cli.Setenv("TF_VAR_session_id", sessionID)
	cli.Setenv("TF_VAR_stream_key", "key")
	cli.Setenv("TF_VAR_access_token_id", "id")
	cli.Setenv("TF_VAR_secret_key", "secret")
	return cli
}

func planExample(t *testing.T, name string) {
	t.Helper()
	cli := exampleFolder(t)
	add := func(name string) {
		content, err := os.ReadFile(filepath.Join(examples, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		cli.Write(filepath.Base(name), string(content))
	}
	add(name)
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
			if r := cli.Must("apply", "-auto-approve", "-invoke=action.vodlive_process_media.promo"); !strings.Contains(r.Output, "submitted vod/input/") {
				t.Errorf("the action did not say what it did:\n%s", r.Output)
			}
			return
		}
	case "list-resources":
		cli.SkipBelow("queries", "1.14.2", "")
		cli.Must("query")
		return
	}
	want := "Plan:"
	switch base := filepath.Base(name); {
	case strings.HasPrefix(base, "import-"):
		if strings.Contains(base, "identity") {
			cli.SkipBelow("import by identity", "1.12.0", "1.12.0")
		}
		add(strings.TrimSuffix(name, base) + "resource.tf")
		want = "Plan: 1 to import, 0 to add"
	case kind == "functions", kind == "data-sources":
		want = "Changes to Outputs"
	}
	if r := cli.Must("plan"); !strings.Contains(r.Output, want) {
		t.Errorf("the plan lacks %q:\n%s", want, r.Output)
	}
}
