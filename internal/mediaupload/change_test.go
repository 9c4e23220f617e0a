package mediaupload_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// changed is a machine whose file is stored and has other content since, of several parts.
func changed(t *testing.T) (m *machine, before acctest.Instance) {
	t.Helper()
	m = newMachine(t, resumeSize)
	m.mustApply()
	before = m.state
	m.sum = media(t, m.path, resumeSize, 77)
	return m, before
}

// failsAt is an apply that ends with an error at one part.
func (m *machine) failsAt(part int) acctest.Diagnostics {
	m.t.Helper()
	m.Fail(simulator.Fault{Call: simulator.CallPutPart, Match: isPart(part), Status: http.StatusInternalServerError})
	diags := m.apply()
	m.ClearFaults()
	if !diags.Failed() {
		m.t.Fatalf("the apply did not fail: %s", diags)
	}
	return diags
}

// keeps fails the test unless the state has the stored file of an earlier one.
func (m *machine) keeps(before acctest.Instance) {
	m.t.Helper()
	want(m.t, "tainted", m.state.Tainted, false)
	want(m.t, "identity", m.identity(), before.Text("key_path"))
	for name, value := range before.Attrs() {
		if name != "incomplete_upload" {
			want(m.t, name, m.state.Attrs()[name], value)
		}
	}
}

// TestFailedChangeKeepsTheStoredFile: what is stored of the new content stands beside the stored
// file, and the next apply continues from it.
func TestFailedChangeKeepsTheStoredFile(t *testing.T) {
	t.Parallel()
	for name, between := range map[string]func(*machine){
		"nothing":        func(*machine) {},
		"second machine": (*machine).loseRecords,
		"a runner without the file": func(m *machine) {
			m.loseRecords()
			content, err := os.ReadFile(m.path)
			if err != nil {
				m.t.Fatal(err)
			}
			m.remove()
			if diags := m.apply(); diags.Failed() {
				m.t.Fatal(diags)
			}
			if err := os.WriteFile(m.path, content, 0o600); err != nil {
				m.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, before := changed(t)
			m.says(m.failsAt(breaksAt), "2 of 4 parts are stored", "the next apply sends only the others")
			m.keeps(before)
			incomplete, _ := m.state.Attrs()["incomplete_upload"].(acctest.Attrs)
			want(t, "hash of the unfinished upload", incomplete["sha256"], m.sum)
			between(m)
			since := len(m.Journal())
			diags := m.mustApply()
			m.says(diags, "Uploaded files stay at the service", before.Text("key_path"))
			want(t, "parts of the second apply", len(sent(m.Server, since)), rest)
			want(t, "objects", len(m.Objects()), 2)
			want(t, "sha256", m.state.Text("sha256"), m.sum)
			want(t, "identity", m.identity(), m.state.Text("key_path"))
			if m.state.Text("key_path") == before.Text("key_path") {
				t.Error("the state has the key path of the earlier content")
			}
		})
	}
}

// TestRevertedChangeGivesTheUploadUp: the configuration has the stored content again.
func TestRevertedChangeGivesTheUploadUp(t *testing.T) {
	t.Parallel()
	m, before := changed(t)
	m.failsAt(breaksAt)
	m.sum = media(t, m.path, resumeSize, 1)
	since := len(m.Journal())
	m.says(m.mustApply(), "Unfinished uploads are given up")
	m.keeps(before)
	want(t, "incomplete_upload", m.state.Attrs()["incomplete_upload"], nil)
	want(t, "requests", len(m.Journal()), since)
}

// TestRefusedChangeKeepsTheStoredFile: nothing is sent, for one reason or another.
func TestRefusedChangeKeepsTheStoredFile(t *testing.T) {
	t.Parallel()
	for name, status := range map[string]int{"401": http.StatusUnauthorized, "403": http.StatusForbidden, "500": http.StatusInternalServerError} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, before := changed(t)
			m.Fail(simulator.Fault{Call: simulator.CallMultipartCreate, Status: status})
			diags := m.apply()
			m.ClearFaults()
			if !diags.Failed() || !m.state.State.Equal(before.State) {
				t.Errorf("%v: %s", m.state.Attrs(), diags)
			}
			m.mustApply()
			want(t, "objects", len(m.Objects()), 2)
		})
	}
}

