package acctest_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"pgregory.net/rapid"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// A state machine draws the life cycle of some resources as a list of steps and plays it in virtual
// time. After every step it checks what the contract promises at any time. A step that has no object
// does nothing, so rapid can shrink a list by leaving out steps.

// check checks a property with a number of life cycles, or with as many as -rapid.checks says:
// rapid's default would take minutes.
func check(t *testing.T, number int, property func(*rapid.T)) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	isDefault := checks.Value.String() == checks.DefValue
	played, failed := 0, false
	rapid.Check(t, func(drawn *rapid.T) {
		if played++; isDefault && played > number && !failed {
			return
		}
		held := false
		defer func() { failed = failed || !held }() // rapid goes on, to shrink the life cycle
		property(drawn)
		held = true
	})
}

// playInBubble plays a drawn life cycle. What goes wrong fails the test of rapid, which then shrinks
// the life cycle.
func playInBubble(t *testing.T, drawn *rapid.T, life func(tb testing.TB)) {
	t.Helper()
	r := &recorder{}
	synctest.Test(t, func(t *testing.T) {
		r.TB = t
		played := make(chan struct{})
		go func() { // a failure ends this goroutine only
			defer close(played)
			defer r.catch()
			<-time.After(acctest.Settling(t))
			life(r)
		}()
		<-played
	})
	if r.failure != "" {
		drawn.Log(strings.Join(r.story, "\n"))
		drawn.Fatalf("a failure of the kind %q", r.failure) // rapid shrinks as long as the text stays the same
	}
}

// recorder is a test whose failures do not fail the test that it is made of.
type recorder struct {
	testing.TB

	mu      sync.Mutex
	failure string   // the format of the first failure; "": there is none
	story   []string // what happened
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failure = cmp.Or(r.failure, format)
	r.story = append(r.story, "FAILURE: "+fmt.Sprintf(format, args...))
}

func (r *recorder) Error(args ...any) { r.Errorf("%s", fmt.Sprint(args...)) }

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Fatal(args ...any) { r.Fatalf("%s", fmt.Sprint(args...)) }

// Logf adds a line to the story that a failure tells.
func (r *recorder) Logf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.story = append(r.story, fmt.Sprintf(format, args...))
}

// catch is deferred in every goroutine that calls the provider.
func (r *recorder) catch() {
	if cause := recover(); cause != nil {
		r.Errorf("panic: %v\n%s", cause, debug.Stack())
	}
}

// user has a configuration and a state, and runs Terraform on a machine.
type user struct {
	*acctest.World

	tb       *recorder
	name     string
	machine  string // a resume_dir
	provider acctest.Attrs
	blocks   map[string]block            // by address
	state    map[string]acctest.Instance // by address
	between  func(*run)                  // is called between a plan and its apply; nil: nothing happens
}

// block is a resource of the configuration.
type block struct {
	typ         string
	args        acctest.Attrs
	late        []string // arguments that only the apply knows
	createFirst bool     // create_before_destroy
}

// newUser returns a user with an empty configuration and state. tb is a recorder.
func newUser(tb testing.TB, w *acctest.World, name string, provider acctest.Attrs) *user {
	tb.Helper()
	r, isRecorder := tb.(*recorder)
	if !isRecorder {
		tb.Fatal("a user needs a recorder")
	}
	return &user{World: w, tb: r, name: name, machine: tb.TempDir(), provider: provider, blocks: map[string]block{}, state: map[string]acctest.Instance{}}
}

// ways are how a run of Terraform goes.
type ways struct {
	Only    string // "plan" or "refresh"; "": plan and apply
	Replace string // the address of -replace
	Death   string // one of deaths; "" is none
	At      int    // the request of the apply that meets the death, from 1
	Faults  []fault
}

// deaths are the ways in which an apply ends early: killed before or after the service has processed
// a request, interrupted, or done but never saved.
var deaths = []string{"", "", "", "killed before", "killed after", "interrupted", "not saved"}

// fault is what goes wrong at the service during a run.
type fault struct {
	Call, What   string // the name of a call; a key of troubles
	After, Times int
}

var troubles = map[string]simulator.Fault{
	"break before": {BreakBefore: true},
	"break after":  {BreakAfter: true},
	"cut":          {Truncate: true},
	"400":          {Status: http.StatusBadRequest, Body: `{"message":"this will not do"}`},
	"403":          {Status: http.StatusForbidden, Body: `<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>`},
	"404":          {Status: http.StatusNotFound, Body: `<html><head><title>not found</title></head></html>`},
	"429":          {Status: http.StatusTooManyRequests},
	"500":          {Status: http.StatusInternalServerError},
	"504 after":    {Status: http.StatusGatewayTimeout, Processed: true},
	"NoSuchUpload": {Status: http.StatusNotFound, Body: `{"message":"NoSuchUpload: The specified upload does not exist.","code":"NoSuchUpload"}`},
	"stall":        {Delay: time.Hour},
}

