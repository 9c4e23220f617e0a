package acctest

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestDriverIsLikeTerraform plays recorded histories with the driver and with the real CLI: both
// make the same calls in each step, apart from how many read sessions, and leave the same states.
func TestDriverIsLikeTerraform(t *testing.T) {
	t.Parallel()
	for i, h := range recorded() {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			if strings.Contains(h.String(), `"file.`) && LocalProvider() == "" {
				t.Skip("there is no provider of files: run the tests with make test")
			}
			c := newRealPlayer(t)
			want := driven(t, h)
			for j, s := range h.Steps {
				c.step(s)
				if diff := cmp.Diff(c.moment(), want[j]); diff != "" {
					t.Fatalf("after step %d of\n%s\nTerraform (-) and the driver (+) differ:\n%s\n%s", j, h, diff, c.output)
				}
			}
		})
	}
}

// recorded are histories without what needs virtual time: no wait for a status, no retries.
func recorded() []History {
	configure := func(on string, n int) Step { return Step{Do: DoConfig, On: on, N: n} }
	apply, destroy := Step{Do: DoApply}, Step{Do: DoDestroy}
	on := func(do, address string) Step { return Step{Do: do, On: address} }
	failing := func(call string) Step { return Step{Do: DoApply, Faults: []Trouble{{Call: call, What: "400"}}} }
	via := func(on string, n int) Step { return Step{Do: DoVia, On: on, N: n} }
	salt, made := Step{Do: DoSalt}, configure("file.one", 1)
	const a, small, job = "session.a", "upload.small", "job.one"
	session, file, jobs := configure(a, 4), configure(small, 1), configure(job, 1)
	multi := configure(small, 2)
	write := Step{Do: DoWrite, On: "small.mp4", N: 2}
	var all []History
	for _, steps := range [][]Step{
		{session, apply, apply},
		{session, apply, destroy},
		{session, apply, on(DoTaint, a), apply},
		{session, apply, on(DoTaint, a), on(DoUntaint, a), apply},
		{session, apply, on(DoReplace, a)},
		{session, on(DoCBD, a), apply, on(DoReplace, a)},
		{session, apply, on(DoRemove, a), apply},
		{session, apply, configure(a, 0), apply},
		{session, apply, {Do: DoGone}, apply},
		{session, apply, {Do: DoGone}, {Do: DoRefresh}, {Do: DoPlan}},
		{session, failing(simulator.CallGetSession), apply},
		{session, failing(simulator.CallGetSession), on(DoUntaint, a), apply},
		{session, on(DoCBD, a), failing(simulator.CallGetSession), apply},
		{session, failing(simulator.CallCreateSession), apply},
		{session, file, apply, {Do: DoRefresh}},
		{file, jobs, apply, write, apply},
		{file, configure("upload.text", 1), apply, on(DoReplace, small), write, apply},
		{file, on(DoProtect, small), on(DoCBD, small), apply, on(DoTaint, small), apply, on(DoTaint, small), apply, on(DoProtect, small), apply},
		{file, jobs, apply, on(DoReplace, small)},
		{file, jobs, on(DoCBD, job), apply, write, apply},
		{file, jobs, apply, configure(job, 2), apply},
		{file, jobs, apply, configure(small, 0), apply},
		{file, jobs, failing(simulator.CallBatch), apply},
		{file, failing(simulator.CallPutObject), apply},
		{multi, failing(simulator.CallMultipartComplete), apply},
		{multi, failing(simulator.CallMultipartComplete), on(DoUntaint, small), apply},
		{multi, failing(simulator.CallMultipartComplete), destroy},
		{multi, on(DoCBD, small), failing(simulator.CallMultipartComplete), apply},
		{multi, apply, write, failing(simulator.CallMultipartComplete), apply},
		{configure("folder.one", 1), apply, write, {Do: DoWrite, On: "media/a.mp4", N: 2}, {Do: DoDelete, On: "media/b.mp4"}, apply, destroy},
		{configure("folder.one", 4), failing(simulator.CallPutObject), apply, apply},
		{session, configure("session.b", 4), configure("status.all", 3), apply, on(DoTaint, a), apply, configure("session.b", 0), apply},
		{file, {Do: DoSave}, {Do: DoSaved}, {Do: DoSaved}},
		{file, apply, {Do: DoSave}, write, {Do: DoSaved}, apply},
		{file, apply, {Do: DoDelete, On: "small.mp4"}, apply, on(DoReplace, small)},
		// What was unknown while planning comes out as it was, or not.
		{session, via(a, 1), apply, salt, apply, apply},
		{session, via(a, 3), apply, salt, on(DoIgnore, a), configure(a, 1), apply},
		{session, via(a, 1), on(DoCBD, a), apply, salt, apply},
		{file, jobs, via(small, 1), via(job, 1), apply, salt, apply, write, salt, apply},
		{configure("folder.one", 1), configure("job.b", 1), via("folder.one", 3), apply, salt, apply},
		{session, via(a, 1), apply, salt, {Do: DoSave}, {Do: DoSaved}, {Do: DoPlan}},
		// Blocks and options.
		{session, on(DoTrigger, a), apply, salt, apply},
		{session, on(DoPrevent, a), apply, on(DoReplace, a), on(DoPrevent, a), on(DoReplace, a)},
		{file, jobs, apply, write, on(DoTarget, small), apply},
		{session, file, apply, on(DoStored, a), {Do: DoGone}, {Do: DoStored}, apply},
		{configure(small, 3), {Do: DoIgnore, On: small, N: 3}, apply, write, configure(small, 2), configure(small, 3), apply, on(DoIgnore, small), apply},
		// Files that the apply makes.
		{made, {Do: DoConfig, On: "upload.made", N: 1}, configure("job.made", 1), apply, {Do: DoDelete, On: "made/one.mp4"}, apply, apply},
		{made, {Do: DoConfig, On: "upload.made", N: 3}, apply, configure("file.one", 2), apply, destroy},
		{made, configure("file.two", 1), configure("folder.made", 1), apply, configure("file.two", 3), apply, {Do: DoDelete, On: "made/two.mp4"}, apply, destroy},
	} {
		all = append(all, History{Steps: steps})
	}
	return all
}

