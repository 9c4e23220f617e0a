package mediaupload_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// small is a machine with a file that is sent with one PUT.
func small(t *testing.T) *machine {
	t.Helper()
	m := newMachine(t, 1000)
	m.config = acctest.Attrs{"source": m.path}
	return m
}

func (m *machine) remove() {
	m.t.Helper()
	if err := os.Remove(m.path); err != nil {
		m.t.Fatal(err)
	}
}

// TestFileMadeByTheApply has a new upload whose file is not there while planning.
func TestFileMadeByTheApply(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		planned, applied acctest.Attrs // sha256 "same" is that of the file
	}{
		"hash known":       {planned: acctest.Attrs{"sha256": "same"}},
		"hash unknown":     {planned: acctest.Attrs{"sha256": acctest.Unknown}, applied: acctest.Attrs{"sha256": "same"}},
		"triggers known":   {planned: acctest.Attrs{"triggers": acctest.Attrs{"made_by": "1"}}},
		"triggers unknown": {planned: acctest.Attrs{"triggers": acctest.Attrs{"made_by": acctest.Unknown}}, applied: acctest.Attrs{"triggers": acctest.Attrs{"made_by": "1"}}},
		"no extension":     {planned: acctest.Attrs{"sha256": "same", "file_name": "media"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := small(t)
			for _, attrs := range []acctest.Attrs{tt.planned, tt.applied} {
				if attrs["sha256"] == "same" {
					attrs["sha256"] = m.sum
				}
			}
			m.remove()
			p := m.Provider(m.provider)
			plan := p.Plan(m.state, m.config.With(tt.planned))
			plan.Diags.Must(t)
			if tt.applied != nil {
				plan.Config = m.config.With(tt.applied)
			}
			_, diags := m.Provider(m.provider).Apply(plan)
			m.says(diags, "does not exist")
			want(t, "requests without the file", len(m.Journal()), 0)
			media(t, m.path, 1000, 1)
			var applied acctest.Diagnostics
			m.state, applied = m.Provider(m.provider).Apply(plan)
			applied.Must(t)
			m.assertStored()
			m.Provider(m.provider).AssertNoChanges(m.state, plan.Config)
		})
	}
}

func TestMissingFileNamesTheWays(t *testing.T) {
	t.Parallel()
	m := small(t)
	m.remove()
	m.says(m.Provider(m.provider).Plan(m.state, m.config).Diags, "does not exist", "use `content`", "set `sha256`", "set `triggers`")
}

// TestUnchangedFileOfAnotherResourceIsKept: what makes the file is planned again, and makes it as
// it was.
func TestUnchangedFileOfAnotherResourceIsKept(t *testing.T) {
	t.Parallel()
	for name, unknown := range map[string]acctest.Attrs{
		"hash":     {"sha256": acctest.Unknown},
		"triggers": {"triggers": acctest.Attrs{"made_by": acctest.Unknown}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := small(t)
			known := acctest.Attrs{"sha256": m.sum}
			if name == "triggers" {
				known = acctest.Attrs{"triggers": acctest.Attrs{"made_by": "2"}}
			}
			m.mustApply()
			key := m.state.Text("key_path")
			m.remove()
			plan := m.Provider(m.provider).Plan(m.state, m.config.With(unknown))
			plan.Diags.Must(t)
			plan.Config = m.config.With(known)
			media(t, m.path, 1000, 1)
			var diags acctest.Diagnostics
			m.state, diags = m.Provider(m.provider).Apply(plan)
			diags.Must(t)
			want(t, "key path", m.state.Text("key_path"), key)
			onlyObject(t, m.Server)
		})
	}
}

// TestFileThatIsMissingAfterAll: the file that the apply was to make is not there. The stored file
// stays in the state.
func TestFileThatIsMissingAfterAll(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]acctest.Attrs{
		"hash unknown":     {"sha256": acctest.Unknown},
		"hash known":       {"sha256": strings.Repeat("0", 64)},
		"triggers unknown": {"triggers": acctest.Attrs{"made_by": acctest.Unknown}},
		"triggers changed": {"triggers": acctest.Attrs{"made_by": "2"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := small(t)
			m.mustApply()
			if name != "hash unknown" && name != "triggers unknown" {
				m.remove()
			}
			plan := m.Provider(m.provider).Plan(m.state, m.config.With(change))
			plan.Diags.Must(t)
			want(t, "action", plan.Action, acctest.Update)
			plan.Config = m.config.With(change)
			for key, value := range map[string]acctest.Attrs{
				"hash unknown": {"sha256": strings.Repeat("ab", 32)}, "triggers unknown": {"triggers": acctest.Attrs{"made_by": "3"}},
			} {
				if key == name {
					plan.Config = m.config.With(value)
				}
			}
			_ = os.Remove(m.path)
			after, diags := m.Provider(m.provider).Apply(plan)
			m.says(diags, "does not exist")
			if !after.State.Equal(m.state.State) || after.Tainted {
				t.Errorf("the state is not as it was: %v", after.Attrs())
			}
		})
	}
}

// TestTouchedFileIsRead: size and modification time are as they were.
func TestTouchedFileIsRead(t *testing.T) {
	t.Parallel()
	m := small(t)
	m.mustApply()
	m.otherContent()
	m.mustApply()
	want(t, "objects", len(m.Objects()), 2)
	want(t, "sha256", m.state.Text("sha256"), m.sum)
}

