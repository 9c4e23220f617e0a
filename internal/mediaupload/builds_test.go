package mediaupload_test

import (
	"bytes"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

const keptFolder = "FOLDER" // stands for the folder of the file

// keptMachine has a file that is sent in two parts, and whose times are settled.
func keptMachine(t *testing.T) *machine {
	t.Helper()
	m := newMachine(t, 6*mib)
	m.path = filepath.ToSlash(m.path)
	m.config = m.config.With(acctest.Attrs{"source": m.path})
	m.age()
	return m
}

func (m *machine) keep(path string) {
	m.t.Helper()
	m.Provider(m.provider).Keep(m.state, path, filepath.ToSlash(filepath.Dir(m.path)), keptFolder)
}

func (m *machine) readKept(path string) {
	m.t.Helper()
	m.state = m.Provider(m.provider).Kept(resourceType, path, keptFolder, filepath.ToSlash(filepath.Dir(m.path)))
}

func (m *machine) mustPlan(what string, config acctest.Attrs, action acctest.Action) *acctest.Plan {
	m.t.Helper()
	pl := m.Provider(m.provider).Plan(m.state, config)
	if pl.Action != action || pl.Diags.Failed() {
		m.t.Errorf("%s: planned %s, want %s: %v: %s", what, pl.Action, action, pl.Attrs(), pl.Diags)
	}
	return pl
}

// TestStoredFileOfEveryBuild plans nothing while the file is the stored one.
func TestStoredFileOfEveryBuild(t *testing.T) {
	t.Parallel()
	named := acctest.Attrs{"file_name": "match.mp4", "content_type": "video/x-match", "deletion_protection": true}
	acctest.Builds(t, "stored", func(t *testing.T, path string) {
		m := keptMachine(t)
		m.config = m.config.With(named)
		m.mustApply()
		m.keep(path)
	}, func(t *testing.T, path string) {
		m := keptMachine(t)
		m.readKept(path)
		m.config = m.config.With(named)
		if pl := m.mustPlan("the same configuration", m.config, acctest.NoOp); pl.Diags.String() != "" {
			t.Errorf("diagnostics: %s", pl.Diags)
		}
		open := m.config.With(acctest.Attrs{"deletion_protection": false})
		m.mustPlan("without protection", open, acctest.Update)
		m.says(m.Provider(m.provider).Plan(m.state, m.config.With(acctest.Attrs{"file_name": nil})).Diags, "protected from deletion", "because of `file_name`")
		m.says(m.Provider(m.provider).Plan(m.state, m.config.With(acctest.Attrs{"content_type": nil})).Diags, "protected from deletion", "because of `content_type`")
		want(t, "calls", m.Counts(), map[string]int{})
	})
}

// TestUnfinishedUploadOfEveryBuild has one of a new file beside the stored one.
func TestUnfinishedUploadOfEveryBuild(t *testing.T) {
	t.Parallel()
	acctest.Builds(t, "unfinished", func(t *testing.T, path string) {
		m := keptMachine(t)
		m.mustApply()
		media(t, m.path, 6*mib, 2)
		m.age()
		m.failAtSecond()
		m.keep(path)
	}, func(t *testing.T, path string) {
		m := keptMachine(t)
		media(t, m.path, 6*mib, 2)
		m.readKept(path)
		before := m.state.Attrs()
		pl := m.mustPlan("the file that is unfinished", m.config, acctest.Update)
		want(t, "planned key path", pl.Attrs()["key_path"], acctest.Unknown)
		m.sameUpload()

		media(t, m.path, 6*mib, 1) // the stored one again
		m.age()
		pl = m.mustPlan("the file that is stored", m.config, acctest.Update)
		want(t, "planned key path of the stored file", pl.Attrs()["key_path"], before["key_path"])
		m.destroyGivesUp()
	})
}

// TestTaintedUploadOfEveryBuild has a new file that was not stored.
func TestTaintedUploadOfEveryBuild(t *testing.T) {
	t.Parallel()
	acctest.Builds(t, "tainted", func(t *testing.T, path string) {
		m := keptMachine(t)
		m.failAtSecond()
		m.keep(path)
	}, func(t *testing.T, path string) {
		m := keptMachine(t)
		m.readKept(path)
		m.mustPlan("the file that is unfinished", m.config, acctest.Replace)
		m.sameUpload()
		m.destroyGivesUp()
	})
}

// failAtSecond is an apply that stores one part.
func (m *machine) failAtSecond() {
	m.t.Helper()
	m.Fail(simulator.Fault{Call: simulator.CallPutPart, Match: isPart(2), Status: http.StatusInternalServerError})
	diags := m.apply()
	m.ClearFaults()
	m.says(diags, "1 of 2 parts are stored")
}

// sameUpload applies: the first call is about the unfinished upload of the state, which this
// service does not have.
func (m *machine) sameUpload() {
	m.t.Helper()
	left, _ := m.state.Attrs()["incomplete_upload"].(acctest.Attrs)
	id, _ := left["upload_id"].(string)
	var asked []string
	defer m.Hook(simulator.CallMultipartURL, func(r *http.Request) {
		content, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(content))
		asked = append(asked, string(content))
	})()
	before := m.state
	_ = m.apply()
	m.state = before
	if len(asked) == 0 || id == "" || !strings.Contains(asked[0], id) {
		m.t.Errorf("the upload of the state is %q, parts were asked for of %q\n%s", id, asked, m.JournalText())
	}
}

func (m *machine) destroyGivesUp() {
	m.t.Helper()
	left, _ := m.state.Attrs()["incomplete_upload"].(acctest.Attrs)
	keyPath, _ := left["key_path"].(string)
	p := m.Provider(m.provider)
	_, diags := p.Apply(p.Plan(m.state, nil))
	m.says(diags, "Unfinished uploads are given up", "media.mp4: "+keyPath+" (stored parts: 1)")
}