// moment is what a step has led to.
type moment struct {
	Calls map[string]int // of the step
	State map[string]any // by address
}

// driven plays a history with the driver.
func driven(t *testing.T, h History) (moments []moment) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{TB: t}
		p := newPlayer(r, h)
		over := make(chan struct{})
		go func() {
			defer close(over)
			defer r.caught()
			for i, s := range h.Steps {
				before := p.at[0].Counts()
				p.step(i, s)
				moments = append(moments, moment{since(before, p.at[0].Counts()), p.places[0].shown()})
			}
		}()
		<-over
		if failure := r.text(); failure != "" {
			t.Fatalf("%s\n%s", failure, &p.story)
		}
	})
	return moments
}

func since(before, after map[string]int) map[string]int {
	calls := map[string]int{}
	for call, n := range after {
		if n > before[call] {
			calls[call] = n - before[call]
		}
	}
	// With several sessions, a page of the listing may arrive before a GET is made or after it.
	if calls[simulator.CallListSessions] > 0 && calls[simulator.CallGetSession] > 0 {
		calls[simulator.CallGetSession], calls[simulator.CallListSessions] = 1, 1
	}
	return calls
}

// shown is the state of a workspace as moments have it.
func (pl *place) shown() map[string]any {
	state := map[string]any{}
	show := func(key string, o Instance) {
		attributes, err := json.Marshal(o.Attrs())
		if err != nil {
			panic(err)
		}
		state[key] = plain(attributes, o.Tainted)
	}
	for address, o := range pl.state {
		if otherSchemas[o.Type] != nil {
			continue
		}
		if o.Exists() {
			show(address, o)
		}
		for i, was := range o.Deposed {
			show(fmt.Sprintf("%s (deposed %d)", address, i), was)
		}
	}
	return state
}