// otherContent writes content of the same size and modification time.
func (m *machine) otherContent() {
	m.t.Helper()
	info, err := os.Stat(m.path)
	if err != nil {
		m.t.Fatal(err)
	}
	m.sum = media(m.t, m.path, int(info.Size()), 77)
	if err := os.Chtimes(m.path, time.Time{}, info.ModTime()); err != nil {
		m.t.Fatal(err)
	}
}

// TestIgnoredContentIsNotRemembered: with ignore_changes, a plan names the hash of the state,
// whatever is in the file.
func TestIgnoredContentIsNotRemembered(t *testing.T) {
	t.Parallel()
	m := small(t)
	m.mustApply()
	before := m.sum
	m.sum = media(t, m.path, 1000, 77)
	var diags acctest.Diagnostics
	m.state, diags = m.Provider(m.provider).Change(m.state, m.config.With(acctest.Attrs{"sha256": before, "method": "single"}))
	diags.Must(t)
	plan := m.Provider(m.provider).Plan(m.state, m.config)
	want(t, "action without ignore_changes", plan.Action, acctest.Update)
	want(t, "planned sha256", plan.Attrs()["sha256"], m.sum)
}

func TestDeletionProtection(t *testing.T) {
	t.Parallel()
	const refusal = "The stored file is protected from deletion"
	m := small(t)
	m.config["deletion_protection"] = true
	m.mustApply()
	p := m.Provider(m.provider)
	refused := func(what string, config acctest.Attrs, o acctest.Instance) {
		t.Helper()
		after, diags := p.Change(o, config)
		if !diags.Failed() || !strings.Contains(diags.String(), refusal) || !after.Exists() {
			t.Errorf("%s: %v, %s", what, after.Attrs(), diags)
		}
	}
	tainted := m.state
	tainted.Tainted = true
	refused("destroy", nil, m.state)
	refused("another name", m.config.With(acctest.Attrs{"file_name": "other.mp4"}), m.state)
	for _, lifted := range []any{false, nil} { // the plan shows both
		config := m.config.With(acctest.Attrs{"deletion_protection": lifted, "file_name": "other.mp4"})
		p.Plan(m.state, config).Diags.Must(t)
	}
	later := p.Plan(m.state, m.config.With(acctest.Attrs{"deletion_protection": acctest.Unknown, "file_name": "other.mp4"}))
	later.Diags.Must(t)
	later.Config = m.config.With(acctest.Attrs{"file_name": "other.mp4"})
	_, diags := m.Provider(m.provider).Apply(later)
	m.says(diags, refusal)
	refused("tainted", m.config, tainted)
	want(t, "objects", len(m.Objects()), 1)
	after, diags := p.DestroyUnplanned(m.state)
	m.says(diags, refusal)
	want(t, "exists without a plan", after.Exists(), true)

	// Content that is not known while planning is compared at apply.
	unknown := m.config.With(acctest.Attrs{"triggers": acctest.Attrs{"made_by": acctest.Unknown}})
	for what, content := range map[string]uint64{"the same content": 1, "other content": 77} {
		plan := p.Plan(m.state, unknown)
		plan.Diags.Must(t)
		want(t, "action", plan.Action, acctest.Update)
		media(t, m.path, 1000, content)
		plan.Config = m.config.With(acctest.Attrs{"triggers": acctest.Attrs{"made_by": "2"}})
		after, diags := m.Provider(m.provider).Apply(plan)
		want(t, what+": refused", strings.Contains(diags.String(), refusal), content != 1)
		want(t, what+": key path", after.Text("key_path"), m.state.Text("key_path"))
	}

	var o acctest.Instance
	o, diags = p.Change(m.state, acctest.Attrs{"source": m.path, "sha256": m.sum, "deletion_protection": false})
	diags.Must(t)
	o, diags = p.Destroy(o)
	diags.Must(t)
	want(t, "exists", o.Exists(), false)
}

// TestProtectionLeavesUnfinishedUploads: a plan that replaces one continues it.
func TestProtectionLeavesUnfinishedUploads(t *testing.T) {
	t.Parallel()
	m := newMachine(t, resumeSize)
	m.config["deletion_protection"] = true
	m.breakOff(breaksAt)
	m.mustApply()
	m.assertStored()
}

// TestChangedTriggersReadTheFile counts that nothing is sent for the same content.
func TestChangedTriggersReadTheFile(t *testing.T) {
	t.Parallel()
	m := small(t)
	m.mustApply()
	key := m.state.Text("key_path")
	m.config["triggers"] = acctest.Attrs{"made_by": "2"}
	m.mustApply()
	want(t, "key path", m.state.Text("key_path"), key)
	want(t, "PUTs", m.Count(simulator.CallPutObject), 1)
}

// TestDeletionWithoutAPlanAfterAnUpdate: what the plan of an update noted does not hold back a
// client that deletes without a plan, as Pulumi does, where the file is not.
func TestDeletionWithoutAPlanAfterAnUpdate(t *testing.T) {
	t.Parallel()
	m := small(t)
	m.config["deletion_protection"] = true
	m.mustApply()
	m.config["deletion_protection"] = false
	m.mustApply()
	if err := os.Remove(m.path); err != nil {
		t.Fatal(err)
	}
	after, diags := m.Provider(m.provider).DestroyUnplanned(m.state)
	if diags.Failed() || after.Exists() {
		t.Error(diags)
	}
}
