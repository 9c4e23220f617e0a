package mediaupload_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

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

// TestTwoUploadsOfAFileThatIsNotHere: Terraform deletes both before it creates one, and each state
// gets its unfinished upload back.
func TestTwoUploadsOfAFileThatIsNotHere(t *testing.T) {
	t.Parallel()
	m := newMachine(t, 6*mib)
	m.config["triggers"] = acctest.Attrs{"made": "1"}
	m.Fail(simulator.Fault{Call: simulator.CallPutPart, Match: isPart(2), Status: http.StatusNotImplemented})
	p := m.Provider(m.provider)
	var plans []*acctest.Plan
	for range 2 {
		o, _ := p.Create(resourceType, m.config)
		plans = append(plans, &acctest.Plan{Prior: o})
	}
	m.ClearFaults()
	if err := os.Remove(m.path); err != nil {
		t.Fatal(err)
	}
	m.Env["VODLIVE_RESUME_DIR"] = t.TempDir()
	p = m.Provider(m.provider)
	for i := range plans {
		plans[i] = p.Plan(plans[i].Prior, m.config)
		if _, diags := p.ApplyDelete(plans[i]); diags.Failed() {
			t.Fatal(diags)
		}
	}
	for _, pl := range plans {
		o, diags := p.ApplyCreate(pl)
		m.says(diags, "does not exist", "1 of 2 parts are stored and are not lost")
		if left, _ := o.Attrs()["incomplete_upload"].(acctest.Attrs); !o.Exists() || left["stored_parts"] == nil {
			t.Errorf("the state is %v", o.Attrs())
		}
	}
}

// TestTokenThatExpiresBeforeTheCreate: once Delete has left an upload, no plan ends the apply.
func TestTokenThatExpiresBeforeTheCreate(t *testing.T) {
	t.Parallel()
	stage.Large(t)
	synctest.Test(t, func(t *testing.T) {
		expires := token(fmt.Sprintf(`{"sub":"alice","exp":%d}`, time.Now().Add(time.Hour).Unix()))
		w := acctest.NewWorld(t, simulator.Options{IDToken: expires})
		w.Env["VODLIVE_ID_TOKEN"] = expires
		path := filepath.Join(t.TempDir(), "media.mp4")
		media(t, path, 6*mib, 1)
		given := acctest.Attrs{"source": path}.With(inParts)
		w.Fail(simulator.Fault{Call: simulator.CallPutPart, Match: isPart(2), Status: http.StatusNotImplemented})
		o, _ := w.Provider(oneByOne).Create(resourceType, given)
		w.ClearFaults()
		p := w.Provider(oneByOne)
		pl := p.Plan(o, given)
		if _, diags := p.ApplyDelete(pl); diags.Failed() {
			t.Fatal(diags)
		}
		<-time.After(2 * time.Hour)
		if o, diags := p.ApplyCreate(pl); !o.Exists() { // the simulated service takes the token
			t.Error(diags)
		}
	})
}

// TestDeposedUploadThatWasContinued: what is stored is not said to be given up when the object goes
// from which it was continued.
func TestDeposedUploadThatWasContinued(t *testing.T) {
	t.Parallel()
	m := newMachine(t, 6*mib)
	m.failAtSecond()
	deposed := m.state
	if o, diags := m.Provider(m.provider).Create(resourceType, m.config); diags.Failed() || o.Text("key_path") == "" {
		t.Fatal(diags)
	}
	if _, diags := m.Provider(m.provider).Destroy(deposed); diags.Failed() || strings.Contains(diags.String(), "given up") {
		t.Error(diags)
	}
}
