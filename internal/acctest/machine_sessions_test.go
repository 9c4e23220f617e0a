package acctest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestSessionMachine plays random life cycles of sessions: two users of one account, each with two
// resources whose arguments may be equal.
func TestSessionMachine(t *testing.T) {
	t.Parallel()
	check(t, 80, func(drawn *rapid.T) {
		service := drawService(drawn)
		blocks := rapid.SliceOfN(rapid.Custom(drawSessionBlock), 4, 4).Draw(drawn, "blocks")
		steps := rapid.SliceOfN(rapid.Custom(drawSessionStep), 2, 14).Draw(drawn, "steps")
		playInBubble(t, drawn, func(tb testing.TB) {
			tb.Helper()
			m := newSessionMachine(tb, service)
			for i, b := range blocks {
				m.configure(i%2, sessionAddresses[i/2], b)
			}
			for _, s := range steps {
				m.step(s)
			}
			m.settle()
		})
	})
}

// drawService draws how the service differs from the ordinary one.
func drawService(t *rapid.T) simulator.Options {
	return simulator.Options{
		ReadyAfter:     rapid.SampledFrom([]time.Duration{0, 30 * time.Second}).Draw(t, "ready after"),
		ListAfter:      rapid.SampledFrom([]time.Duration{0, 0, 20 * time.Second}).Draw(t, "list after"),
		GetAfter:       rapid.SampledFrom([]time.Duration{0, 0, 10 * time.Second}).Draw(t, "get after"),
		LateAllocation: rapid.Bool().Draw(t, "late allocation"),
		Respelled:      rapid.Bool().Draw(t, "respelled"),
		PageSize:       rapid.SampledFrom([]int{100, 1}).Draw(t, "page size"),
	}
}

// sessionStep is a step of a life cycle of sessions.
type sessionStep struct {
	Do    string // "configure", "run", "end", "vanish", "taint", "untaint", "state rm" or "wait"
	User  int
	On    string       // address
	Block sessionBlock // of configure
	Run   ways
	Which int    // session: the oldest is 0
	To    string // status of end
}

// sessionBlock is what is drawn of a resource.
type sessionBlock struct {
	Gone           bool // not in the configuration
	Name           string
	Pull           bool
	Existing       string // on_existing
	CreateFirst    bool
	Protected      bool
	Unawaited      bool // wait_for_status = []
	Short          bool // a time limit that a session may exceed
	ReplaceStopped bool
}

var sessionAddresses = []string{"a", "b"}

func drawSessionStep(t *rapid.T) sessionStep {
	verbs := []string{"run", "run", "run", "run", "configure", "configure", "configure", "end", "vanish", "taint", "untaint", "state rm", "wait"}
	s := sessionStep{
		Do:   rapid.SampledFrom(verbs).Draw(t, "do"),
		User: rapid.IntRange(0, 1).Draw(t, "user"),
		On:   rapid.SampledFrom(sessionAddresses).Draw(t, "on"),
	}
	switch s.Do {
	case "configure":
		s.Block = drawSessionBlock(t)
	case "run":
		s.Run = drawSessionRun(t)
	case "end", "vanish":
		s.Which = rapid.IntRange(0, 3).Draw(t, "which")
		s.To = rapid.SampledFrom([]string{"STOPPED", "ERROR", "STOPPING"}).Draw(t, "to")
	}
	return s
}

func drawSessionBlock(t *rapid.T) sessionBlock {
	rarely := rapid.SampledFrom([]bool{false, false, false, true})
	return sessionBlock{
		Gone:           rarely.Draw(t, "gone"),
		Name:           rapid.SampledFrom([]string{"match", "derby"}).Draw(t, "name"),
		Pull:           rarely.Draw(t, "pull"),
		Existing:       rapid.SampledFrom([]string{"fail", "use", "use", "create"}).Draw(t, "on_existing"),
		CreateFirst:    rapid.Bool().Draw(t, "create first"),
		Protected:      rarely.Draw(t, "protected"),
		Unawaited:      rarely.Draw(t, "unawaited"),
		Short:          rarely.Draw(t, "short"),
		ReplaceStopped: rarely.Draw(t, "replace stopped"),
	}
}

