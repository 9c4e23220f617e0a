package mediaupload_test

import (
	"crypto/md5"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/stage"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
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

// later is configure with a source that the plan does not know.
func (m *machine) later(arguments acctest.Attrs) {
	m.configure(arguments)
	m.unknown = acctest.Attrs{"source": acctest.Unknown}
}

// rename renames the file, and leaves the configuration.
func (m *machine) rename(name string) {
	m.t.Helper()
	path := filepath.Join(filepath.Dir(m.path), name)
	if err := os.Rename(m.path, path); err != nil {
		m.t.Fatal(err)
	}
	m.path = path
}

// imports has an import block add the upload of a key path to the state.
func (m *machine) imports(keyPath string) {
	m.t.Helper()
	state, diags := m.Provider(m.provider).Import(resourceType, keyPath)
	diags.Must(m.t)
	m.state = state
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

// updates fails the test unless the plan changes the upload in place.
func (m *machine) updates() acctest.Diagnostics {
	m.t.Helper()
	plan := m.plan()
	want(m.t, "action of "+plan.Diags.String(), plan.Action, acctest.Update)
	return plan.Diags
}

// refused fails the test unless the plan has an error that says so.
func (m *machine) refused(parts ...string) {
	m.t.Helper()
	plan := m.plan()
	want(m.t, "failure of the plan", plan.Diags.Failed(), true)
	m.says(plan.Diags, parts...)
}

// holds fails the test unless the state has these attributes.
func (m *machine) holds(attributes acctest.Attrs) {
	m.t.Helper()
	for name, value := range attributes {
		want(m.t, name, m.state.Attrs()[name], value)
	}
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

// absent is mustApply while the uploaded file is not here, which every plan says.
func (m *machine) absent() {
	m.t.Helper()
	diags := m.apply()
	diags.Must(m.t)
	m.says(diags, "The uploaded file is not here")
	m.unknown = nil
	plan := m.plan()
	plan.Diags.Must(m.t)
	want(m.t, "action", plan.Action, acctest.NoOp)
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

// loseRecords goes on with an empty folder of records, as on a second machine.
func (m *machine) loseRecords() { m.Env["VODLIVE_RESUME_DIR"] = m.t.TempDir() }

// records are the files of unfinished uploads.
func (m *machine) records() []string {
	names, _ := filepath.Glob(filepath.Join(m.Env["VODLIVE_RESUME_DIR"], resume.Folder, "upload-*.json"))
	return names
}

// editIncomplete edits a text of incomplete_upload in the state.
func (m *machine) editIncomplete(name string, edit func(string) string) {
	m.t.Helper()
	m.state = m.state.Edited(func(a acctest.Attrs) {
		incomplete := a["incomplete_upload"].(acctest.Attrs)
		before := incomplete[name].(string)
		if incomplete[name] = edit(before); incomplete[name] == before {
			m.t.Fatalf("%s is not what the test edits: %s", name, before)
		}
	})
}

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

// TestInterruptedUploadContinues has a second apply send what a first one has not, after something
// has changed.
func TestInterruptedUploadContinues(t *testing.T) {
	t.Parallel()
	const another = "00000000000000000000000000000000"
	for name, tt := range map[string]struct {
		between func(*machine)
		sends   int      // parts in the second apply
		texts   []string // of the second apply
		// keeps says that the record of the first apply stays: it is one of another upload.
		keeps bool
	}{
		"nothing":           {between: func(*machine) {}, sends: rest},
		"second machine":    {between: (*machine).loseRecords, sends: rest},
		"no records at all": {between: func(m *machine) { m.Env["VODLIVE_RESUME_DIR"] = "" }, sends: rest},
		"state lost":        {between: (*machine).loseState, sends: rest},
		"both lost":         {between: func(m *machine) { m.loseState(); m.loseRecords() }, sends: resumeParts},
		"record truncated, state lost": {
			between: func(m *machine) {
				m.loseState()
				if err := os.Truncate(m.records()[0], 40); err != nil {
					m.t.Fatal(err)
				}
			},
			sends: resumeParts, keeps: true, // nobody knows of which upload it is
		},
		"file changed": {
			between: func(m *machine) { m.sum = media(m.t, m.path, resumeSize, 77) }, sends: resumeParts, keeps: true,
		},
		"part size changed": {
			between: func(m *machine) { m.config["part_size"] = 6 * mib }, sends: 3, keeps: true,
		},
		"untaint, file changed": {
			between: func(m *machine) {
				m.state = m.state.Untainted()
				content, err := os.ReadFile(m.path)
				if err != nil {
					m.t.Fatal(err)
				}
				copy(content[len(content)-10:], "0123456789") // only the last part is another
				if err := os.WriteFile(m.path, content, 0o600); err != nil {
					m.t.Fatal(err)
				}
				m.sum = sumOf(content)
			},
			sends: rest, keeps: true,
		},
		"ETag edited in the record": {
			between: func(m *machine) {
				m.loseState()
				editFile(m.t, m.records()[0], regexp.MustCompile(`("number":1,"md5":"\w+","etag":")[^}]*`), `${1}\"`+another+`\""`)
			},
			sends: rest + 1,
		},
		"ETag edited in the state": {
			between: func(m *machine) {
				m.loseRecords()
				m.editIncomplete("parts", func(parts string) string {
					return strings.Replace(parts, ",", ":MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA,", 1)
				})
			},
			sends: rest + 1,
		},
		"upload of another account": {
			between: func(m *machine) {
				m.loseRecords()
				m.editIncomplete("key_path", func(key string) string {
					return regexp.MustCompile(`^vod/input/[^/]*/`).ReplaceAllString(key, "vod/input/customer-other/")
				})
			},
			sends: resumeParts,
			texts: []string{"An unfinished upload could not be continued", "key_path is not one of this customer"},
		},
		"create_before_destroy": {between: func(m *machine) { m.createBeforeDestroy = true }, sends: rest},
		"upload unknown to storage": {
			between: func(m *machine) { m.DropUpload(m.Uploads()[0].UploadID) },
			sends:   resumeParts,
			texts:   []string{"An unfinished upload could not be continued", "uploaded from its beginning"},
		},
		"broken off twice": {between: func(m *machine) { m.breakOff(resumeParts) }, sends: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, resumeSize)
			m.breakOff(breaksAt)
			tt.between(m)
			since := len(m.Journal())
			m.says(m.mustApply(), tt.texts...)
			if numbers := sent(m.Server, since); len(numbers) != tt.sends {
				t.Errorf("the second apply sent parts %v, want %d", numbers, tt.sends)
			}
			m.assertStored()
			if left := m.records(); len(left) > 0 && !tt.keeps {
				t.Errorf("a record is left of a complete upload: %v", left)
			}
		})
	}
}

// editFile replaces what a pattern finds in a file, once.
func editFile(t *testing.T, name string, old *regexp.Regexp, with string) {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(old.FindAllIndex(content, -1)); n != 1 {
		t.Fatalf("%s is found %d times in %s: %s", old, n, name, content)
	}
	if err := os.WriteFile(name, old.ReplaceAll(content, []byte(with)), 0o600); err != nil {
		t.Fatal(err)
	}
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

// TestUploadOfTwoStatesIsEndedOnce: another root continues an upload from its record, and ends it,
// while the state of the first one has it. The first root then begins an upload of its own.
func TestUploadOfTwoStatesIsEndedOnce(t *testing.T) {
	t.Parallel()
	for _, tainted := range []bool{true, false} {
		t.Run(fmt.Sprintf("tainted %v", tainted), func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, resumeSize)
			m.breakOff(breaksAt)
			first := m.state
			if !tainted {
				first = first.Untainted()
			}
			m.loseState()
			m.Env["TF_WORKSPACE"] = "another"
			m.mustApply()
			second := m.state

			m.state = first
			delete(m.Env, "TF_WORKSPACE")
			since := len(m.Journal())
			if diags := m.mustApply(); len(diags) != 1 || !strings.Contains(diags.String(), "(stored parts: 2 of 4)") {
				t.Errorf("diagnostics: %s", diags)
			}
			want(t, "parts sent", len(sent(m.Server, since)), resumeParts)
			want(t, "objects", len(m.Objects()), 2)
			if m.state.Text("key_path") == second.Text("key_path") {
				t.Error("two states have one object")
			}
		})
	}
}

// TestTokenThatCannotBeReadReplacesNothing: without its token, nobody can continue the upload that
// a replacement gives up.
func TestTokenThatCannotBeReadReplacesNothing(t *testing.T) {
	t.Parallel()
	for _, tainted := range []bool{true, false} {
		t.Run(fmt.Sprintf("tainted %v", tainted), func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, resumeSize)
			token := filepath.Join(t.TempDir(), "token")
			if err := os.WriteFile(token, []byte(m.Env["VODLIVE_ID_TOKEN"]), 0o600); err != nil {
				t.Fatal(err)
			}
			m.Env["VODLIVE_ID_TOKEN"], m.Env["VODLIVE_ID_TOKEN_FILE"] = "", token
			m.breakOff(breaksAt)
			m.loseRecords()
			if !tainted {
				m.state = m.state.Untainted()
			}
			plan := m.plan()
			plan.Diags.Must(t)
			if err := os.Rename(token, token+".away"); err != nil {
				t.Fatal(err)
			}
			state, diags := m.Provider(m.provider).Apply(plan)
			m.says(diags, token+" does not exist")
			if m.state = state; !diags.Failed() || !state.Exists() || state.Attrs()["incomplete_upload"] == nil {
				t.Fatalf("the state has nothing of the upload: %s", diags)
			}
			if err := os.Rename(token+".away", token); err != nil {
				t.Fatal(err)
			}
			since := len(m.Journal())
			m.mustApply()
			want(t, "parts sent", len(sent(m.Server, since)), rest)
			m.assertStored()
		})
	}
}

