package scenario

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"golang.org/x/tools/txtar"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// scenario is one that is being played.
type scenario struct {
	*acctest.World // nil before the first step
	t              testing.TB
	at             string // file and line
	options        simulator.Options
	configs        map[string]*hclsyntax.Body
	texts          map[string]string // of configs
	folder         string            // of the files
	stored         acctest.Attrs     // key paths of files that the service stored without the provider

	config   string        // name of the configuration
	changes  acctest.Attrs // of its resource
	provider acctest.Attrs // changes of its provider block
	now      acctest.Instance
	resource string                      // the name of now
	others   map[string]acctest.Instance // by name
	saved    *acctest.Plan               // the last plan; nil: it had errors

	cli *realCLI // plays the steps; nil: a provider in process does

	// What expectations are about: the last step.
	step     string // its verb; "" before the first one
	stepAt   string
	before   acctest.Instance
	lost     acctest.Instance // result of the last run that was killed
	data     acctest.Attrs
	progress []string // of an action
	diags    acctest.Diagnostics
	said     []bool // of each diagnostic
	silent   bool   // errors need not be said
	any      bool   // something is said
	calls    map[string]int
	reads    sync.Map // names of files
	took     time.Duration
}

func at(file string, line int) string { return fmt.Sprintf("%s:%d", file, line) }

func newScenario(t testing.TB, file string, archive *txtar.Archive) *scenario {
	t.Helper()
	s := &scenario{t: t, at: file, configs: map[string]*hclsyntax.Body{}, texts: map[string]string{}, folder: t.TempDir(), stored: acctest.Attrs{}, resource: "first", others: map[string]acctest.Instance{}}
	for _, f := range archive.Files {
		if filepath.Ext(f.Name) == ".tf" && !strings.Contains(f.Name, "/") {
			s.parse(f.Name, f.Data)
		} else {
			s.write(f.Name, f.Data)
		}
	}
	shared, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "*.tf"))
	for _, path := range shared {
		if name := filepath.Base(path); s.configs[name] == nil {
			text, err := os.ReadFile(path)
			s.must(err)
			s.parse(name, text)
		}
	}
	s.configure("main.tf")
	return s
}

func (s *scenario) parse(name string, text []byte) {
	parsed, diags := hclsyntax.ParseConfig(text, name, hcl.InitialPos)
	if diags.HasErrors() {
		s.t.Fatalf("%s: %v", s.at, diags)
	}
	s.configs[name], _ = parsed.Body.(*hclsyntax.Body)
	s.texts[name] = string(text)
}

func (s *scenario) play(lines []line) {
	for _, l := range lines {
		if s.at = l.at; l.expected {
			s.expect(l.word, l.rest)
			continue
		}
		s.unsaid()
		s.do(l.word, l.rest)
	}
	s.unsaid()
	if s.step == "" {
		s.t.Errorf("%s: the scenario has no step", s.at)
	}
}

func (s *scenario) errorf(format string, args ...any) {
	shown := fmt.Sprintf("state: %v\ndiagnostics:\n%s", s.now.Attrs(), s.diags)
	if s.cli != nil {
		shown = s.cli.output
	}
	s.t.Errorf("%s: %s\n%s\nrequests:\n%s", s.at, fmt.Sprintf(format, args...), shown, s.JournalText())
}