func drawSessionRun(t *rapid.T) ways {
	w := ways{
		Only:    rapid.SampledFrom([]string{"", "", "", "plan", "refresh"}).Draw(t, "only"),
		Replace: rapid.SampledFrom([]string{"", "", "", "a", "b"}).Draw(t, "replace"),
		Death:   rapid.SampledFrom(deaths).Draw(t, "death"),
		At:      rapid.IntRange(1, 8).Draw(t, "at"),
	}
	w.Faults = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) fault {
		return fault{
			Call:  rapid.SampledFrom([]string{simulator.CallCreateSession, simulator.CallGetSession, simulator.CallListSessions}).Draw(t, "call"),
			What:  rapid.SampledFrom([]string{"break before", "break after", "cut", "400", "404", "429", "500", "504 after"}).Draw(t, "what"),
			After: rapid.IntRange(0, 3).Draw(t, "after"),
			Times: rapid.IntRange(1, 6).Draw(t, "times"),
		}
	}), 0, 2).Draw(t, "faults")
	return w
}

// arguments are those of the configuration.
func (b sessionBlock) arguments() acctest.Attrs {
	config := acctest.Attrs{
		"name": b.Name, "region": "eu-central-1", "input": "RTMP_PUSH", "mode": "NORM", "output_mode": "RTMP_PULL", "on_existing": b.Existing,
		"input_preset":        acctest.Attrs{"resolution": "HD", "bitrate": "MAX_10_MBPS"},
		"deletion_protection": b.Protected,
	}
	if b.Pull {
		config["input"], config["input_source_a"] = "RTMP_PULL", "rtmp://source.example/live/key"
	}
	if b.Unawaited {
		config["wait_for_status"] = []any{}
	}
	if b.Short {
		config["timeouts"] = acctest.Attrs{"create": "10s"}
	}
	if b.ReplaceStopped {
		config["replace_on_status"] = []any{"STOPPED", "ERROR"}
	}
	return config
}

// kind identifies the arguments of sessions that are equal.
func (b sessionBlock) kind() string {
	if b.Pull {
		return b.Name + " RTMP_PULL"
	}
	return b.Name + " RTMP_PUSH"
}

func kindOf(s simulator.SessionRecord) string { return s.Name + " " + s.Input }

func isRunning(s simulator.SessionRecord) bool {
	return !slices.Contains([]string{"ERROR", "TERMINATED", "STOPPED", "CANCELLED"}, s.Status)
}

// sessionMachine plays a life cycle of sessions.
type sessionMachine struct {
	*acctest.World

	tb        *recorder
	listAfter time.Duration
	users     []*user
	drawn     []map[string]sessionBlock // of each user, by address
	known     map[string]bool           // ids of all sessions that the service has ever had

	mu       sync.Mutex
	requests []createRequest // of the run
}

// createRequest is a create request, and the equal sessions that ran when it was sent.
type createRequest struct {
	kind  string
	equal []simulator.SessionRecord
}

func newSessionMachine(tb testing.TB, service simulator.Options) *sessionMachine {
	tb.Helper()
	w := acctest.NewWorld(tb, service)
	w.Quiet = true
	m := &sessionMachine{World: w, listAfter: service.ListAfter, known: map[string]bool{}}
	for _, name := range []string{"first", "second"} {
		m.users = append(m.users, newUser(tb, w, name, acctest.Attrs{"max_retries": 1, "skip_region_validation": true}))
		m.drawn = append(m.drawn, map[string]sessionBlock{})
	}
	m.tb = m.users[0].tb
	w.Hook(simulator.CallCreateSession, m.requested)
	return m
}

