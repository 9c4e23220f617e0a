package scenario

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
)

// realCLI is what a scenario has of a real CLI.
type realCLI struct {
	*acctest.CLI
	resource []string                    // type and name of the first resource of the configuration
	before   map[string]acctest.Resource // the last step, by address
	output   string                      // of the last step
}

// commands are the verbs that a CLI has.
var commands = map[string][]string{
	"plan": {"plan", "-out=saved.plan"}, "apply": {"apply", "-auto-approve"}, "destroy": {"destroy", "-auto-approve"},
	"refresh": {"apply", "-refresh-only", "-auto-approve"}, "import": {"import"}, "validate": {"validate"}, "get": {"get"}, "test": {"test"},
}

func (c *realCLI) address() string { return strings.Join(c.resource, ".") }

// configureCLI writes the configuration, and its changes as a file that overrides it.
func (s *scenario) configureCLI() {
	s.cli.Config(s.texts[s.config])
	if block := s.block("resource"); block != nil {
		s.cli.resource = block.Labels
	}
	override := map[string]any{}
	if len(s.provider) > 0 {
		override["provider"] = map[string]any{"vodlive": s.provider}
	}
	if len(s.changes) > 0 {
		override["resource"] = map[string]any{s.cli.resource[0]: map[string]any{s.cli.resource[1]: s.changes}}
	}
	text, err := json.Marshal(override)
	s.must(err)
	s.write("override.tf.json", text)
}

// run plays a step.
func (s *scenario) run(verb, text string, w *wordsOf, fails bool) {
	args := commands[verb]
	switch {
	case args == nil || strings.Contains(text, "{"):
		s.t.Fatalf("%s: the CLI has no verb %q, or not with an object", s.at, verb)
	case verb == "import":
		args, w.words = []string{verb, s.cli.address(), s.text(strings.TrimPrefix(text, "fails "))}, nil
	case w.take("saved"):
		args = []string{verb, "saved.plan"}
	case w.take("replacing"):
		w.words = append(w.words, "-replace="+s.cli.address())
	}
	unsettled, interrupt := w.take("unsettled"), w.interrupted()
	for len(w.words) > 0 && strings.HasPrefix(w.words[len(w.words)-1], "-") {
		args = append(slices.Clip(args), w.next())
	}
	s.configureCLI()
	s.cli.before = s.cli.State()
	var r acctest.Result
	if interrupt == "" {
		r = s.cli.Run(args...)
	} else {
		started := make(chan *acctest.Process, 1)
		signal := sync.OnceFunc(func() { (<-started).Signal(os.Interrupt) })
		defer s.Hook(s.call(interrupt), func(*http.Request) { signal() })()
		p := s.cli.Start(args...)
		started <- p
		r = p.Wait()
	}
	s.cli.output, s.diags, s.calls = r.Flat(), r.Diagnostics(), s.Counts()
	s.silent = interrupt != "" // Terraform ends an interrupted run with an error since 1.14
	if !s.silent && fails == (r.Code == 0) {
		s.t.Fatalf("%s: exit code %d\n%s", s.at, r.Code, r.Output)
	}
	if verb == "apply" && !fails && !unsettled && interrupt == "" {
		s.cli.AssertNoChanges()
	}
}

// editState changes the state by a command of the CLI.
func (s *scenario) editState(to string) {
	command := map[string][]string{"tainted": {"taint"}, "untainted": {"untaint"}, "removed": {"state", "rm"}}[to]
	if command == nil {
		s.t.Fatalf("%s: the CLI cannot edit the state to %q", s.at, to)
	}
	s.cli.Must(append(command, s.cli.address())...)
}

// variableOfCLI has what expressions refer to otherwise with a CLI, and, as nil, what they cannot.
var variableOfCLI = map[string]func(c *realCLI) any{
	"action": nil, "data": nil, "identity": nil, "lost": nil, "planned": nil, "vod": nil,
	"state":   func(c *realCLI) any { return c.State()[c.address()].Values },
	"tainted": func(c *realCLI) any { return c.State()[c.address()].Tainted },
	"before":  func(c *realCLI) any { return c.before[c.address()].Values },
	"others": func(c *realCLI) any {
		others := map[string]any{}
		for address, r := range c.State() {
			others[address] = r.Values
		}
		return others
	},
}