// TestLostCompleteIsNotRepeatedBlindly loses every answer to complete, then the upload itself.
func TestLostCompleteIsNotRepeatedBlindly(t *testing.T) {
	t.Parallel()
	m := newMachine(t, resumeSize)
	m.Fail(simulator.Fault{Call: simulator.CallMultipartComplete, BreakAfter: true})
	m.says(m.apply(), "4 of 4 parts are stored")
	m.ClearFaults()
	object := onlyObject(t, m.Server)
	m.Fail(simulator.Fault{Call: simulator.CallMultipartComplete, Times: 1, Status: http.StatusNotFound, Body: `{"message":"NoSuchUpload"}`})
	diags := m.apply()
	m.says(diags, "may be complete", "terraform import ADDRESS '"+object.KeyPath+"'")
	if !diags.Failed() || m.state.Exists() {
		t.Errorf("the state is %v: %s", m.state.Attrs(), diags)
	}
	onlyObject(t, m.Server)
	m.state, diags = m.Provider(m.provider).Import(resourceType, object.KeyPath)
	diags.Must(t)
	m.mustApply()
	m.assertStored()
}

// TestRefusalThatIsNotAboutTheUploadLosesNothing has the service refuse everything for a while.
func TestRefusalThatIsNotAboutTheUploadLosesNothing(t *testing.T) {
	t.Parallel()
	m := newMachine(t, resumeSize)
	m.breakOff(breaksAt)
	m.loseRecords()
	for _, call := range []string{simulator.CallMultipartURL, simulator.CallMultipartCreate} {
		m.Fail(simulator.Fault{Call: call, Status: http.StatusForbidden, Body: `{"message":"You are not allowed to upload now."}`})
	}
	m.says(m.apply(), "2 of 4 parts are stored", "You are not allowed to upload now")
	m.ClearFaults()
	since := len(m.Journal())
	m.mustApply()
	want(t, "parts sent", len(sent(m.Server, since)), rest)
	m.assertStored()
}