// requested notes a create request.
func (m *sessionMachine) requested(r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var args struct{ Name, Input string }
	if err := json.Unmarshal(body, &args); err != nil {
		return // the connection is broken
	}
	request := createRequest{kind: args.Name + " " + args.Input}
	for _, s := range m.Sessions() {
		if kindOf(s) == request.kind && isRunning(s) {
			request.equal = append(request.equal, s)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, request)
}

func (m *sessionMachine) step(s sessionStep) {
	u := m.users[s.User]
	o, exists := u.state[s.On]
	sessions := m.Sessions()
	switch s.Do {
	case "configure":
		m.configure(s.User, s.On, s.Block)
	case "run":
		m.run(s.User, s.Run)
	case "end":
		if s.Which < len(sessions) {
			m.tb.Logf("session %s is %s", sessions[s.Which].ID, s.To)
			m.SetStatus(sessions[s.Which].ID, s.To)
		}
	case "vanish":
		if s.Which < len(sessions) {
			m.tb.Logf("session %s vanishes", sessions[s.Which].ID)
			m.RemoveSession(sessions[s.Which].ID)
		}
	case "taint", "untaint":
		if exists && o.Exists() {
			m.tb.Logf("%s %ss %s", u.name, s.Do, s.On)
			o.Tainted = s.Do == "taint"
			u.state[s.On] = o
		}
	case "state rm":
		m.tb.Logf("%s removes %s from the state", u.name, s.On)
		delete(u.state, s.On)
	case "wait":
		<-time.After(time.Minute)
	}
}

func (m *sessionMachine) configure(of int, address string, b sessionBlock) {
	u := m.users[of]
	m.tb.Logf("%s configures %s: %+v", u.name, address, b)
	if b.Gone {
		delete(u.blocks, address)
		delete(m.drawn[of], address)
		return
	}
	u.blocks[address] = block{typ: "vodlive_live_session", args: b.arguments(), createFirst: b.CreateFirst}
	m.drawn[of][address] = b
}

// run runs Terraform and checks what holds after every run.
func (m *sessionMachine) run(of int, w ways) *run {
	m.requests = nil
	r := m.users[of].terraform(w)
	for _, s := range m.Sessions() {
		m.known[s.ID] = true
	}
	if w.Only != "" && len(m.requests) > 0 {
		m.tb.Errorf("a run without an apply sends a create request")
	}
	m.checkRequests(r, m.drawn[of])
	m.checkForgotten(r, m.drawn[of])
	m.checkErrors(r)
	for address, o := range r.user.state {
		for _, object := range objects(o) {
			if id := object.Text("id"); !m.known[id] {
				m.tb.Errorf("%s of %s has session %q, which is not the service's", address, r.user.name, id)
			}
		}
	}
	return r
}

// checkRequests: no create request is sent while an equal session runs and is listed, unless
// `on_existing = "create"`. One that the run has given to a resource does not count.
func (m *sessionMachine) checkRequests(r *run, drawn map[string]sessionBlock) {
	for _, request := range m.requests {
		mayCreate := slices.ContainsFunc(slices.Collect(maps.Values(drawn)), func(b sessionBlock) bool {
			return b.kind() == request.kind && b.Existing == "create"
		})
		for _, s := range request.equal {
			if m.isListed(s, r) && !mayCreate && !r.hasReturned(s.ID) {
				m.tb.Errorf("%s creates a session %q while %s runs", r.user.name, request.kind, s.ID)
			}
		}
	}
}

// isListed reports whether the listing has shown a session since before the apply of a run began.
func (m *sessionMachine) isListed(s simulator.SessionRecord, r *run) bool {
	return s.CreatedAt.Add(m.listAfter).Before(r.begun)
}

// hasReturned reports whether the provider has returned an object with an id.
func (r *run) hasReturned(id string) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(r.returned)), func(o acctest.Instance) bool { return o.Text("id") == id })
}

