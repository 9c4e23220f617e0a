package mediaupload_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/stage"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

const (
	resourceType = "vodlive_media_upload"
	resumeParts  = 4
	resumeSize   = (resumeParts-1)*5*mib + 1000
	breaksAt     = 3 // the part at which the first run breaks off; those before it are stored
	rest         = resumeParts - breaksAt + 1
)

// machine has a file to upload in parts, one at a time, and keeps its state.
type machine struct {
	*acctest.World
	t                *testing.T
	path, sum        string
	config, provider acctest.Attrs
	state            acctest.Instance
}

func newMachine(t *testing.T, size int) *machine {
	t.Helper()
	if size > mib {
		stage.Large(t)
	}
	m := &machine{World: acctest.NewWorld(t, simulator.Options{}), t: t, path: filepath.Join(t.TempDir(), "media.mp4")}
	m.sum = media(t, m.path, size, 1)
	m.config = acctest.Attrs{"source": m.path}.With(inParts)
	m.provider = acctest.Attrs{"max_retries": 0}.With(oneByOne)
	m.state = m.Provider(m.provider).New(resourceType)
	return m
}

// plan refreshes and plans.
func (m *machine) plan() *acctest.Plan {
	m.t.Helper()
	p, before := m.Provider(m.provider), m.state
	var diags acctest.Diagnostics
	if before.Exists() {
		before, diags = p.Read(before)
	}
	plan := p.Plan(before, m.config)
	plan.Diags = append(diags, plan.Diags...)
	return plan
}

// apply plans in one provider process and applies in another, as `terraform apply` does.
func (m *machine) apply() acctest.Diagnostics {
	m.t.Helper()
	plan := m.plan()
	if plan.Diags.Failed() {
		return plan.Diags
	}
	state, diags := m.Provider(m.provider).Apply(plan)
	m.state = state
	return append(plan.Diags, diags...)
}

// mustApply is apply without errors, after which nothing is left to do.
func (m *machine) mustApply() acctest.Diagnostics {
	m.t.Helper()
	diags := m.apply()
	if diags.Failed() {
		m.t.Fatalf("%s\n%s", diags, m.JournalText())
	}
	m.Provider(m.provider).AssertNoChanges(m.state, m.config)
	return diags
}

func isPart(number int) func(*http.Request) bool {
	return func(r *http.Request) bool { return r.URL.Query().Get("partNumber") == fmt.Sprint(number) }
}

func (m *machine) says(diags acctest.Diagnostics, parts ...string) {
	m.t.Helper()
	for _, part := range parts {
		if !strings.Contains(diags.String(), part) {
			m.t.Errorf("the diagnostics lack %q: %s", part, diags)
		}
	}
}

// sent are the numbers of the parts that storage took since a point in the journal.
func sent(server *acctest.Server, since int) (numbers []string) {
	for _, r := range server.Journal()[since:] {
		if r.Call == simulator.CallPutPart && r.Status == http.StatusOK {
			numbers = append(numbers, r.Query.Get("partNumber"))
		}
	}
	return numbers
}

// TestOneUnfinishedUploadServesOneResource adds a second resource for the same file to one whose
// upload broke off.
func TestOneUnfinishedUploadServesOneResource(t *testing.T) {
	t.Parallel()
	for _, untaint := range []bool{false, true} {
		t.Run(fmt.Sprintf("untaint %v", untaint), func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, 6*mib)
			m.failAtSecond()
			if untaint {
				m.state = m.state.Untainted()
			}
			p := m.Provider(m.provider)
			both := []acctest.Instance{m.state, p.New(resourceType)}
			var applies sync.WaitGroup
			for i := range both {
				applies.Go(func() {
					var diags acctest.Diagnostics
					if both[i], diags = p.Change(both[i], m.config); diags.Failed() {
						t.Error(diags)
					}
				})
			}
			applies.Wait()
			want(t, "objects", len(m.Objects()), 2)
			if both[0].Text("key_path") == both[1].Text("key_path") {
				t.Error("two resources have one object")
			}
			for _, o := range both {
				m.Provider(m.provider).AssertNoChanges(o, m.config)
			}
		})
	}
}
