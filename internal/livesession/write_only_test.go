package livesession_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
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

// checkNoURL fails the test if a state or private data has a part of a URL.
func checkNoURL(t *testing.T, o acctest.Instance) {
	t.Helper()
	var entries map[string][]byte
	if err := json.Unmarshal(o.Private, &entries); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	text.WriteString(o.State.String())
	for _, entry := range entries {
		text.Write(entry)
	}
	if strings.Contains(text.String(), "Key-of") || strings.Contains(text.String(), "rtmp://a.") {
		t.Errorf("the state has a write-only value: %s", text.String())
	}
	for _, name := range urls {
		url, _ := writeOnly[name+"_wo"].(string)
		for _, spelling := range []string{url, strconv.Quote(url), strings.Replace(url, ".com/", ".com:1935/", 1), strconv.Quote(strings.Replace(url, ".com/", ".com:1935/", 1))} {
			if strings.Contains(text.String(), fmt.Sprintf("%x", sha256.Sum256([]byte(spelling)))) {
				t.Errorf("the private state has a digest of %s without a salt: %s", name, text.String())
			}
		}
	}
	for _, name := range urls {
		if o.Attrs()[name] != nil || o.Attrs()[name+"_wo"] != nil {
			t.Errorf("%s is not null", name)
		}
	}
}

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

// TestWriteOnlyLife: the service gets the write-only URLs, the state does not, and only another
// version is a change.
func TestWriteOnlyLife(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		d := w.Provider(once)
		o, diags := d.Create(resourceType, writeOnly)
		if len(diags) > 0 {
			t.Fatal(diags)
		}
		checkNoURL(t, o)
		record := w.Sessions()[0]
		for i, got := range []string{record.InputSourceA, record.InputSourceB, record.OutputDestinationA, record.OutputDestinationB} {
			if got != writeOnly[urls[i]+"_wo"] {
				t.Errorf("the session has %s %q", urls[i], got)
			}
		}
		o = checkEmptyPlan(t, w, o, writeOnly)
		checkNoURL(t, o)
		// Another value under the same version is no change.
		w.Provider(once).AssertNoChanges(o, writeOnly.With(config{"input_source_a_wo": "rtmp://c.example.com/in/Key-of-c"}))

		planned := d.Plan(o, writeOnly.With(config{"urls_wo_version": 2, "input_source_a_wo": "rtmp://c.example.com/in/Key-of-c"}))
		if planned.Action != acctest.Update || !strings.Contains(planned.Diags.String(), "keeps running") {
			t.Fatalf("%s %v %s", planned.Action, planned.Replaces, planned.Diags)
		}
		o, diags = d.Apply(planned)
		diags.Must(t)
		checkNoURL(t, o)
		if got := w.Sessions()[1].InputSourceA; got != "rtmp://c.example.com/in/Key-of-c" {
			t.Errorf("the new session has source %q", got)
		}
		if log := w.Log.String(); strings.Contains(log, "Key-of") {
			t.Error("the log has a write-only value")
		}
	})
}

// TestWriteOnlySpelling: another rendition of a write-only URL is no drift, and leaves no trace in
// the state. It is told once.
func TestWriteOnlySpelling(t *testing.T) {
	t.Parallel()
	for to, told := range map[string]bool{"RTMP://A.example.com:1935/in/Key-of-source-a": false, "rtmp://a.example.com/in/Key-of-source-a?v=2": true} {
		t.Run(to, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := acctest.NewWorld(t, simulator.Options{})
				shows(w, map[string]string{"rtmp://a.example.com/in/Key-of-source-a": to})
				o, diags := w.Provider(once).Create(resourceType, writeOnly)
				diags.Must(t)
				if got := strings.Contains(diags.String(), "input_source_a (sensitive, so not shown)"); got != told {
					t.Errorf("told %v: %s", got, diags)
				}
				checkNoURL(t, o)
				checkNoURL(t, checkEmptyPlan(t, w, o, writeOnly))
			})
		})
	}
}

