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

// TestDriverIsLikeTerraform plays recorded histories with the driver and with the real CLI: both make
// the same calls in each step, apart from how many read sessions, and leave the same states.
func TestDriverIsLikeTerraform(t *testing.T) {
	t.Parallel()
	for i, h := range recorded() {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
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
	const a, small, twin, job = "session.a", "upload.small", "upload.twin", "job.one"
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
		{multi, configure(twin, 1), apply, write, failing(simulator.CallMultipartComplete), apply},
		{configure("folder.one", 1), apply, write, {Do: DoWrite, On: "media/a.mp4", N: 2}, {Do: DoDelete, On: "media/b.mp4"}, apply, destroy},
		{configure("folder.one", 4), failing(simulator.CallPutObject), apply, apply},
		{session, configure("session.b", 4), configure("status.all", 3), apply, on(DoTaint, a), apply, configure("session.b", 0), apply},
		{file, {Do: DoSave}, {Do: DoSaved}, {Do: DoSaved}},
		{file, apply, {Do: DoSave}, write, {Do: DoSaved}, apply},
		{file, apply, {Do: DoDelete, On: "small.mp4"}, apply, on(DoReplace, small)},
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
		if o.Exists() {
			show(address, o)
		}
		if o.Deposed != nil {
			show(address+" (deposed)", *o.Deposed)
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
		case name == "sessions", name == "session_ids":
			all[name] = reflect.ValueOf(value).Len() // by id
		case name == "source", name == "source_dir":
			all[name] = filepath.Base(text)
		case name == "paths":
			all[name] = "set" // key paths
		case slices.Contains([]string{"incomplete_upload", "port", "egress_port"}, name) && value != nil, isText && slices.Contains(various, name):
			all[name] = "set"
		}
	}
	all["tainted"] = tainted
	return all
}

// various are the attributes that differ from run to run.
var various = []string{
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
	return &realPlayer{CLI: c, tb: t, server: server, place: &place{machine: m, variants: map[string]int{}, cbd: map[string]bool{}}}
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
		DoTaint: {"taint", terraformAddress(s.On)}, DoUntaint: {"untaint", terraformAddress(s.On)}, DoRemove: {"state", "rm", terraformAddress(s.On)},
	}[s.Do]
	switch {
	case args != nil:
		c.output = c.Run(args...).Output
	case s.Do == DoConfig:
		c.place.configure(s.On, s.N)
	case s.Do == DoCBD:
		c.place.cbd[s.On] = !c.place.cbd[s.On]
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

type reference string

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
		if c.place.cbd[address] {
			b.WriteString("  lifecycle {\n    create_before_destroy = true\n  }\n")
		}
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
		return strconv.Quote(v)
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
			if k.typ != r.Type || !strings.HasSuffix(address, "."+r.Name) {
				continue
			}
			for _, o := range r.Instances {
				key := address
				if o.Deposed != "" {
					key += " (deposed)"
				}
				m.State[key] = plain(o.Attributes, o.Status == "tainted")
			}
		}
	}
	return m
}