// plain are attributes without what differs from run to run.
func plain(attributes []byte, tainted bool) map[string]any {
	var all map[string]any
	if err := json.Unmarshal(attributes, &all); err != nil {
		panic(err)
	}
	for name, value := range all {
		text, isText := value.(string)
		switch {
		case name == "files":
			files, _ := value.(map[string]any)
			for path, e := range files {
				entry, err := json.Marshal(e)
				if err != nil {
					panic(err)
				}
				files[path] = plain(entry, false)
			}
		case slices.Contains([]string{"sessions", "session_ids", "urls"}, name) && value != nil:
			all[name] = reflect.ValueOf(value).Len() // by id
		case name == "source", name == "source_dir":
			all[name] = filepath.Base(text)
		case name == "paths":
			all[name] = "set" // key paths
		case slices.Contains([]string{"incomplete_upload", "port", "egress_port"}, name) && value != nil, isText && slices.Contains(varying, name):
			all[name] = "set"
		}
	}
	all["tainted"] = tainted
	return all
}

// varying are the attributes that differ from run to run.
var varying = []string{
	"id", "key_path", "location", "uploaded_at", "submitted_at", "message", "input_endpoint_a", "output_endpoint_a", "sub_domain_a", "elastic_ip_a",
}

// realPlayer plays steps with the real CLI.
type realPlayer struct {
	*CLI
	tb     testing.TB
	server *Server
	place  *place
	before map[string]int
	output string
}

func newRealPlayer(t *testing.T) *realPlayer {
	t.Helper()
	server := Start(t, simulator.Options{})
	c := NewCLI(t, server)
	m := newMachine(t.TempDir(), c.Env("VODLIVE_RESUME_DIR"))
	return &realPlayer{CLI: c, tb: t, server: server, place: newPlace("0", m)}
}

func (c *realPlayer) step(s Step) {
	c.before = c.server.Counts()
	for _, trouble := range s.Faults {
		fault := troubles[trouble.What]
		fault.Call = trouble.Call
		c.server.Fail(fault)
	}
	args := map[string][]string{
		DoApply: {"apply", "-auto-approve"}, DoPlan: {"plan"}, DoSave: {"plan", "-out=saved"}, DoSaved: {"apply", "saved"},
		DoRefresh: {"apply", "-refresh-only", "-auto-approve"}, DoDestroy: {"destroy", "-auto-approve"}, DoReplace: {"apply", "-auto-approve", "-replace=" + terraformAddress(s.On)},
		DoTarget: {"apply", "-auto-approve", "-target=" + terraformAddress(s.On)}, DoStored: {"apply", "-auto-approve", "-refresh=false"},
		DoTaint: {"taint", terraformAddress(s.On)}, DoUntaint: {"untaint", terraformAddress(s.On)}, DoRemove: {"state", "rm", terraformAddress(s.On)},
	}[s.Do]
	if s.Do == DoStored && s.On != "" {
		args = append(args, "-replace="+terraformAddress(s.On))
	}
	switch {
	case args != nil:
		c.output = c.Start(args...).Wait().Output // with a provider process for each phase, as the driver has
	case s.Do == DoConfig:
		c.place.configure(s.On, s.N)
	case slices.Contains([]string{DoCBD, DoPrevent, DoProtect, DoTrigger, DoIgnore, DoVia, DoSalt}, s.Do):
		c.place.change(s)
	case s.Do == DoWrite:
		c.place.machine.write(s.On, s.N)
	case s.Do == DoDelete:
		c.place.machine.write(s.On, 0)
	case s.Do == DoGone:
		c.server.RemoveSession(c.server.Sessions()[s.N].ID)
	}
	c.Config(c.text())
	c.server.ClearFaults()
}