// TestMistypedHash: a file that was not touched cannot have another hash than before.
func TestMistypedHash(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]acctest.Attrs{"hash before": {"sha256": "right"}, "no hash before": {}} {
		for _, mistyped := range []string{strings.Repeat("ab", 32), strings.Repeat("0", 64)} {
			t.Run(name+", "+mistyped[:2], func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					m := small(t)
					m.age()
					if config["sha256"] == "right" {
						m.config["sha256"] = m.sum
					}
					m.mustApply()
					before, since := m.state, len(m.Journal())
					diags := m.Provider(m.provider).Plan(m.state, m.config.With(acctest.Attrs{"sha256": mistyped})).Diags
					m.says(diags, "error sha256: The file has another SHA-256: `sha256` has "+mistyped+" for "+m.path+", but the file, which was not touched", "has "+m.sum)
					m.mustApply()
					want(t, "state", m.state.State.Equal(before.State), true)
					want(t, "requests", len(m.Journal()), since)
				})
			})
		}
	}
}

// age waits until the file is older than the times of file systems are exact.
func (m *machine) age() {
	m.t.Helper()
	info, err := os.Stat(m.path)
	if err != nil {
		m.t.Fatal(err)
	}
	<-time.After(time.Until(info.ModTime().Add(time.Hour)))
}

// TestMistypedHashOfANewFile is found while the file is sent, because nothing has read it. What is
// stored is used once the hash is right.
func TestMistypedHashOfANewFile(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]bool{"create": true, "update": false} {
		for _, mistyped := range []string{strings.Repeat("ab", 32), strings.Repeat("0", 64)} {
			t.Run(name+", "+mistyped[:2], func(t *testing.T) {
				t.Parallel()
				m := newMachine(t, resumeSize)
				if !first {
					m.mustApply()
					m.sum = media(t, m.path, resumeSize, 77)
				}
				objects := len(m.Objects())
				m.config["sha256"] = mistyped
				diags := m.apply()
				m.says(diags, "The file has another SHA-256: `sha256` has "+mistyped, "has "+m.sum)
				if text := diags.String(); !diags.Failed() || strings.Contains(text, "has changed") {
					t.Error(text)
				}
				want(t, "objects", len(m.Objects()), objects)
				left, _ := m.state.Attrs()["incomplete_upload"].(acctest.Attrs)
				stored, _ := left["stored_parts"].(int)
				if stored == 0 {
					t.Fatalf("no part is stored: %v", m.state.Attrs())
				}
				m.config["sha256"] = m.sum
				m.loseRecords()
				since := len(m.Journal())
				m.mustApply()
				want(t, "parts sent with the right hash", len(sent(m.Server, since)), resumeParts-stored)
				want(t, "objects", len(m.Objects()), objects+1)
				want(t, "sha256", m.state.Text("sha256"), m.sum)
			})
		}
	}
}

// TestHashOfTheStoredContent: nothing is to be sent, whatever the file has.
func TestHashOfTheStoredContent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := small(t)
		m.mustApply()
		before, stored := m.state, m.sum
		media(t, m.path, 1000, 77)
		m.age()
		m.Provider(m.provider).Plan(m.state, m.config).Diags.Must(t) // reads the file, and remembers its hash
		m.config["sha256"] = stored
		m.mustApply()
		want(t, "key_path", m.state.Text("key_path"), before.Text("key_path"))
	})
}