func TestDestroyGivesAnUnfinishedUploadUp(t *testing.T) {
	t.Parallel()
	m := newMachine(t, resumeSize)
	m.breakOff(breaksAt)
	o, diags := m.Provider(m.provider).Destroy(m.state)
	diags.Must(t)
	m.says(diags, "Unfinished uploads are given up")
	want(t, "exists", o.Exists(), false)
}

// TestLostAnswers breaks the connection after storage or the service has done its work.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	single := acctest.Attrs{"method": "single"}
	for name, tt := range map[string]struct {
		config acctest.Attrs
		faults []simulator.Fault
		calls  map[string]int
		text   string
	}{
		"of a part": {
			faults: []simulator.Fault{{Call: simulator.CallPutPart, Match: isPart(2), Times: 1, BreakAfter: true}},
			calls:  map[string]int{simulator.CallPutPart: 3, simulator.CallMultipartURL: 3},
		},
		"of a single PUT": {
			config: single,
			faults: []simulator.Fault{{Call: simulator.CallPutObject, Times: 1, BreakAfter: true}},
			calls:  map[string]int{simulator.CallPresignURL: 1, simulator.CallPutObject: 2},
		},
		"of complete, then repeated": {
			faults: []simulator.Fault{{Call: simulator.CallMultipartComplete, Times: 1, BreakAfter: true}},
		},
		"of complete, then unknown": {
			faults: []simulator.Fault{
				{Call: simulator.CallMultipartComplete, Times: 1, BreakAfter: true},
				{Call: simulator.CallMultipartComplete, Status: http.StatusNotFound, Body: `{"message":"NoSuchUpload: the upload does not exist"}`},
			},
			text: "The upload was taken as complete",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				// Three parts and more are hashed together, by goroutines that serve all tests and
				// belong to no bubble.
				m := newMachine(t, 5*mib+1000)
				m.provider = oneByOne // with retries
				m.config = m.config.With(tt.config)
				for _, fault := range tt.faults {
					m.Fail(fault)
				}
				diags := m.mustApply()
				m.assertStored()
				for call, n := range tt.calls {
					m.AssertCalls(t, call, n)
				}
				if tt.text != "" {
					m.says(diags, tt.text, m.state.Text("key_path"))
					want(t, "etag", m.state.Text("etag"), "")
				}
			})
		})
	}
}