// terraformAddress is an address as Terraform has it.
func terraformAddress(address string) string {
	_, name, _ := strings.Cut(address, ".")
	return kinds[address].typ + "." + name
}

// text is the configuration.
func (c *realPlayer) text() string {
	var b strings.Builder
	b.WriteString("provider \"vodlive\" {\n  max_retries = 2\n}\n")
	configured := c.place.configured()
	for _, address := range slices.Sorted(maps.Keys(configured)) {
		kind, name, _ := strings.Cut(terraformAddress(address), ".")
		config := c.place.configOf(address, func(other, attribute string) any { return reference(terraformAddress(other) + "." + attribute) })
		fmt.Fprintf(&b, "resource %q %q {\n", kind, name)
		for _, attribute := range slices.Sorted(maps.Keys(config)) {
			fmt.Fprintf(&b, "  %s = %s\n", attribute, expression(config[attribute]))
		}
		if condition := kinds[address].condition; condition != "" {
			fmt.Fprintf(&b, "  count = %s ? 1 : 0\n", condition)
		}
		var after []string
		for _, need := range kinds[address].needs {
			if configured[need] {
				after = append(after, terraformAddress(need))
			}
		}
		fmt.Fprintf(&b, "  depends_on = [%s]\n", strings.Join(after, ", "))
		block := c.place.blocks[address]
		fmt.Fprintf(&b, "  lifecycle {\n    create_before_destroy = %t\n    prevent_destroy = %t\n", block.cbd, block.prevent)
		switch block.ignore {
		case "":
		case "all":
			b.WriteString("    ignore_changes = all\n")
		default:
			fmt.Fprintf(&b, "    ignore_changes = [%s]\n", block.ignore)
		}
		if block.triggered {
			b.WriteString("    replace_triggered_by = [terraform_data.via]\n")
		}
		b.WriteString("  }\n")
		b.WriteString("}\n")
	}
	return b.String()
}

// expression is a value in HCL.
func expression(v any) string {
	switch v := v.(type) {
	case reference:
		return string(v)
	case string:
		return strings.NewReplacer("${", "$${", "%{", "%%{").Replace(strconv.Quote(v))
	case []any:
		var items []string
		for _, item := range v {
			items = append(items, expression(item))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case Attrs:
		var items []string
		for name, value := range v {
			items = append(items, name+" = "+expression(value))
		}
		return "{" + strings.Join(items, ", ") + "}"
	}
	return fmt.Sprint(v)
}

// moment reads the state from its file.
func (c *realPlayer) moment() moment {
	c.tb.Helper()
	m := moment{since(c.before, c.server.Counts()), map[string]any{}}
	content, err := os.ReadFile(filepath.Join(c.Dir, "terraform.tfstate"))
	if err != nil {
		return m // nothing has been applied
	}
	var state struct {
		Resources []struct {
			Type      string `json:"type"`
			Name      string `json:"name"`
			Instances []struct {
				Status     string          `json:"status"`
				Deposed    string          `json:"deposed"`
				Attributes json.RawMessage `json:"attributes"`
			} `json:"instances"`
		} `json:"resources"`
	}
	if err := json.Unmarshal(content, &state); err != nil {
		c.tb.Fatal(err)
	}
	for _, r := range state.Resources {
		for address, k := range kinds {
			if k.typ != r.Type || otherSchemas[r.Type] != nil || !strings.HasSuffix(address, "."+r.Name) {
				continue
			}
			deposed := 0
			for _, o := range r.Instances {
				key := address
				if o.Deposed != "" {
					key += fmt.Sprintf(" (deposed %d)", deposed)
					deposed++
				}
				m.State[key] = plain(o.Attributes, o.Status == "tainted")
			}
		}
	}
	return m
}