// run is one run of Terraform.
type run struct {
	ways

	user    *user
	process *acctest.Provider
	begun   time.Time // of the apply
	before  map[string]acctest.Instance
	plans   map[string]*acctest.Plan

	mu       sync.Mutex
	says     map[string]acctest.Diagnostics // by address
	returned map[string]acctest.Instance    // by the provider, whether saved or not
	failed   bool
	dead     bool // nothing is saved any more
	stopped  bool // nothing is begun any more
	kept     map[string][]byte
}

// terraform runs Terraform.
func (u *user) terraform(w ways) *run {
	r := &run{ways: w, user: u, plans: map[string]*acctest.Plan{}, says: map[string]acctest.Diagnostics{}, returned: map[string]acctest.Instance{}}
	r.before = maps.Clone(u.state)
	for _, f := range w.Faults {
		trouble := troubles[f.What]
		trouble.Call, trouble.After, trouble.Times = f.Call, f.After, f.Times
		u.Fail(trouble)
	}
	defer u.ClearFaults()
	u.tb.Logf("%s runs %+v", u.name, w)
	r.start()
	fresh := r.refresh()
	switch {
	case r.failed:
	case w.Only == "refresh":
		u.state = fresh
	default:
		if r.plan(fresh); !r.failed && w.Only == "" {
			u.state = fresh
			if u.between != nil {
				u.between(r)
			}
			r.start()
			r.apply()
		}
	}
	u.tb.Logf("%s has %s", u.name, u.describe())
	return r
}

// start starts the provider process of a phase.
func (r *run) start() {
	r.user.Env["VODLIVE_RESUME_DIR"] = r.user.machine
	r.process = r.user.Provider(r.user.provider)
}

// note keeps what the provider says about an address.
func (r *run) note(address string, diags acctest.Diagnostics) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.says[address] = append(r.says[address], diags...)
	r.failed = r.failed || diags.Failed()
	for _, text := range diags.Texts() {
		r.user.tb.Logf("  %s: %s", address, text)
	}
}

// text is all that the provider has said.
func (r *run) text() string {
	var all []string
	for _, diags := range r.says {
		all = append(all, diags.String())
	}
	return strings.Join(all, "\n")
}

// errors are the errors of an address.
func (r *run) errors(address string) (errors []string) {
	for _, d := range r.says[address] {
		if one := (acctest.Diagnostics{d}); one.Failed() {
			errors = append(errors, one.String())
		}
	}
	return errors
}

// refresh returns the state as the provider reads it.
func (r *run) refresh() map[string]acctest.Instance {
	fresh := map[string]acctest.Instance{}
	read := func(address string, o acctest.Instance) acctest.Instance {
		if o.Exists() {
			var diags acctest.Diagnostics
			o, diags = r.process.Read(o)
			r.note(address, diags)
		}
		if !o.Exists() {
			o = r.process.New(o.Type) // an object that is gone is not tainted any more
		}
		return o
	}
	for _, address := range slices.Sorted(maps.Keys(r.user.state)) {
		o := r.user.state[address]
		deposed := o.Deposed
		o = read(address, o)
		o.Deposed = nil
		for _, was := range deposed {
			if was = read(address, was); was.Exists() {
				o.Deposed = append(o.Deposed, was)
			}
		}
		if o.Exists() || len(o.Deposed) > 0 {
			fresh[address] = o
		}
	}
	return fresh
}

// plan plans every resource of the configuration and of the state.
func (r *run) plan(fresh map[string]acctest.Instance) {
	addresses := slices.Collect(maps.Keys(r.user.blocks))
	for address := range fresh {
		if _, configured := r.user.blocks[address]; !configured {
			addresses = append(addresses, address)
		}
	}
	slices.Sort(addresses)
	for _, address := range addresses {
		b, configured := r.user.blocks[address]
		prior, exists := fresh[address]
		if !exists {
			prior = r.process.New(b.typ)
		}
		var config acctest.Attrs
		if configured {
			config = maps.Clone(b.args)
			for _, name := range b.late {
				config[name] = acctest.Unknown
			}
		}
		var pl *acctest.Plan
		switch {
		case config == nil && !prior.Exists():
			pl = &acctest.Plan{Action: acctest.NoOp, Prior: prior}
		case address == r.Replace:
			pl = r.process.PlanReplace(prior, config)
		default:
			pl = r.process.Plan(prior, config)
		}
		pl.CreateBeforeDestroy = b.createFirst
		r.note(address, pl.Diags)
		for _, was := range prior.Deposed {
			r.note(address, r.process.Plan(was, nil).Diags)
		}
		r.plans[address] = pl
		r.user.tb.Logf("  %s: %s %v", address, pl.Action, pl.Replaces)
	}
}

// isEmpty reports whether a plan without errors has nothing to do.
func (r *run) isEmpty() bool {
	return !r.failed && !slices.ContainsFunc(slices.Collect(maps.Values(r.plans)), func(pl *acctest.Plan) bool {
		return pl.Action != acctest.NoOp || len(pl.Prior.Deposed) > 0
	})
}

