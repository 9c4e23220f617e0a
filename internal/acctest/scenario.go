package acctest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"golang.org/x/tools/txtar"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// Scenarios plays testdata/scenarios/*.txtar, each in a world and in a bubble of testing/synctest
// of its own. CONTRIBUTING.md describes their form.
func Scenarios(t *testing.T) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "scenarios", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are %q: %v", files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) { newScenario(t, file, archive).play(string(archive.Comment)) })
		})
	}
}

// scenario is one that is being played.
type scenario struct {
	*World
	t       *testing.T
	at      string // file and line
	configs map[string]*hclsyntax.Body
	folder  string // of the files
	stored  Attrs  // key paths of files that the service stored without the provider

	config string   // name of the configuration; "": none, which destroys
	typ    string   // of the resource
	now    Instance // what Terraform keeps
	saved  *Plan    // the last plan

	// What expectations are about: the last step.
	before Instance
	lost   Instance // result of the last run that was killed
	action Action
	diags  Diagnostics
	calls  map[string]int
}

func newScenario(t *testing.T, file string, archive *txtar.Archive) *scenario {
	t.Helper()
	s := &scenario{t: t, at: file, configs: map[string]*hclsyntax.Body{}, folder: t.TempDir(), stored: Attrs{}, config: "main.tf"}
	var options simulator.Options
	for _, f := range archive.Files {
		switch filepath.Ext(f.Name) {
		case ".tf":
			parsed, diags := hclsyntax.ParseConfig(f.Data, f.Name, hcl.InitialPos)
			if diags.HasErrors() {
				t.Fatalf("%s: %v", file, diags)
			}
			s.configs[f.Name], _ = parsed.Body.(*hclsyntax.Body)
		case ".json":
			decoder := json.NewDecoder(bytes.NewReader(f.Data))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(&options); err != nil { //nolint:musttag // the names of the fields
				t.Fatalf("%s: %s: %v", file, f.Name, err)
			}
		default:
			s.write(f.Name, f.Data)
		}
	}
	s.World = NewWorld(t, options)
	s.typ = s.block("resource").Labels[0]
	s.now = s.Provider(nil).New(s.typ)
	return s
}

// play plays the lines of a script. Indented lines are what is expected of the step before.
func (s *scenario) play(script string) {
	file := s.at
	for i, line := range strings.Split(script, "\n") {
		s.at = fmt.Sprintf("%s:%d", file, i+1)
		words := strings.Fields(line)
		switch {
		case len(words) == 0, strings.HasPrefix(words[0], "#"):
		case line[0] == ' ':
			s.expect(words[0], strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), words[0])))
		default:
			s.step(words[0], words[1:])
		}
	}
}

func (s *scenario) errorf(format string, args ...any) {
	s.t.Helper()
	s.t.Errorf("%s: %s\nstate: %v\ndiagnostics: %s\nrequests:\n%s", s.at, fmt.Sprintf(format, args...), s.now.Attrs(), s.diags, s.JournalText())
}

func (s *scenario) step(verb string, args []string) {
	s.t.Helper()
	s.before = s.now
	switch verb {
	case "configure":
		s.configure(strings.Join(args, " "))
	case "plan":
		s.ResetJournal()
		s.plan(args)
		s.diags, s.calls = s.saved.Diags, s.Counts()
	case "apply":
		s.ResetJournal()
		s.apply(args)
	case "edit":
		s.edit(args[0], args[1:])
	case "service":
		s.service(args[0], args[1:])
	default:
		s.t.Fatalf("%s: there is no verb %q", s.at, verb)
	}
}

func (s *scenario) configure(what string) {
	switch {
	case what == "nothing":
		s.config = ""
	case what == "another machine":
		s.Env["VODLIVE_RESUME_DIR"] = s.t.TempDir()
	case strings.HasPrefix(what, "VODLIVE_"):
		name, value, _ := strings.Cut(what, "=")
		s.Env[name] = value
	case s.configs[what] == nil:
		s.t.Fatalf("%s: there is no configuration %q", s.at, what)
	default:
		s.config = what
	}
}

// process starts the provider with the provider block of the configuration.
func (s *scenario) process() *Provider {
	if block := s.block("provider"); block != nil {
		return s.Provider(s.arguments(block))
	}
	return s.Provider(nil)
}

// resource is the configuration of the resource, nil for none.
func (s *scenario) resource() Attrs {
	if s.config == "" {
		return nil
	}
	return s.arguments(s.block("resource"))
}

