// Package stage says which tests `make test` runs with the race detector.
package stage

import (
	"flag"
	"os"
	"strings"
	"sync"
	"testing"
)

// `make test` runs the tests in two stages, and `make test-tofu` those of a third one.
// VODLIVE_TEST_STAGE names the stage. Without it, every test runs.
const (
	// stageRace has the tests in virtual time, with the race detector.
	stageRace = "race"
	// stageRest has the others, without it: a CLI starts the provider as a process of its own, in
	// which the detector of the test's process sees nothing, and large amounts take it ten times as
	// long. Of the cases of a scenario, one shows the races. `make test ARGS=-race` has all tests
	// in one stage, with it. See Attaches.
	stageRest = "rest"
	// stageCLI has the tests that start a CLI.
	stageCLI = "cli"
)

func current() string { return os.Getenv("VODLIVE_TEST_STAGE") }

// marks are the names of running tests.
type marks struct{ names sync.Map }

func (m *marks) add(tb testing.TB) {
	tb.Helper()
	name := tb.Name()
	m.names.Store(name, true)
	tb.Cleanup(func() { m.names.Delete(name) })
}

// has tells whether the test, or one that it is a part of, was added.
func (m *marks) has(tb testing.TB) bool {
	tb.Helper()
	for name := tb.Name(); ; {
		if _, ok := m.names.Load(name); ok {
			return true
		}
		i := strings.LastIndexByte(name, '/')
		if i < 0 {
			return false
		}
		name = name[:i]
	}
}

var (
	virtual marks // tests that have a world or a provider in process
	chosen  marks // tests that belong to the stage for another reason than these
)

// Attaches tells whether CLIs use a provider that tests start for each run. A CLI itself starts one
// for each of its phases, four for an apply, and most of their processor time goes into the keys
// of the connections between them.
func Attaches() bool { return current() == stageRest }

// StartsCLI skips a test that starts a CLI in a stage without one.
func StartsCLI(tb testing.TB) {
	tb.Helper()
	switch {
	case testing.Short():
		tb.Skip("needs a CLI, which takes a second a run: left out by -short")
	case current() == stageRace:
		tb.Skip("starts a CLI: make test runs it without the race detector")
	case virtual.has(tb):
		// In the stages with a CLI, the world would already have skipped the test.
		tb.Fatal("the service of a CLI must be started before any world or provider in process")
	}
	chosen.add(tb)
}

// InProcess skips a test that starts no CLI in a stage of those that do.
func InProcess(tb testing.TB) {
	tb.Helper()
	if s := current(); (s == stageRest || s == stageCLI) && !chosen.has(tb) {
		tb.Skip("starts no CLI: make test runs it with the race detector")
	}
	virtual.add(tb)
}

// Large marks a test of large amounts: `make test` runs it without the race detector. What it runs
// through needs another test, of small amounts, which looks for races. A test calls it before its
// world.
func Large(tb testing.TB) {
	tb.Helper()
	switch current() {
	case stageRace:
		tb.Skip("large amounts: make test runs it without the race detector")
	case stageCLI:
		tb.Skip("starts no CLI")
	}
	chosen.add(tb)
}

// Main runs the tests of a package in which no test has a world. large are the names of the tests
// that Large would mark.
func Main(m *testing.M, large ...string) {
	pattern := "^(" + strings.Join(large, "|") + ")$"
	switch current() {
	case stageRace:
		set("test.skip", pattern)
	case stageRest:
		set("test.run", pattern)
	}
	m.Run()
}

func set(name, value string) {
	if err := flag.Set(name, value); err != nil {
		panic(err)
	}
}