// TestSavedPlanWithoutTheFileForgetsNothing: a saved plan is applied on a runner that has neither
// the file nor the records.
func TestSavedPlanWithoutTheFileForgetsNothing(t *testing.T) {
	t.Parallel()
	m := newMachine(t, resumeSize)
	m.breakOff(breaksAt)
	m.loseRecords()
	p := m.Provider(m.provider)
	plan := p.Plan(m.state, m.config)
	plan.Diags.Must(t)
	content, err := os.ReadFile(m.path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(m.path); err != nil {
		t.Fatal(err)
	}
	state, diags := m.Provider(m.provider).Apply(plan)
	m.says(diags, "does not exist, so nothing was replaced and the state is as it was")
	if !diags.Failed() || !state.Exists() {
		t.Fatalf("the state has nothing of the upload: %s", diags)
	}
	m.state = state
	if err := os.WriteFile(m.path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	before := m.Count(simulator.CallPutPart)
	m.mustApply()
	want(t, "parts sent", m.Count(simulator.CallPutPart)-before, rest)
	m.assertStored()
}

// TestStateOfAnEarlierBuildBlocksNothing has the state lack attributes of an unfinished upload, as
// Terraform reads null for those that an earlier build did not know.
func TestStateOfAnEarlierBuildBlocksNothing(t *testing.T) {
	t.Parallel()
	const unreadable = "An unfinished upload cannot be continued"
	for name, tt := range map[string]struct {
		lacks  []string
		sends  int
		warned bool
	}{
		"completing": {lacks: []string{"completing", "stored_parts"}, sends: rest},
		"part size":  {lacks: []string{"part_size"}, sends: resumeParts, warned: true},
		"everything": {lacks: []string{"completing", "stored_parts", "upload_id", "key_path", "part_size", "parts"}, sends: resumeParts, warned: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, resumeSize)
			m.breakOff(breaksAt)
			m.loseRecords()
			m.state = m.state.Edited(func(a acctest.Attrs) {
				for _, attribute := range tt.lacks {
					a["incomplete_upload"].(acctest.Attrs)[attribute] = nil
				}
			})
			gone, diags := m.Provider(m.provider).Destroy(m.state)
			want(t, "exists after destroy", gone.Exists(), false)
			want(t, "destroy warns of what cannot be read", strings.Contains(diags.String(), unreadable), tt.warned)
			untainted, diags := m.Provider(m.provider).Change(m.state.Untainted(), m.config.With(acctest.Attrs{"file_name": "other.mp4"}))
			want(t, "tainted after an update", untainted.Tainted || diags.Failed(), false)

			since := len(m.Journal())
			want(t, "apply warns of what cannot be read", strings.Contains(m.mustApply().String(), unreadable), tt.warned)
			want(t, "parts sent", len(sent(m.Server, since)), tt.sends)
		})
	}
}