// plan refreshes and plans, and keeps the plan.
func (s *scenario) plan(args []string) {
	s.t.Helper()
	config := s.config
	args = slices.Clone(args)
	forced := remove(&args, "replacing")
	if len(args) > 0 {
		s.configure(args[0])
	}
	p := s.process()
	s.saved = &Plan{Prior: s.now}
	if s.now.Exists() {
		s.saved.Prior, s.saved.Diags = p.Read(s.now)
	}
	if !s.saved.Diags.Failed() {
		read := s.saved.Diags
		s.saved = p.fill(&Plan{Prior: s.saved.Prior, Config: s.resource(), Forced: forced})
		s.saved.Diags = slices.Concat(read, s.saved.Diags)
	}
	s.action, s.config = s.saved.Action, config
}

// apply plans, and applies in another process. What is applied without a failure leaves no changes.
func (s *scenario) apply(args []string) {
	s.t.Helper()
	args = slices.Clone(args)
	fails, killed, saved := remove(&args, "fails"), remove(&args, "killed"), remove(&args, "saved")
	interrupted := ""
	if len(args) == 2 && args[0] == "interrupted" {
		interrupted, args = args[1], nil
	}
	if !saved {
		s.plan(args)
	}
	s.diags = s.saved.Diags
	if s.diags.Failed() {
		s.calls = s.Counts()
		if !fails {
			s.errorf("the plan fails")
		}
		return
	}
	s.saved.Config = s.resource()
	p, cancel := s.process().WithCancel()
	defer cancel()
	if interrupted != "" {
		defer s.Hook(interrupted, func(*http.Request) { cancel() })()
	}
	o, diags := p.Apply(s.saved)
	s.diags, s.calls = slices.Concat(s.diags, diags), s.Counts()
	if killed {
		p.End()
		s.lost = o
	} else {
		s.now = o
	}
	switch {
	case fails != s.diags.Failed() && !killed:
		s.errorf("the apply fails: %v", s.diags.Failed())
	case !fails && !killed && s.config != "":
		s.process().AssertNoChanges(s.now, s.resource())
	}
}

// edit changes a file, or the state.
func (s *scenario) edit(name string, content []string) {
	s.t.Helper()
	path := filepath.Join(s.folder, name)
	switch {
	case name == "state" && slices.Equal(content, []string{"untainted"}):
		s.now = s.now.Untainted()
	case slices.Equal(content, []string{"removed"}):
		if err := os.RemoveAll(path); err != nil {
			s.t.Fatalf("%s: %v", s.at, err)
		}
	case len(content) == 3 && content[0] == "random": // bytes, seed
		random := make([]byte, s.number(content[1]))
		_, _ = rand.NewChaCha8([32]byte{byte(s.number(content[2]))}).Read(random)
		s.write(name, random)
	default:
		s.write(name, []byte(strings.Join(content, " ")))
	}
}

func (s *scenario) write(name string, content []byte) {
	s.t.Helper()
	path := filepath.Join(s.folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// service says what the service does from now on.
func (s *scenario) service(what string, args []string) {
	s.t.Helper()
	switch what {
	case "stores":
		s.stored[args[0]] = s.Store(s.t)
		return
	case "recovers":
		s.ClearFaults()
		return
	case "serves":
		s.SetCustomerID(args[0])
		return
	}
	fault := simulator.Fault{Call: args[0], Processed: remove(&args, "processed")}
	if remove(&args, "once") {
		fault.Times = 1
	}
	if i := slices.Index(args, "for"); i > 0 {
		end := "/" + args[i+1]
		fault.Match = func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, end) }
		args = slices.Delete(args, i, i+2)
	}
	switch {
	case what == "breaks" && args[1] == "before":
		fault.BreakBefore = true
	case what == "breaks" && args[1] == "after":
		fault.BreakAfter = true
	case what == "answers":
		fault.Status, fault.Body = s.number(args[1]), strings.Join(args[2:], " ")
	default:
		s.t.Fatalf("%s: what does the service do?", s.at)
	}
	s.Fail(fault)
}

func (s *scenario) number(text string) int {
	s.t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		s.t.Fatalf("%s: %v", s.at, err)
	}
	return n
}