// TestUploadThatMayBeStoredIsNamed: the answer to the request that completes an upload was lost,
// and the configuration has the content of before again.
func TestUploadThatMayBeStoredIsNamed(t *testing.T) {
	t.Parallel()
	m, before := changed(t)
	m.Fail(simulator.Fault{Call: simulator.CallMultipartComplete, BreakAfter: true, Times: 1})
	m.Fail(simulator.Fault{Call: simulator.CallMultipartComplete, Status: http.StatusForbidden})
	if diags := m.apply(); !diags.Failed() {
		t.Fatal(diags)
	}
	m.ClearFaults()
	m.keeps(before)
	made := m.Objects()[1].KeyPath
	m.sum = media(t, m.path, resumeSize, 1)
	m.says(m.mustApply(), "Uploaded files may stay at the service", made)
}

// TestUnknownBesideAnUnfinishedUpload: the value comes out as it was, and the file is not there.
func TestUnknownBesideAnUnfinishedUpload(t *testing.T) {
	t.Parallel()
	for name, values := range map[string][2]acctest.Attrs{
		"hash":     {{"sha256": acctest.Unknown}, {"sha256": "stored"}},
		"triggers": {{"triggers": acctest.Attrs{"a": acctest.Unknown}}, {"triggers": acctest.Attrs{"a": nil}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, before := changed(t)
			m.failsAt(breaksAt)
			m.remove()
			plan := m.Provider(m.provider).Plan(m.state, m.config.With(values[0]))
			plan.Diags.Must(t)
			plan.Config = m.config.With(values[1])
			if name == "hash" {
				plan.Config["sha256"] = before.Text("sha256")
			}
			after, diags := m.Provider(m.provider).Apply(plan)
			diags.Must(t)
			if after.Text("key_path") != before.Text("key_path") || after.Attrs()["incomplete_upload"] == nil {
				t.Errorf("the state has %v", after.Attrs())
			}
		})
	}
}

// TestThirdContent: what is unfinished of a second one is given up once a third one is sent, and
// not before.
func TestThirdContent(t *testing.T) {
	t.Parallel()
	m, before := changed(t)
	m.failsAt(breaksAt)
	unfinished := m.state
	m.sum = media(t, m.path, resumeSize+1, 5)
	m.Fail(simulator.Fault{Call: simulator.CallMultipartCreate, Status: http.StatusUnauthorized})
	if diags := m.apply(); !diags.Failed() {
		t.Fatal(diags)
	}
	m.ClearFaults()
	want(t, "state", m.state.State.Equal(unfinished.State), true)
	m.says(m.mustApply(), "Unfinished uploads are given up", "Uploaded files stay at the service", before.Text("key_path"))
	want(t, "sha256", m.state.Text("sha256"), m.sum)
}

// TestRenamedFileOfAnUnfinishedUpload is continued under the name that it began with.
func TestRenamedFileOfAnUnfinishedUpload(t *testing.T) {
	t.Parallel()
	m, _ := changed(t)
	m.failsAt(breaksAt)
	renamed := filepath.Join(filepath.Dir(m.path), "renamed.mp4")
	if err := os.Rename(m.path, renamed); err != nil {
		t.Fatal(err)
	}
	m.path = renamed
	m.config["source"] = renamed
	since := len(m.Journal())
	m.mustApply()
	want(t, "parts of the second apply", len(sent(m.Server, since)), rest)
	want(t, "file_name", m.state.Text("file_name"), "media.mp4")
}

// TestRefusedReplacementSaysNothingElse: the file of a replacement is not there, so the state is as
// it was.
func TestRefusedReplacementSaysNothingElse(t *testing.T) {
	t.Parallel()
	m, _ := changed(t)
	m.failsAt(breaksAt)
	plan := m.Provider(m.provider).PlanReplace(m.state, m.config)
	plan.Diags.Must(t)
	m.remove()
	after, diags := m.Provider(m.provider).Apply(plan)
	m.says(diags, "so nothing was replaced")
	if strings.Contains(diags.String(), "stay at the service") || !after.State.Equal(m.state.State) {
		t.Error(diags)
	}
}
