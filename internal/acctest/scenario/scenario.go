// Package scenario plays life cycles that are written as text. A scenario is a file
// testdata/scenarios/NAME.txtar beside the package that owns the behavior, and its name says the
// behavior. Above the files of the archive is a script, a step a line. The indented lines below a
// step are what must hold after it. A line that begins with # is a comment.
//
// A line "case NAME" begins a case. Each case is played in a world, and in a bubble of
// testing/synctest, of its own: first the lines above the first case, then its own.
//
// # Steps
//
//	configure other.tf            the configuration, of the archive or the folder; at first main.tf
//	configure {name = "other"}    changes arguments of the resource; an object is merged
//	configure provider {...}      changes arguments of the provider block
//	configure VODLIVE_NAME=value  the environment; also: configure NAME removed, or another machine
//	plan                          refreshes and plans, with a new provider process
//	apply                         plans, and applies with another process
//	destroy                       is apply destroying
//	import EXPRESSION             imports by id; import {key_path = "..."}: by identity
//	refresh                       refreshes the state
//	read TYPE {...}               reads a data source into data; open TYPE: an ephemeral resource
//	invoke TYPE {...}             plans and invokes an action; invoke planned TYPE: plans it; the
//	                              object is merged with the block "config" of an action that the
//	                              configuration has
//	edit a.mp4 other content      a file in ${folder}; also: edit a.mp4 random BYTES SEED (and what
//	                              is at its end), renamed b.mp4, linked TARGET, sized BYTES, or
//	                              removed; edit unnoticed a.mp4 ... keeps its modification time
//	edit a.tf from PAGE TEXT      the first configuration of a page below docs that has a text
//	edit a.tf changed a+ => b     what a regular expression finds in a file
//	edit state untainted          the state; also: tainted, removed, unidentified (as a CLI without
//	                              identities keeps it), or an object, which is merged
//	edit records a+ => b          what the provider keeps on this machine: of a regular expression
//	resource second               goes on with another resource of the configuration; at first "first"
//	wait 1h                       time passes; wait settled: until no file may still change unseen
//	after 12s service ...         does this later
//
// Words after a verb: "fails" (then it must); for plan and apply, "replacing", "destroying",
// "creating-first" (create_before_destroy) and "unrefreshed", and arguments with which only the
// plan is made: apply {region = unknown}; for apply, "saved" (applies the last plan), "killed" (the
// result reaches no state), "interrupted CALL" (when this call arrives) or "interrupted 10s" (also
// for refresh and invoke), and "unsettled": without it, nothing may be left to do after an apply
// without errors.
//
// A line "real CLI" has a terraform or tofu play the steps plan, apply, destroy, import, refresh,
// validate, get and test, with the words "fails", "replacing", "saved", "interrupted CALL",
// "unsettled", and options: plan -destroy. There may be several resources, also in files that "edit
// more.tf" writes: state is that of the first one of the configuration, others has all by address.
// "edit state" knows tainted, untainted and removed. There is no virtual time, and no plan,
// identity or log to look at. The step "needs 1.7.0 1.10.0" skips an older Terraform or OpenTofu.
//
// What the service does:
//
//	simulator {status_path = ["READY"]}        options of the simulator; above all other steps
//	service fails get-session {status = 404}   see simulator.Fault; rewrite = {"text" = "its place"}
//	service recovers                           ends all faults
//	service has {name = "match"}               a session, which the provider did not make
//	service sets EXPRESSION STATUS             the status of a session
//	service removes EXPRESSION                 a session
//	service stores one                         a file, whose key path is stored.one
//	service serves CUSTOMER                    the customer of the credentials
//	service drops uploads                      all that are not finished, as a lifecycle rule does
//	service refuses connections
//
// # Expectations
//
//	calls batch=1    all calls of the step, or "none"; =* is one or more
//	says TEXT        a diagnostic has the text; ${EXPRESSION} is replaced, and "..." is any text
//	lacks TEXT       none has it
//	shows TEXT       the output of the CLI, or the progress of an action, has it, with "..." as
//	                 above; hides TEXT: it has not
//	is EXPRESSION    is true
//	reads a.mp4      the files in ${folder} that the provider reads, or "none"
//	took 30s         of virtual time, up to a second more; or: took 30s to 45s
//
// A diagnostic is "severity path: summary: detail", with single spaces. Each error must be said.
// A step that says anything says all, warnings, too; "says nothing" means none.
//
// Expressions are HCL, over state, planned (with "unknown" for what is not known), before (the
// state before the step), others (states, by the names of resources), lost (what a killed run
// made), tainted, identity, calls, action, data, sessions, objects, uploads (those that are not
// finished), records (their files), jobs, stored and folder. Of a text there are sha256 and
// base64encode, and filesha256 is that of a file in ${folder}. logged("TEXT") tells whether the
// provider's log has a text, kept("TEXT") whether the state has one.
package scenario

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"golang.org/x/tools/txtar"
)

// withCLI is a line above the steps of a scenario that a CLI plays.
const withCLI = "real CLI"

// Play plays all scenarios of a package.
func Play(t *testing.T) {
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
			for name, lines := range parse(file, string(archive.Comment)) {
				if name == "" {
					playCase(t, file, archive, lines)
					continue
				}
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					playCase(t, file, archive, lines)
				})
			}
		})
	}
}

// playCase plays a case, or a scenario without cases, where the marks above its steps say.
func playCase(t *testing.T, file string, archive *txtar.Archive, lines []line) {
	t.Helper()
	if slices.Contains(strings.Split(string(archive.Comment), "\n"), withCLI) {
		s := newScenario(t, file, archive)
		s.cli = &realCLI{}
		s.play(lines)
		return
	}
	synctest.Test(t, func(t *testing.T) {
		newScenario(t, file, archive).play(lines)
	})
}

// line is a line of a script.
type line struct {
	at       string // file and line
	expected bool   // indented
	word     string
	rest     string
}

// parse returns the lines of each case; "" is a script without cases.
func parse(file, script string) map[string][]line {
	var first, last []line
	cases, name, closed := map[string][]line{}, "", false
	for i, text := range strings.Split(script, "\n") {
		trimmed := strings.TrimSpace(text)
		word, rest, _ := strings.Cut(trimmed, " ")
		l := line{at: at(file, i+1), expected: strings.HasPrefix(text, " "), word: word, rest: strings.TrimSpace(rest)}
		switch {
		case trimmed == "", strings.HasPrefix(trimmed, "#"), text == withCLI:
		case word == "case" && !l.expected && !closed && l.rest != "" && cases[l.rest] == nil:
			name = l.rest
			cases[name] = slices.Clone(first)
		case trimmed == "every case" && name != "" && !l.expected && !closed:
			closed = true
		case closed:
			last = append(last, l)
		case name == "":
			first = append(first, l)
		default:
			cases[name] = append(cases[name], l) // also a wrong "case", which is no verb
		}
	}
	if name == "" {
		return map[string][]line{"": first}
	}
	for name := range cases {
		cases[name] = append(cases[name], last...)
	}
	return cases
}
