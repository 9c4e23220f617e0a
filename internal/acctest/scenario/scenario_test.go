package scenario

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"golang.org/x/tools/txtar"
)

// recorder keeps the failures of a scenario.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	failures []string
}

func (r *recorder) Helper() {}

func (r *recorder) Error(args ...any) { r.Errorf("%s", fmt.Sprint(args...)) }

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatal(args ...any) { r.Fatalf("%s", fmt.Sprint(args...)) }

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// failures plays a script and returns what fails, by case.
func failures(t *testing.T, script string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for name, lines := range parse("script", script) {
		synctest.Test(t, func(t *testing.T) { all[name] = failuresOf(t, lines, nil) })
	}
	return all
}

func failuresOf(t *testing.T, lines []line, cli *realCLI) []string {
	t.Helper()
	r, done := &recorder{TB: t}, make(chan struct{})
	go func() {
		defer close(done)
		s := newScenario(r, "script", txtar.Parse([]byte(files)))
		s.cli = cli
		s.play(lines)
	}()
	<-done
	return r.failures
}

const files = `
-- main.tf --
provider "vodlive" {
  max_retries = 0
}
resource "vodlive_live_session" "match" {
  name         = "match"
  region       = "eu-central-1"
  input        = "RTMP_PUSH"
  mode         = "NORM"
  output_mode  = "RTMP_PULL"
  input_preset = { resolution = "HD", bitrate = "MAX_10_MBPS" }
}
-- other.tf --
resource "vodlive_live_session" "match" {
  name = "match"
}
`

// TestWrongScenarios has scenarios that must fail, and the part of a failure that says why.
func TestWrongScenarios(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"":                                       "no step",
		"aply":                                   `no verb "aply"`,
		"apply quickly":                          `what is ["quickly"]`,
		"plan saved":                             `what is ["saved"]`,
		"  says nothing":                         "of no step",
		"apply\n  say nothing":                   `no expectation "say"`,
		"apply\n  says":                          "nothing is expected",
		"apply\n  says no such text":             `do not say "no such text"`,
		"apply\n  calls none":                    "the calls are map[",
		"apply\n  calls regions=1":               "the calls are map[",
		"apply\n  calls nonesuch=1":              `no call "nonesuch"`,
		"apply\n  calls regions":                 "invalid syntax",
		"plan\n  calls regions=1 batch=*":        "the calls are map[",
		"apply\n  is state.name == \"other\"":    "is not true",
		"apply\n  is state.nonesuch == 1":        "Unsupported attribute",
		"apply\n  took 1h":                       "it took ",
		"apply\n  says ${nonesuch}":              "Unknown variable",
		"apply interrupted nonesuch":             `no call "nonesuch"`,
		"configure third.tf":                     `no configuration "third.tf"`,
		"service sings":                          "what does the service do?",
		"service fails nonesuch {status = 500}":  `no call "nonesuch"`,
		"service fails batch {stauts = 500}":     `unknown field "stauts"`,
		"service fails batch {delay = \"long\"}": "cannot unmarshal string",
		"simulator {status = 1}":                 `unknown field "status"`,
		"wait 1s\nsimulator {page_size = 1}":     "runs already",
		"after 1s edit a b":                      `unknown unit`,
		"apply\ncase":                            `no verb "case"`,
		"every case":                             `no verb "every"`,
		"case a\napply\ncase a\nplan":            `no verb "case"`,
		"case a\napply\nevery case\nplan\ncase":  `no verb "case"`,
		"edit records nonesuch => x":             "no file has nonesuch",
		"edit a.tf from nonesuch.md x":           "nonesuch.md",
		"needs 1.7.0 1.10.0":                     "only a CLI has releases",
		"edit a.mp4 renamed b.mp4":               "rename",
		"apply\n  is logged(\"nonesuch\")":       "is not true",
		"apply\n  is !kept(\"eu-central-1\")":    "is not true",
		"apply\n  is others.second.id == null":   "Unsupported attribute",
		"apply\n  reads a.mp4":                   "it reads []",
		"invoke nonesuch {}":                     "has no action nonesuch",
		"apply\n  hides nonesuch":                "not true that",

		"service refuses connections\napply fails": "says, too: error",
		"service refuses connections\napply":       "apply fails: true, want false",
		"apply fails":                              "apply fails: false, want true",
		"service refuses connections\napply fails\n  says Creating the live session failed": "says, too: warning",
		"service refuses connections\napply fails\n  says nothing":                          "says, too: error",
		"apply\ndestroy\n  says nothing":                                                    "says, too: warning",
		"apply\ndestroy\n  lacks keeps running":                                             `say "keeps running"`,
		"apply\ndestroy\n  says but keeps running ... was removed":                          "do not say",
		"service fails get-session {rewrite = {nonesuch = \"zzz\"}}\napply":                 "has no nonesuch",
		"invoke fails vodlive_submit_batch_job {}\n  shows nonesuch":                        `shows "nonesuch"`,
		"configure {timeouts = {create = \"1s\"}}\nsimulator {}":                            "runs already",
		"configure {replace_on_status = [\"READY\"]}\napply":                                "the next plan is to",
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			failed := []string{}
			for _, more := range failures(t, script) {
				failed = append(failed, more...)
			}
			if !slices.ContainsFunc(failed, func(text string) bool { return strings.Contains(text, want) }) {
				t.Errorf("%q fails with %q, want %q", script, failed, want)
			}
		})
	}
}

// TestWrongScenariosWithCLI is TestWrongScenarios with a real CLI.
func TestWrongScenariosWithCLI(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"plan\n  shows nonesuch":                             `shows "nonesuch"`,
		"plan\n  hides 1 to add":                             `hides "1 to add"`,
		"plan\n  shows 0 to change ... 1 to add":             `shows "0 to change ... 1 to add"`,
		"plan fails":                                         "exit code 0",
		"plan killed":                                        `what is ["killed"]`,
		"open vodlive_session":                               `no verb "open"`,
		"edit state gone":                                    `edit the state to "gone"`,
		"edit state {name = \"a\"}":                          "cannot edit the state",
		"resource second":                                    "write the other resource into a file",
		"plan {region = unknown}":                            "not with an object",
		"plan\n  is planned == null":                         "Unknown variable",
		"plan\n  is !logged(\"x\")":                          "Call to unknown function",
		"apply\n  is state == null":                          "is not true",
		"service fails create-session {status = 403}\napply": "exit code 1",
		"service fails create-session {status = 403}\napply fails\n  says nothing": "says, too: error",
		"configure {replace_on_status = [\"READY\", \"ERROR\"]}\napply":            "the plan is not empty",
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			failed := failuresOf(t, parse("script", script)[""], &realCLI{})
			if !slices.ContainsFunc(failed, func(text string) bool { return strings.Contains(text, want) }) {
				t.Errorf("%q fails with %q, want %q", script, failed, want)
			}
		})
	}
}

// TestCases: each case plays the first lines, its own, and the last ones.
func TestCases(t *testing.T) {
	t.Parallel()
	got := failures(t, `
# A comment.
apply
case one
configure {name = "one"}
apply
case two
configure {name = "two"}
plan
every case
  is planned.name == "one"
`)
	if len(got) != 2 || len(got["one"]) != 0 || len(got["two"]) != 1 || !strings.HasPrefix(got["two"][0], `script:11: planned.name == "one" is not true`) {
		t.Errorf("got %q", got)
	}
}