// do plays a step.
func (s *scenario) do(verb, text string) {
	words, object, _ := strings.Cut(text, "{")
	if object != "" {
		object = "{" + object
	}
	w := &wordsOf{s: s, words: strings.Fields(words)}
	if verb == "simulator" {
		if s.World != nil {
			s.t.Fatalf("%s: the service runs already", s.at)
		}
		s.fill(&s.options, s.object(object))
		return
	}
	switch {
	case s.World != nil:
	case s.cli != nil:
		s.cli.CLI = acctest.NewCLI(s.t, acctest.Start(s.t, s.options))
		s.cli.Dir, s.World = s.folder, s.cli.World()
		s.configureCLI()
	default:
		s.World = acctest.NewWorld(s.t, s.options)
		s.OnRead = s.noteRead
		s.now = s.Provider(nil).New(s.block("resource").Labels[0])
	}
	if verb == "resource" && s.cli != nil {
		s.t.Fatalf("%s: write the other resource into a file, for a CLI", s.at)
	}
	s.step, s.stepAt, s.before, s.diags, s.said, s.any, s.silent, s.calls = verb, s.at, s.now, nil, nil, false, false, nil
	s.reads.Clear()
	began := time.Now()
	switch verb {
	case "configure":
		s.configure(text)
		return
	case "edit":
		if object != "" && s.cli == nil && strings.HasPrefix(text, "state ") {
			s.now.State = acctest.Value(s.now.State.Type(), s.now.Attrs().With(s.object(object)))
		} else {
			w.words = strings.Fields(text)
			s.edit(w.words[0], w.words[1:])
		}
		return
	case "needs":
		if s.cli == nil {
			s.t.Fatalf("%s: only a CLI has releases", s.at)
		}
		terraform, tofu, _ := strings.Cut(text, " ")
		s.cli.SkipBelow("the scenario", terraform, tofu)
		return
	case "resource":
		s.others[s.resource], s.resource = s.now, text
		if o, made := s.others[text]; made {
			s.now = o
		} else {
			s.now = s.Provider(nil).New(s.now.Type)
		}
		return
	case "service":
		s.service(text)()
		return
	case "after":
		delay, later, _ := strings.Cut(text, " service ")
		time.AfterFunc(s.duration(delay), s.service(later))
		return
	case "wait":
		if text == "settled" {
			<-time.After(acctest.Settling(s.t))
			return
		}
		<-time.After(s.duration(text))
		return
	}
	s.ResetJournal()
	fails := w.take("fails")
	if s.cli != nil {
		s.run(verb, text, w, fails)
	} else {
		s.drive(verb, text, object, w, fails)
	}
	if s.calls == nil {
		s.calls = s.Counts()
	}
	s.said, s.took = make([]bool, len(s.diags)), time.Since(began)
	if len(w.words) > 0 {
		s.t.Fatalf("%s: what is %q?", s.at, w.words)
	}
	if fails != s.diags.Failed() && !s.silent {
		s.errorf("%s fails: %t, want %t", verb, !fails, fails)
	}
}

// noteRead notes a file in ${folder} that is read.
func (s *scenario) noteRead(path string) {
	if name, err := filepath.Rel(s.folder, path); err == nil && filepath.IsLocal(name) {
		s.reads.Store(filepath.ToSlash(name), true)
	}
}

// drive plays a step with a provider in process.
func (s *scenario) drive(verb, text, object string, w *wordsOf, fails bool) {
	switch verb {
	case "plan":
		s.plan(w, object)
	case "destroy":
		w.words = append(w.words, "destroying")
		s.apply(w, object, fails)
	case "apply":
		s.apply(w, object, fails)
	case "import":
		w.words = nil
		var o acctest.Instance
		if p := s.process(); object != "" {
			o, s.diags = p.ImportIdentity(s.now.Type, s.object(object))
		} else {
			o, s.diags = p.Import(s.now.Type, s.text(strings.TrimPrefix(text, "fails ")))
		}
		if !s.diags.Failed() {
			s.now = o
		}
	case "refresh":
		p, end := s.interruptible(w)
		defer end()
		s.now, s.diags = p.Read(s.now)
	case "invoke":
		p, end := s.interruptible(w)
		defer end()
		config := acctest.Attrs{}
		if block := s.block("action"); block != nil {
			config = s.arguments(block.Body.Blocks[0].Body)
		}
		if object != "" {
			config = config.With(s.object(object))
		}
		if w.take("planned") {
			s.diags = p.PlanAction(w.next(), config)
		} else {
			s.progress, s.diags = p.Invoke(w.next(), config)
		}
	case "read", "open":
		p, typ := s.process(), w.next()
		read := p.DataSource
		if verb == "open" {
			read = p.Open
		}
		config := acctest.Attrs(nil)
		if object != "" {
			config = s.object(object)
		}
		s.data, s.diags = read(typ, config)
	default:
		s.t.Fatalf("%s: there is no verb %q", s.at, verb)
	}
}

// unsaid fails the test if the last step has a diagnostic that the scenario does not say.
func (s *scenario) unsaid() {
	for i, d := range s.diags {
		if !s.said[i] && !s.silent && (s.any || acctest.Diagnostics{d}.Failed()) {
			s.t.Errorf("%s: the step says, too: %s", s.stepAt, acctest.Diagnostics{d})
		}
	}
	s.diags = nil
}