// apply applies all plans at once, and dies on the way if the run is to.
func (r *run) apply() {
	<-time.After(time.Millisecond) // so that what this apply creates is not as old as the apply
	r.begun = time.Now()
	count := 0
	remove := r.user.Hook("", func(*http.Request) {
		r.mu.Lock()
		count++
		dies := count == r.At
		r.mu.Unlock()
		if dies {
			r.die()
		}
	})
	defer remove()
	var all sync.WaitGroup
	for address, pl := range r.plans {
		all.Go(func() {
			defer r.user.tb.catch()
			r.change(address, pl)
		})
	}
	all.Wait()
	if r.kept != nil {
		r.restoreMachine()
	}
}

// die ends the run as its death says. It is called before the service processes a request.
func (r *run) die() {
	switch r.Death {
	case "killed before", "killed after":
		r.mu.Lock()
		r.dead, r.stopped, r.kept = true, true, r.readMachine()
		r.mu.Unlock()
		r.process.Kill()
		if r.Death == "killed before" {
			panic(http.ErrAbortHandler)
		}
	case "interrupted":
		r.mu.Lock()
		r.stopped = true
		r.mu.Unlock()
		_, _ = r.process.Server.StopProvider(context.Background(), &tfprotov6.StopProviderRequest{})
	case "not saved":
		r.mu.Lock()
		defer r.mu.Unlock()
		r.dead = true
	}
}

// readMachine and restoreMachine take back what the goroutines of a killed process have still done
// to the machine.
func (r *run) readMachine() map[string][]byte {
	kept := map[string][]byte{}
	for _, name := range r.recorded() {
		kept[name], _ = os.ReadFile(name)
	}
	return kept
}

func (r *run) restoreMachine() {
	for _, name := range r.recorded() {
		if r.kept[name] == nil {
			_ = os.Remove(name)
		}
	}
	for name, content := range r.kept {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			r.user.tb.Fatal(err)
		}
	}
}

// recorded are the files of the provider on the machine.
func (r *run) recorded() []string {
	names, _ := filepath.Glob(filepath.Join(r.user.machine, "*", "*"))
	return names
}

// change carries out the plan of one address, in Terraform's order.
func (r *run) change(address string, pl *acctest.Plan) {
	if pl.Config != nil {
		pl.Config = r.user.blocks[address].args
	}
	o, deposed := pl.Prior, pl.Prior.Deposed
	o.Deposed = nil
	if !pl.CreateBeforeDestroy {
		deposed = r.destroy(address, deposed)
	}
	var diags acctest.Diagnostics
	switch {
	case pl.Action == acctest.NoOp:
	case pl.Action == acctest.Replace && pl.CreateBeforeDestroy:
		was := o
		r.save(address, r.process.New(was.Type), append(slices.Clip(deposed), was))
		if o, diags = r.process.ApplyCreate(pl); diags.Failed() && !o.Exists() {
			o = was // Terraform takes the old object back
		} else {
			deposed = append(slices.Clip(deposed), was)
		}
	case pl.Action == acctest.Replace:
		if o, diags = r.process.ApplyDelete(pl); !diags.Failed() {
			r.save(address, o, deposed)
			if r.hasStopped() {
				return
			}
			o, diags = r.process.ApplyCreate(pl)
		}
	default:
		o, diags = r.process.Apply(pl)
	}
	r.note(address, diags)
	if pl.Action != acctest.NoOp {
		r.mu.Lock()
		r.returned[address] = o
		r.mu.Unlock()
	}
	r.save(address, o, deposed)
	if pl.CreateBeforeDestroy && !diags.Failed() && len(deposed) > 0 && !r.hasStopped() {
		r.save(address, o, r.destroy(address, deposed))
	}
}

// destroy destroys deposed objects, and returns those that are left.
func (r *run) destroy(address string, deposed []acctest.Instance) (left []acctest.Instance) {
	for _, was := range deposed {
		o, diags := r.process.Destroy(was)
		if r.note(address, diags); o.Exists() {
			left = append(left, o)
		}
	}
	return left
}

func (r *run) hasStopped() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stopped
}

// save writes the state of an address, unless Terraform is dead.
func (r *run) save(address string, o acctest.Instance, deposed []acctest.Instance) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dead {
		return
	}
	o.Deposed = deposed
	if r.user.state[address] = o; !o.Exists() && len(deposed) == 0 {
		delete(r.user.state, address)
	}
}

// objects are all objects of an address: the current one, then those that are deposed.
func objects(o acctest.Instance) []acctest.Instance {
	if !o.Exists() {
		return o.Deposed
	}
	return append([]acctest.Instance{o}, o.Deposed...)
}

// describe is the state as a failure shows it.
func (u *user) describe() string {
	var all []string
	for _, address := range slices.Sorted(maps.Keys(u.state)) {
		for i, o := range objects(u.state[address]) {
			text := address + "=" + o.Text("id")
			if o.Tainted {
				text += " tainted"
			}
			if i > 0 || !u.state[address].Exists() {
				text += " deposed"
			}
			all = append(all, text)
		}
	}
	return "[" + strings.Join(all, ", ") + "]"
}