func (s *scenario) expect(what, text string) {
	s.t.Helper()
	switch what {
	case "calls":
		expected := map[string]int{}
		for pair := range strings.FieldsSeq(text) {
			name, n, counted := strings.Cut(pair, "=")
			if n == "*" {
				expected[name] = s.calls[name]
			} else if counted {
				expected[name] = s.number(n)
			}
		}
		if !maps.Equal(s.calls, expected) {
			s.errorf("the calls are %v, want %s", s.calls, text)
		}
	case "says":
		if text == "nothing" && len(s.diags) > 0 || text != "nothing" && !strings.Contains(s.diags.String(), text) {
			s.errorf("the diagnostics do not say %q", text)
		}
	case "lacks":
		if strings.Contains(s.diags.String(), text) {
			s.errorf("the diagnostics say %q", text)
		}
	case "is":
		expr, diags := hclsyntax.ParseExpression([]byte(text), s.at, hcl.InitialPos)
		if diags.HasErrors() {
			s.t.Fatalf("%s: %v", s.at, diags)
		}
		if got, diags := expr.Value(s.values()); diags.HasErrors() || !got.RawEquals(cty.True) {
			s.errorf("%s is not true: %v", text, diags)
		}
	default:
		s.t.Fatalf("%s: there is no expectation %q", s.at, what)
	}
}

// values are what expressions may refer to.
func (s *scenario) values() *hcl.EvalContext {
	objects, jobs := []any{}, []any{}
	for _, o := range s.Objects() {
		objects = append(objects, Attrs{
			"key_path": o.KeyPath, "file_name": o.FileName, "size": int(o.Size), "sha256": o.SHA256, "content_type": o.ContentType, "parts": o.Parts,
		})
	}
	for _, job := range s.Batches() {
		jobs = append(jobs, Attrs{"paths": job.Paths, "service_modes": job.ServiceModes})
	}
	planned := Attrs(nil)
	if s.saved != nil && !s.saved.Diags.Failed() {
		planned, _ = named(s.saved.Attrs()).(Attrs)
	}
	variables := map[string]cty.Value{"unknown": cty.DynamicVal}
	for name, v := range map[string]any{
		"state": s.now.Attrs(), "before": s.before.Attrs(), "lost": s.lost.Attrs(), "tainted": s.now.Tainted, "action": string(s.action),
		"planned": planned, "objects": objects, "jobs": jobs, "stored": s.stored, "folder": s.folder,
	} {
		raw, err := json.Marshal(v)
		if err != nil {
			s.t.Fatal(err)
		}
		typ, err := ctyjson.ImpliedType(raw)
		if err == nil {
			variables[name], err = ctyjson.Unmarshal(raw, typ)
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
	return &hcl.EvalContext{Variables: variables, Functions: map[string]function.Function{"length": stdlib.LengthFunc, "keys": stdlib.KeysFunc}}
}

// block is the first block of a type in the configuration, nil if there is none.
func (s *scenario) block(typ string) *hclsyntax.Block {
	s.t.Helper()
	name := cmp.Or(s.config, "main.tf")
	if s.configs[name] == nil {
		s.t.Fatalf("%s: there is no %s", s.at, name)
	}
	for _, block := range s.configs[name].Blocks {
		if block.Type == typ {
			return block
		}
	}
	return nil
}

func (s *scenario) arguments(block *hclsyntax.Block) Attrs {
	s.t.Helper()
	config := Attrs{}
	for _, a := range block.Body.Attributes {
		v, diags := a.Expr.Value(s.values())
		if diags.HasErrors() {
			s.t.Fatalf("%s: %v", s.at, diags)
		}
		config[a.Name] = fromHCL(v)
	}
	return config
}

// named has "unknown" in place of values that are not known.
func named(v any) any {
	switch v := v.(type) {
	case Attrs:
		object := Attrs{}
		for name, inner := range v {
			object[name] = named(inner)
		}
		return object
	case []any:
		items := []any{}
		for _, item := range v {
			items = append(items, named(item))
		}
		return items
	}
	if v == Unknown {
		return "unknown"
	}
	return v
}

// fromHCL is a value as Attrs have it.
func fromHCL(v cty.Value) any {
	switch typ := v.Type(); {
	case !v.IsKnown():
		return Unknown
	case v.IsNull():
		return nil
	case typ == cty.String:
		return v.AsString()
	case typ == cty.Bool:
		return v.True()
	case typ == cty.Number:
		n, _ := v.AsBigFloat().Int64()
		return int(n)
	case typ.IsObjectType(), typ.IsMapType():
		object := Attrs{}
		for name, inner := range v.AsValueMap() {
			object[name] = fromHCL(inner)
		}
		return object
	default:
		items := []any{}
		for _, item := range v.AsValueSlice() {
			items = append(items, fromHCL(item))
		}
		return items
	}
}

// remove reports whether a word is in the list, and takes it out.
func remove(words *[]string, word string) bool {
	i := slices.Index(*words, word)
	if i >= 0 {
		*words = slices.Delete(*words, i, i+1)
	}
	return i >= 0
}
