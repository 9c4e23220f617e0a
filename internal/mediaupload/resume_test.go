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
	t                   *testing.T
	path, sum           string
	config              acctest.Attrs
	provider            acctest.Attrs
	unknown             acctest.Attrs // over config, while planning
	createBeforeDestroy bool
	state               acctest.Instance
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
	m.loseState()
	return m
}

// newFile is a machine whose file is uploaded with no other argument.
func newFile(t *testing.T, size int) *machine {
	t.Helper()
	m := newMachine(t, size)
	m.provider = nil
	m.configure(nil)
	return m
}

// configure sets the arguments besides source.
func (m *machine) configure(arguments acctest.Attrs) {
	m.config, m.unknown = acctest.Attrs{"source": m.path}.With(arguments), nil
}

// plan refreshes and plans.
func (m *machine) plan() *acctest.Plan {
	m.t.Helper()
	p, before := m.Provider(m.provider), m.state
	var diags acctest.Diagnostics
	if before.Exists() {
		before, diags = p.Read(before)
	}
	plan := p.Plan(before, m.config.With(m.unknown))
	plan.Config, plan.CreateBeforeDestroy = m.config, m.createBeforeDestroy
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

// breakOff is an apply that ends with an error at one part.
func (m *machine) breakOff(part int) {
	m.t.Helper()
	m.Fail(simulator.Fault{Call: simulator.CallPutPart, Match: isPart(part), Status: http.StatusInternalServerError})
	diags := m.apply()
	m.ClearFaults()
	m.says(diags, fmt.Sprintf("%d of 4 parts are stored", part-1))
	uploads := m.Uploads()
	if !diags.Failed() || len(uploads) != 1 || len(uploads[0].Parts) != part-1 {
		m.t.Fatalf("unfinished uploads: %+v, want one with %d parts: %s", uploads, part-1, diags)
	}
	incomplete, _ := m.state.Attrs()["incomplete_upload"].(acctest.Attrs)
	want(m.t, "stored_parts", incomplete["stored_parts"], part-1)
	want(m.t, "key_path", m.state.Text("key_path"), "")
	want(m.t, "identity", m.identity(), incomplete["key_path"])
	want(m.t, "tainted", m.state.Tainted, true)
}

// identity is the key path in the identity of the state.
func (m *machine) identity() any {
	m.t.Helper()
	return m.Provider(m.provider).IdentityOf(m.state)["key_path"]
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

// loseState forgets the state, of which there is none in the beginning.
func (m *machine) loseState() { m.state = m.Provider(m.provider).New(resourceType) }

// assertStored fails the test unless the service has one object, which is the file, and the state
// says so.
func (m *machine) assertStored() {
	m.t.Helper()
	object := onlyObject(m.t, m.Server)
	want(m.t, "the object's SHA-256", object.SHA256, m.sum)
	want(m.t, "key_path", m.state.Text("key_path"), object.KeyPath)
	want(m.t, "identity", m.identity(), object.KeyPath)
	want(m.t, "incomplete_upload", m.state.Attrs()["incomplete_upload"], nil)
	want(m.t, "tainted", m.state.Tainted, false)
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
			m := newMachine(t, resumeSize)
			m.breakOff(breaksAt)
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