// TestSinglePUTWithoutProof: nothing is stored without a word when storage, or a proxy before it,
// answers a single PUT otherwise than S3 does.
func TestSinglePUTWithoutProof(t *testing.T) {
	t.Parallel()
	const warning = "Nothing proves what is stored"
	noETag := http.Header{"ETag": nil}
	for name, tt := range map[string]struct {
		fault simulator.Fault
		fails bool
		text  string
	}{
		"200 and a page":                    {simulator.Fault{Status: 200, Body: "<!DOCTYPE html><title>Blocked by policy</title>"}, true, "a proxy or a filter has answered"},
		"200, a page and an ETag":           {simulator.Fault{Body: "\ufeff\n<html>Blocked</html>"}, true, "a proxy or a filter has answered"},
		"200 and a page that has no markup": {simulator.Fault{Status: 200, Body: "Blocked", Header: http.Header{"Content-Type": {"text/html"}}}, true, "a proxy or a filter has answered"},
		"200 and an error":                  {simulator.Fault{Status: 200, Body: "<Error><Code>InternalError</Code><Message>We failed</Message></Error>"}, true, "InternalError"},
		"200, an error and an ETag":         {simulator.Fault{Body: "<?xml version=\"1.0\"?>\n<Error><Code>SlowDown</Code></Error>"}, true, "SlowDown"},
		"204 and an error":                  {simulator.Fault{Status: 204, Header: http.Header{"Content-Type": {"text/html"}}}, false, warning},
		"202":                               {simulator.Fault{Status: 202}, false, warning},
		"201":                               {simulator.Fault{Status: 201}, false, warning},
		"200 without an ETag":               {simulator.Fault{Header: noETag}, false, warning},
		"202 with the ETag":                 {simulator.Fault{Status: 202, Processed: true, Header: http.Header{}}, false, ""},
		"302":                               {simulator.Fault{Status: 302, Header: http.Header{"Location": {"https://login.example.com/"}}}, true, "302 Found"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := newMachine(t, 1000)
				m.config = m.config.With(acctest.Attrs{"method": "single"})
				tt.fault.Call = simulator.CallPutObject
				if name == "202 with the ETag" {
					content, err := os.ReadFile(m.path)
					if err != nil {
						t.Fatal(err)
					}
					tt.fault.Header.Set("ETag", fmt.Sprintf("\"%x\"", md5.Sum(content)))
				}
				m.Fail(tt.fault)
				diags := m.apply()
				if diags.Failed() != tt.fails || tt.text == "" && len(diags) > 0 {
					t.Fatalf("diagnostics: %s", diags)
				}
				if tt.text != "" {
					m.says(diags, tt.text)
				}
				if stored := m.state.Text("key_path") != ""; stored == tt.fails {
					t.Errorf("key path %q", m.state.Text("key_path"))
				}
			})
		})
	}
}

// TestPlanNamesWhatIsNotFinished: a read names the file of the unfinished upload, not the stored
// one that it is to replace.
func TestPlanNamesWhatIsNotFinished(t *testing.T) {
	t.Parallel()
	m := newMachine(t, resumeSize)
	m.mustApply()
	m.config = m.config.With(acctest.Attrs{"file_name": "other.mp4"})
	media(t, m.path, resumeSize, 2)
	m.failsAt(breaksAt)
	_, diags := m.Provider(m.provider).Read(m.state)
	m.says(diags, "warning : An upload is not finished", "other.mp4: vod/input/", "(stored parts: 2 of 4)")
}