func (s *scenario) configure(what string) {
	name, value, _ := strings.Cut(what, "=")
	switch {
	case strings.HasPrefix(what, "{"):
		s.changes = s.changes.With(s.object(what))
	case strings.HasPrefix(what, "provider {"):
		s.provider = s.provider.With(s.object(strings.TrimPrefix(what, "provider ")))
	case what == "another machine":
		s.Env["VODLIVE_RESUME_DIR"] = s.t.TempDir()
	case strings.HasSuffix(what, " removed"):
		delete(s.Env, strings.TrimSuffix(what, " removed"))
	case variableName.MatchString(name):
		s.Env[name] = s.template(value)
	case s.configs[what] == nil:
		s.t.Fatalf("%s: there is no configuration %q", s.at, what)
	default:
		s.config, s.changes, s.provider = what, acctest.Attrs{}, acctest.Attrs{}
		if s.cli != nil {
			return
		}
		if s.World != nil && !s.now.Exists() {
			s.now = s.Provider(nil).New(s.block("resource").Labels[0])
		}
	}
}

// process starts the provider with the provider block of the configuration.
func (s *scenario) process() *acctest.Provider {
	config := s.provider
	if block := s.block("provider"); block != nil {
		config = s.arguments(block.Body).With(config)
	}
	return s.Provider(config)
}

// configured is the configuration of the resource.
func (s *scenario) configured() acctest.Attrs {
	return s.arguments(s.block("resource").Body).With(s.changes)
}

// plan refreshes and plans, and keeps the plan.
func (s *scenario) plan(w *wordsOf, object string) {
	forced, destroying, first, stale := w.take("replacing"), w.take("destroying"), w.take("creating-first"), w.take("unrefreshed")
	config := s.configured()
	if object != "" {
		config = config.With(s.object(object))
	}
	if destroying {
		config = nil
	}
	p, prior := s.process(), s.now
	var read acctest.Diagnostics
	if prior.Exists() && !stale {
		prior, read = p.Read(prior)
	}
	s.saved = nil
	if s.diags = read; read.Failed() {
		return
	}
	plan := p.Plan
	if forced {
		plan = p.PlanReplace
	}
	pl := plan(prior, config)
	pl.CreateBeforeDestroy = first
	if s.diags = slices.Concat(read, pl.Diags); !pl.Diags.Failed() {
		s.saved = pl
	}
}

// apply plans, and applies in another process.
func (s *scenario) apply(w *wordsOf, object string, fails bool) {
	killed, unsettled := w.take("killed"), w.take("unsettled")
	if !w.take("saved") {
		s.plan(w, object)
	}
	if s.saved == nil {
		return
	}
	if s.saved.Config != nil {
		s.saved.Config = s.configured()
	}
	p, end := s.interruptible(w)
	defer end()
	o, diags := p.Apply(s.saved)
	s.diags, s.calls, s.silent = slices.Concat(s.diags, diags), s.Counts(), killed
	switch {
	case killed:
		s.lost = o
		return
	case !fails && !diags.Failed() && !unsettled && s.saved.Config != nil:
		s.settled(o)
	}
	s.now = o
}

// settled fails the test if something is left to do. The next step refreshes again.
func (s *scenario) settled(o acctest.Instance) {
	p := s.process()
	o, diags := p.Read(o)
	pl := p.Plan(o, s.configured())
	if diags = slices.Concat(diags, pl.Diags); pl.Action != acctest.NoOp || len(diags) > 0 {
		s.errorf("the next plan is to %s %v: %s\n%v\n%v", pl.Action, pl.Replaces, diags, o.Attrs(), pl.Attrs())
	}
}

// interruptible starts a process, which is interrupted if the words say so, until end is called.
func (s *scenario) interruptible(w *wordsOf) (p *acctest.Provider, end func()) {
	when := w.interrupted()
	p, cancel := s.process().WithCancel()
	if when == "" {
		return p, cancel
	}
	if after, err := time.ParseDuration(when); err == nil {
		timer := time.AfterFunc(after, cancel)
		return p, func() { timer.Stop(); cancel() }
	}
	remove := s.Hook(s.call(when), func(*http.Request) { cancel() })
	return p, func() { remove(); cancel() }
}

