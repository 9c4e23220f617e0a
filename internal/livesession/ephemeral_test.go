package livesession_test

import (
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestEphemeralHasEveryField opens a session whose endpoints and URLs no state has.
func TestEphemeralHasEveryField(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	for _, record := range []simulator.SessionRecord{pullPush, {Name: "match", Region: "eu-central-1", Mode: "HA"}} {
		id := w.AddSession(record)
		opened, diags := w.Provider(nil).Open(resourceType, config{"id": id})
		read, more := w.Provider(nil).DataSource(resourceType, config{"id": id, "include_urls": true})
		if len(diags)+len(more) > 0 {
			t.Fatal(diags, more)
		}
		for name, want := range read {
			if got := opened[name]; name != "input_preset" && name != "include_urls" && got != want {
				t.Errorf("%s is %v, in the data source %v", name, got, want)
			}
		}
	}
	if _, diags := w.Provider(nil).Open(resourceType, config{"id": "nobody"}); !strings.Contains(diags.String(), `No session of this account has the id "nobody"`) {
		t.Error(diags)
	}
	w.Fail(simulator.Fault{Call: simulator.CallGetSession, Status: http.StatusForbidden})
	if _, diags := w.Provider(nil).Open(resourceType, config{"id": "any"}); !strings.Contains(diags.String(), "The credentials have no permission for this call") {
		t.Error(diags)
	}
}

// TestNoStreamKeyIsKept runs the documented use with a real CLI, with everything logged: from a
// create and an import to an encoder's configuration and a write-only argument.
func TestNoStreamKeyIsKept(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{StatusPath: []string{"READY"}})
	cli := acctest.NewCLI(t, s)
	cli.SkipBelow("write-only arguments", "1.11.0", "1.11.0")
	for _, example := range []string{"ephemeral-resource.tf", "ephemeral-resource_write_only_argument.tf"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "examples", "ephemeral-resources", resourceType, example))
		if err != nil {
			t.Fatal(err)
		}
		cli.Write(example, string(text))
	}
	cli.Config("")
	cli.Setenv("TF_LOG", "TRACE")
	cli.Setenv("TF_LOG_PATH", filepath.Join(cli.Dir, "trace.log"))
	var output strings.Builder
	run := func(args ...string) {
		output.WriteString(cli.Must(args...).Output)
	}
	run("plan", "-out=first.plan")
	run("apply", "first.plan")
	run("plan", "-detailed-exitcode", "-out=second.plan")
	output.WriteString(cli.Must("show", "-json", "first.plan").Output + cli.Must("show", "-json").Output)

	keys, sessions := map[string]string{}, map[string]simulator.SessionRecord{}
	for _, session := range s.Sessions() {
		sessions[session.Name] = session
		for name, endpoint := range map[string]string{"in": session.InputEndpointA, "out": session.OutputEndpointA} {
			if _, key, ok := strings.Cut(endpoint, "/live/"); ok {
				keys[session.Name+" "+name] = key
			}
		}
	}
	if len(keys) != 5 || sessions["origin"].OutputDestinationA != sessions["edge"].InputEndpointA {
		t.Fatalf("the sessions are %+v", sessions)
	}
	keys["the provider"] = simulator.DefaultSecretKey
	encoder, err := os.ReadFile(filepath.Join(cli.Dir, "encoder.url"))
	if err != nil || !strings.Contains(string(encoder), keys["studio-1 in"]) {
		t.Errorf("the encoder got %q, %v", encoder, err)
	}
	if err := os.Remove(filepath.Join(cli.Dir, "encoder.url")); err != nil {
		t.Fatal(err)
	}
	cli.Write("output.log", output.String())
	seen := 0
	err = filepath.WalkDir(cli.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if strings.HasSuffix(path, ".plan") {
			content = unzipped(t, content)
		}
		seen++
		for which, key := range keys {
			if strings.Contains(string(content), key) {
				t.Errorf("%s has the key of %s", entry.Name(), which)
			}
		}
		return err
	})
	if err != nil || seen < 8 {
		t.Errorf("%d files were searched: %v", seen, err)
	}
}