// checkForgotten: a run that takes a running session from the state says so, unless the session was
// tainted. No plan sees `-replace`. Its Create finds the session again if it is listed and, with
// create_before_destroy, if it is the only equal one.
func (m *sessionMachine) checkForgotten(r *run, drawn map[string]sessionBlock) {
	kept := map[string]bool{}
	for _, o := range r.user.state {
		for _, object := range objects(o) {
			kept[object.Text("id")] = true
		}
	}
	running, listed := map[string]bool{}, map[string]bool{}
	for _, s := range m.Sessions() {
		running[s.ID], listed[s.ID] = isRunning(s), m.isListed(s, r)
	}
	for address, o := range r.before {
		for _, object := range objects(o) {
			id := object.Text("id")
			b, isUndisturbed := drawn[address], len(r.Faults) == 0 && r.Death == ""
			if address == r.Replace && (b.Existing == "create" || b.CreateFirst || !listed[id] || !isUndisturbed) {
				continue
			}
			if running[id] && !kept[id] && !object.Tainted && !strings.Contains(r.text(), id) {
				m.tb.Errorf("%s: session %s runs and leaves the state without a word", address, id)
			}
		}
	}
}

// checkErrors: an apply to which nothing happens succeeds, or its errors name a session.
func (m *sessionMachine) checkErrors(r *run) {
	if len(r.Faults) > 0 || r.Death != "" {
		return
	}
	for address := range r.says {
		for _, text := range r.errors(address) {
			if m.named(text) == "" {
				m.tb.Errorf("%s of %s: the error names no session: %s", address, r.user.name, text)
			}
		}
	}
}

// named returns the id of a session that a text names, "" if it names none.
func (m *sessionMachine) named(text string) string {
	for id := range m.known {
		if strings.Contains(text, id) {
			return id
		}
	}
	return ""
}

// settle ends all trouble and applies until every plan is empty. The users do what errors advise.
func (m *sessionMachine) settle() {
	m.tb.Logf("trouble ends")
	<-time.After(2 * time.Minute) // what appears late has appeared
	for _, s := range m.Sessions() {
		if s.Status == "STOPPING" {
			m.SetStatus(s.ID, "STOPPED")
		}
	}
	for of, u := range m.users {
		m.release(of)
		const applies = 4 // one that fails, one that follows its advice, and one that ends what was deposed
		for round := 0; ; round++ {
			r := m.run(of, ways{Only: "plan"})
			if r.isEmpty() {
				break
			}
			if round == applies {
				m.tb.Fatalf("after %d applies, the plan of %s is not empty: %s", applies, u.name, r.text())
			}
			r = m.run(of, ways{})
			for address, b := range m.drawn[of] {
				if len(r.errors(address)) > 0 && b.Existing == "fail" {
					b.Existing = "use"
					m.configure(of, address, b)
				}
			}
		}
		m.checkSettled(of)
	}
}

// release lifts what no apply can lift: protection, and time limits that are too short.
func (m *sessionMachine) release(of int) {
	u := m.users[of]
	for address, o := range u.state {
		isProtected := func(o acctest.Instance) bool { return o.Attrs()["deletion_protection"] == true }
		o.Deposed = slices.DeleteFunc(slices.Clone(o.Deposed), isProtected) // state rm, and an import of the other one
		u.state[address] = o
		isGone := !slices.ContainsFunc(m.Sessions(), func(s simulator.SessionRecord) bool { return s.ID == o.Text("id") })
		switch _, configured := m.drawn[of][address]; {
		case !isProtected(o):
		case isGone:
			delete(u.state, address) // state rm
		case !configured:
			m.configure(of, address, sessionBlock{Name: o.Text("name"), Pull: o.Text("input") == "RTMP_PULL", Existing: "use"})
		}
	}
	for address, b := range m.drawn[of] {
		b.Protected, b.Short = false, false
		m.configure(of, address, b)
	}
}

// checkSettled: every resource has a session of the service with its arguments.
func (m *sessionMachine) checkSettled(of int) {
	for address, b := range m.drawn[of] {
		o := m.users[of].state[address]
		i := slices.IndexFunc(m.Sessions(), func(s simulator.SessionRecord) bool { return s.ID == o.Text("id") })
		if i < 0 || kindOf(m.Sessions()[i]) != b.kind() {
			m.tb.Errorf("%s of %s has session %q, which has not its arguments: %s", address, m.users[of].name, o.Text("id"), fmt.Sprintf("%+v", b))
		}
	}
}
