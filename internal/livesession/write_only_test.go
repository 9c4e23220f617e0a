package livesession_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// writeOnly is a session, pull in and push out, whose URLs are write-only.
var writeOnly = config{
	"name": "match", "region": "eu-central-1", "input": "RTMP_PULL", "mode": "HA", "output_mode": "RTMPS_PUSH",
	"input_preset":            config{"resolution": "HD", "bitrate": "MAX_10_MBPS"},
	"input_source_a_wo":       "rtmp://a.example.com/in/Key-of-source-a",
	"input_source_b_wo":       "rtmp://b.example.com/in/Key-of-source-b",
	"output_destination_a_wo": "rtmps://a.example.com/out/Key-of-destination-a",
	"output_destination_b_wo": "rtmps://b.example.com/out/Key-of-destination-b",
	"urls_wo_version":         1,
}

// plainly is the same session with plain arguments.
var plainly = func() config {
	c := writeOnly.With(config{"urls_wo_version": nil})
	for _, name := range urls {
		c[name], c[name+"_wo"] = writeOnly[name+"_wo"], nil
	}
	return c
}()

var urls = []string{"input_source_a", "input_source_b", "output_destination_a", "output_destination_b"}

// TestTwinsMayBeUnknown: a value that Terraform does not know yet may turn out to be null.
func TestTwinsMayBeUnknown(t *testing.T) {
	t.Parallel()
	p := acctest.NewProvider(t, nil)
	for name, c := range map[string]config{
		"unknown twin beside a plain value": plainly.With(config{"input_source_a_wo": acctest.Unknown}),
		"unknown plain value beside a twin": writeOnly.With(config{"input_source_a": acctest.Unknown}),
		"unknown twin without a version":    plainly.With(config{"input_source_a": nil, "input_source_a_wo": acctest.Unknown}),
	} {
		if diags := p.Validate(resourceType, c); len(diags) > 0 {
			t.Errorf("%s: %s", name, diags)
		}
	}
}

// TestOlderCLIWithoutWriteOnly: the schema works with a CLI that does not know write-only
// arguments, as long as the configuration sets none.
func TestOlderCLIWithoutWriteOnly(t *testing.T) {
	t.Parallel()
	p := acctest.NewProvider(t, nil)
	for text, c := range map[string]config{"": plainly, "error input_source_a_wo: WriteOnly Attribute Not Allowed": writeOnly} {
		resp, err := p.Server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: resourceType, Config: p.Config(p.Schema.ResourceSchemas[resourceType], c)})
		must.Succeed(t, err)
		got := acctest.Diagnostics(resp.Diagnostics).String()
		if text == "" && got != "" || !strings.Contains(got, text) {
			t.Errorf("got %s, want %s", got, text)
		}
	}
}

// TestWriteOnlyCLI goes through a life with a real CLI: neither what it prints, nor the state, nor
// the plan, nor the log at TRACE has a byte of a key.
func TestWriteOnlyCLI(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{StatusPath: []string{"READY"}})
	s.Fail(simulator.Fault{Call: simulator.CallCreateSession, Times: 1, Status: http.StatusBadRequest, Body: `{"message":"bad rtmp://a.example.com/in/Key-of-source-a"}`})
	cli := acctest.NewCLI(t, s)
	cli.SkipBelow("write-only arguments", "1.11.0", "1.11.0")
	cli.Setenv("TF_LOG", "TRACE")
	cli.Setenv("TF_LOG_PATH", filepath.Join(cli.Dir, "trace.log"))
	variables, session := "", ""
	for _, name := range urls {
		variables += fmt.Sprintf("variable %q {\n  ephemeral = true\n}\n", name)
		session += fmt.Sprintf("  %s_wo = var.%s\n", name, name)
		cli.Setenv("TF_VAR_"+name, writeOnly[name+"_wo"].(string))
	}
	body := strings.NewReplacer("RTMP_PUSH", "RTMP_PULL", "RTMP_PULL", "RTMPS_PUSH", "NORM", "HA").Replace(pushPull(session, "urls_wo_version = 1"))
	cli.Config(variables + body)
	out := cli.Run("apply", "-auto-approve").Output // refused
	out += cli.Must("plan", "-out=saved.plan").Output + cli.Must("show", "saved.plan").Output + cli.Must("show", "-json", "saved.plan").Output
	out += cli.Must("apply", "saved.plan").Output
	cli.AssertNoChanges()
	cli.Config(variables + strings.Replace(body, "urls_wo_version = 1", "urls_wo_version = 2", 1))
	cli.Setenv("TF_VAR_input_source_a", "rtmp://a.example.com/in/Key-of-another-source")
	out += cli.Must("apply", "-auto-approve").Output + cli.Must("show").Output + cli.Must("show", "-json").Output
	if !strings.Contains(out, "must be replaced") || strings.Contains(out, "Key-of") {
		t.Errorf("no new session, or a key, in:\n%s", out)
	}
	if n := len(s.Sessions()); n != 2 || s.Sessions()[1].InputSourceB != writeOnly["input_source_b_wo"] {
		t.Fatalf("%d sessions: %+v", n, s.Sessions())
	}
	seen := map[string]bool{}
	err := fs.WalkDir(os.DirFS(cli.Dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(cli.Dir, name))
		if name == "saved.plan" {
			content = unzipped(t, content)
		}
		seen[name] = len(content) > 0
		for line := range bytes.Lines(content) {
			if bytes.Contains(line, []byte("Key-of")) {
				t.Errorf("%s has a key: %.300s", name, line)
			}
		}
		return err
	})
	if err != nil || !seen["trace.log"] || !seen["terraform.tfstate"] || !seen["saved.plan"] {
		t.Errorf("%v, files: %v", err, maps.Keys(seen))
	}
}

// unzipped is the content of all files in an archive.
func unzipped(t *testing.T, archive []byte) (content []byte) {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range r.File {
		opened, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(opened)
		if err != nil {
			t.Fatal(err)
		}
		content = append(content, text...)
	}
	return content
}