// TestWriteOnlyAfterImport: the URLs that an import reads leave the state with the next apply,
// without a new session; other URLs are a replacement.
func TestWriteOnlyAfterImport(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		d := w.Provider(once)
		made, diags := d.Create(resourceType, plainly)
		diags.Must(t)
		imported, diags := d.Import(resourceType, made.Text("id"))
		diags.Must(t)
		d = w.Provider(once) // the next run
		imported, diags = d.Read(imported)
		diags.Must(t)
		for name, o := range map[string]acctest.Instance{"imported": imported, "plain before": made} {
			d.AssertNoChanges(o, plainly)
			if planned := d.Plan(o, writeOnly.With(config{"input_source_a_wo": "rtmp://a.example.com/in/Key-of-c"})); planned.Action != acctest.Update || len(planned.Diags) == 0 {
				t.Errorf("%s: another URL is planned as %s %s", name, planned.Action, planned.Diags)
			}
			if planned := d.Plan(o, writeOnly.With(config{"input_source_a_wo": acctest.Unknown})); planned.Action != acctest.Update {
				t.Errorf("%s: an unknown URL is planned as %s", name, planned.Action)
			}
			planned := d.Plan(o, writeOnly.With(config{"input_source_a_wo": "RTMP://A.example.com:1935/in/Key-of-source-a"}))
			if planned.Action != acctest.Update || len(planned.Diags) > 0 {
				t.Fatalf("%s: planned as %s %v %s", name, planned.Action, planned.Replaces, planned.Diags)
			}
			before := len(w.Journal())
			o, diags = d.Apply(planned)
			if diags.Must(t); len(w.Journal()) != before {
				t.Errorf("%s: the update made a request", name)
			}
			checkNoURL(t, o)
			checkNoURL(t, checkEmptyPlan(t, w, o, writeOnly))
		}
		// Back to plain arguments.
		o, diags := d.Create(resourceType, writeOnly)
		diags.Must(t)
		before := len(w.Journal())
		o, diags = d.Change(o, plainly.With(config{"input_source_a": "RTMP://A.example.com:1935/in/Key-of-source-a"}))
		if len(diags) > 0 || len(w.Journal()) != before {
			t.Errorf("%s\n%s", diags, w.JournalText())
		}
		o, diags = d.Change(o, plainly)
		if len(diags) > 0 || len(w.Journal()) != before {
			t.Errorf("%s\n%s", diags, w.JournalText())
		}
		checkEmptyPlan(t, w, o, plainly)
	})
}

// TestOlderCLIWithoutWriteOnly: the schema works with a CLI that does not know write-only
// arguments, as long as the configuration sets none.
func TestOlderCLIWithoutWriteOnly(t *testing.T) {
	t.Parallel()
	p := acctest.NewProvider(t, nil)
	for text, c := range map[string]config{"": plainly, "error input_source_a_wo: WriteOnly Attribute Not Allowed": writeOnly} {
		got := p.ValidateAsOlderCLI(resourceType, c).String()
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
	status := `
resource "vodlive_live_session_status" "ready" {
  session_ids = [vodlive_live_session.match.id]
}
`
	body := status + strings.NewReplacer("RTMP_PUSH", "RTMP_PULL", "RTMP_PULL", "RTMPS_PUSH", "NORM", "HA").Replace(pushPull(session, "urls_wo_version = 1"))
	cli.Config(variables + body)
	out := cli.Run("apply", "-auto-approve").Output // refused
	out += cli.Must("plan", "-out=saved.plan").Output + cli.Must("show", "saved.plan").Output + cli.Must("show", "-json", "saved.plan").Output
	out += cli.Must("apply", "saved.plan").Output
	cli.AssertNoChanges()
	cli.Config(variables + strings.Replace(body, "urls_wo_version = 1", "urls_wo_version = 2", 1))
	out += cli.Must("apply", "-auto-approve").Output + cli.Must("show").Output + cli.Must("show", "-json").Output
	if !strings.Contains(out, "A new live session will be created") || strings.Contains(out, "Key-of") {
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