// edit changes a file, or the state.
func (s *scenario) edit(name string, content []string) {
	if name == "unnoticed" {
		path := filepath.Join(s.folder, content[0])
		info, err := os.Stat(path)
		s.edit(content[0], content[1:])
		if err == nil {
			err = os.Chtimes(path, time.Time{}, info.ModTime())
		}
		s.must(err)
		return
	}
	path := filepath.Join(s.folder, name)
	switch {
	case name == "records":
		s.editFiles(strings.Join(content, " "), s.records("*-*"))
	case name == "state" && s.cli != nil:
		s.editState(strings.Join(content, " "))
	case name == "state" && slices.Equal(content, []string{"removed"}):
		s.now = s.Provider(nil).New(s.now.Type)
	case name == "state" && slices.Equal(content, []string{"unidentified"}):
		s.now.Identity = nil
	case name == "state" && len(content) == 1 && strings.HasSuffix(content[0], "tainted"):
		s.now.Tainted = content[0] == "tainted"
	case slices.Equal(content, []string{"removed"}):
		matches, err := filepath.Glob(path)
		s.must(err)
		for _, match := range matches {
			s.must(os.RemoveAll(match))
		}
	case len(content) >= 3 && content[0] == "changed" && slices.Contains(content, "=>"):
		s.editFiles(strings.Join(content[1:], " "), []string{path})
	case len(content) >= 3 && content[0] == "from":
		s.write(name, []byte(s.ofPage(content[1], strings.Join(content[2:], " "))))
	case len(content) == 2 && content[0] == "renamed":
		s.must(os.Rename(path, filepath.Join(s.folder, s.template(content[1]))))
	case len(content) == 2 && content[0] == "linked":
		s.must(os.MkdirAll(filepath.Dir(path), 0o700))
		s.must(os.Symlink(s.template(content[1]), path))
	case len(content) == 2 && content[0] == "sized":
		s.must(os.Truncate(path, int64(s.number(content[1]))))
	case len(content) >= 3 && content[0] == "random": // bytes, seed, and what is at the end
		random := make([]byte, s.number(content[1]))
		_, _ = rand.NewChaCha8([32]byte{byte(s.number(content[2]))}).Read(random)
		end := strings.Join(content[3:], " ")
		copy(random[max(len(random)-len(end), 0):], end)
		s.write(name, random)
	default:
		s.write(name, []byte(s.template(strings.Join(content, " "))))
	}
}

func (s *scenario) write(name string, content []byte) {
	acctest.WriteFile(s.t, filepath.Join(s.folder, name), string(content))
}

// records are the files that the provider keeps on this machine.
func (s *scenario) records(pattern string) []string {
	names, _ := filepath.Glob(filepath.Join(s.Env["VODLIVE_RESUME_DIR"], resume.Folder, pattern))
	return names
}

// editFiles replaces what a regular expression finds in files, which must be in one of them.
func (s *scenario) editFiles(edit string, names []string) {
	pattern, with, _ := strings.Cut(edit+" ", " => ")
	old, found := regexp.MustCompile(pattern), false
	for _, name := range names {
		content, err := os.ReadFile(name)
		s.must(err)
		found = found || old.Match(content)
		s.must(os.WriteFile(name, old.ReplaceAll(content, []byte(strings.TrimSpace(with))), 0o600))
	}
	if !found {
		s.t.Fatalf("%s: no file has %s", s.at, pattern)
	}
}

// variableName is that of a variable of the environment.
var variableName = regexp.MustCompile(`^[A-Z][A-Z_]+$`)

// fenced is a configuration in a page.
var fenced = regexp.MustCompile("(?s)```(?:terraform|hcl)\n(.*?)```")

// ofPage is the first configuration of a page that has a text.
func (s *scenario) ofPage(page, text string) string {
	content, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
	s.must(err)
	for _, block := range fenced.FindAllStringSubmatch(string(content), -1) {
		if strings.Contains(block[1], text) {
			return block[1]
		}
	}
	s.t.Fatalf("%s: no configuration of %s has %q", s.at, page, text)
	return ""
}

func (s *scenario) must(err error) {
	if err != nil {
		s.t.Fatalf("%s: %v", s.at, err)
	}
}
