package acctest

import (
	"context"
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/vodlive/terraform-provider-vodlive/internal/provider"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// process is a provider process on a machine.
type process struct {
	*Provider
	cancel context.CancelFunc

	mu    sync.Mutex
	conns []net.Conn
	dead  bool
}

func (p *player) process(pl *place) *process {
	pl.machine.date()
	pr := &process{}
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := p.w.dial(ctx, network, address)
		pr.mu.Lock()
		defer pr.mu.Unlock()
		if err == nil && pr.dead {
			_ = conn.Close()
			return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
		}
		pr.conns = append(pr.conns, conn)
		return conn, err
	}
	env := maps.Clone(p.w.Env)
	env["VODLIVE_RESUME_DIR"], env["VODLIVE_ACCESS_TOKEN_ID"], env["VODLIVE_ID_TOKEN"] = pl.machine.records, firstTokenID, firstToken
	if pl.account == 1 {
		env["VODLIVE_ACCESS_TOKEN_ID"], env["VODLIVE_SECRET_KEY"], env["VODLIVE_ID_TOKEN"] = otherTokenID, otherSecret, otherToken
	}
	switch pl.wrong {
	case 1:
		env["VODLIVE_SECRET_KEY"] = "wrong-secret-key-77"
	case 2:
		env["VODLIVE_ID_TOKEN"] = "wrong-id-token-77"
	case 3:
		delete(env, "VODLIVE_ID_TOKEN")
	case 4:
		delete(env, "VODLIVE_ID_TOKEN")
		env["VODLIVE_ID_TOKEN_FILE"] = filepath.Join(pl.machine.files, "no-token")
	}
	if p.service.TokenFile && pl.wrong == 0 {
		delete(env, "VODLIVE_ID_TOKEN")
		env["VODLIVE_ID_TOKEN_FILE"] = pl.machine.token(pl.account)
	}
	config := Attrs{"max_retries": 2}
	if pl.wrong == 5 {
		config["allowed_customer_ids"] = []any{"somebody-else"}
	}
	env["TF_WORKSPACE"] = pl.name
	if p.service.Backends {
		env["TF_WORKSPACE"], env["TF_DATA_DIR"] = "default", pl.machine.initialized(pl.name)
	}
	host := provider.Machine{Env: lookup(env), Dial: dial, Disk: pl.machine.disk.hook(pr), Dir: pl.machine.files}
	pr.Provider, pr.cancel = p.w.start(config, host).WithCancel()
	withOthers(pr.Provider, pl.machine)
	return pr
}

// die ends the process as SIGKILL does: its connections break, and nothing that it still does
// counts.
func (pr *process) die() {
	pr.mu.Lock()
	pr.dead = true
	for _, conn := range pr.conns {
		if conn != nil {
			_ = conn.Close()
		}
	}
	pr.mu.Unlock()
	pr.End()
	pr.cancel()
}

// over ends the process as Terraform does that has saved what it was told.
func (pr *process) over() {
	pr.End()
	pr.cancel()
}

// run is one run of Terraform in a workspace.
type run struct {
	*player
	place *place
	proc  *process

	mu          sync.Mutex
	said        map[string][]string // diagnostics by address
	failed      bool
	interrupted bool
	killed      bool
	over        bool
	creates     map[string]string   // what Create of an address was called for: outcome by address
	files       int                 // to be uploaded by folders
	answered    []simulator.Request // of the calls that store content, when the run was killed
	killedAt    time.Time
	destroyed   bool              // the plan destroys everything
	saves       int               // results until Terraform is killed before it saves one; 0: it is not
	forgotten   map[string]string // texts that refused the replacement of a session, by its id
	dying       sync.WaitGroup
}

// finished notes that the run has ended: nothing can kill it any more.
func (r *run) finished() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
}

// stop ends the run as Ctrl-C does: what runs is told to end, and nothing else starts.
func (r *run) stop() {
	r.mu.Lock()
	r.interrupted = true
	proc := r.proc
	r.mu.Unlock()
	if proc != nil {
		_, _ = proc.Server.StopProvider(context.Background(), &tfprotov6.StopProviderRequest{})
	}
}

// kill ends Terraform and its provider at once, unless the run is ending anyway.
func (r *run) kill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.killed || r.over || r.interrupted || r.proc == nil {
		return
	}
	r.killed = true
	r.answered, r.killedAt = r.stores(), time.Now()
	r.proc.die()
}

func (r *run) ended() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.interrupted || r.killed
}

// start starts the provider for the next phase.
func (r *run) start() {
	proc := r.process(r.place)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.proc = proc
}

// end ends the provider's process.
func (r *run) end() {
	r.mu.Lock()
	killed := r.killed
	r.mu.Unlock()
	if killed {
		r.proc.die()
		return
	}
	r.proc.over()
}

// note keeps what is said about an address. A killed Terraform has said nothing.
func (r *run) note(address string, diags Diagnostics) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reached.note(diags)
	r.said[address] = append(r.said[address], diags.Texts()...)
	r.failed = r.failed || diags.Failed()
}

// commit writes the state of an address, unless Terraform has been killed.
func (r *run) commit(address string, o Instance) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.saving(); r.killed {
		return
	}
	r.place.serial++
	if !o.State.IsNull() || len(o.Deposed) > 0 {
		r.place.state[address] = o
	} else {
		delete(r.place.state, address)
	}
}

func (r *run) instance(address string) Instance {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.place.state[address]
}

// each calls f for each address, at once where the resources do not depend on each other. f is not
// called for an address if it failed for one that the resource needs; reverse turns the order.
func (r *run) each(addresses []string, reverse bool, f func(address string) bool) {
	results := map[string]chan bool{}
	for _, address := range addresses {
		results[address] = make(chan bool, 1)
	}
	after := map[string][]string{}
	for _, address := range addresses {
		for _, need := range needs(address) {
			if results[need] == nil {
				continue
			}
			if reverse {
				after[need] = append(after[need], address)
			} else {
				after[address] = append(after[address], need)
			}
		}
	}
	var all sync.WaitGroup
	for _, address := range addresses {
		all.Go(func() {
			ok := false
			defer func() { results[address] <- ok }()
			defer r.rec.caught()
			fine := true
			for _, other := range after[address] {
				done := <-results[other]
				results[other] <- done
				fine = fine && done
			}
			if fine && !r.ended() {
				ok = f(address)
			}
		})
	}
	all.Wait()
}

// refresh reads the instances of the state that are targets, and only from its file if stored is
// set.
func (r *run) refresh(state map[string]Instance, targets map[string]bool, stored bool) map[string]Instance {
	var mu sync.Mutex
	fresh := maps.Clone(state)
	read := func(address string, o Instance) Instance {
		o, diags := r.proc.upgraded(o)
		if !stored && !diags.Failed() {
			var more Diagnostics
			o, more = r.proc.Read(o)
			diags = append(diags, more...)
		}
		r.note(address, diags)
		return o
	}
	r.each(slices.Collect(maps.Keys(state)), false, func(address string) bool {
		if targets != nil && !targets[address] {
			return true
		}
		o := state[address]
		deposed := o.Deposed
		if o.Exists() {
			o = read(address, o)
		}
		o.Deposed = nil
		for _, was := range deposed {
			if was = read(address, was); was.Exists() {
				o.Deposed = append(o.Deposed, was)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if fresh[address] = o; !o.Exists() && len(o.Deposed) == 0 {
			delete(fresh, address)
		}
		return true
	})
	return fresh
}

// changes is the plan of a workspace.
type changes struct {
	serial int
	state  map[string]Instance // refreshed
	plans  map[string]*Plan
	failed bool

	config configuration
}

func (c *changes) empty() bool {
	for _, pl := range c.plans {
		if pl.Action != NoOp || len(pl.Prior.Deposed) > 0 {
			return false
		}
	}
	return !c.failed
}

func (c *changes) String() string {
	var lines []string
	for _, address := range slices.Sorted(maps.Keys(c.plans)) {
		if pl := c.plans[address]; pl.Action != NoOp || len(pl.Prior.Deposed) > 0 {
			line := fmt.Sprintf("%s: %s", address, pl.Action)
			if pl.Prior.Tainted {
				line += " (tainted)"
			}
			if len(pl.Prior.Deposed) > 0 {
				line += " (deposed)"
			}
			lines = append(lines, line+" "+strings.Join(pl.Replaces, " "))
		}
	}
	return strings.Join(lines, ", ")
}

// plan refreshes and plans, as a step of a run says.
func (r *run) plan(s Step) *changes {
	var targets map[string]bool // nil: all
	if s.Do == DoTarget {
		targets = closure(s.On)
	}
	c := &changes{serial: r.place.serial, plans: map[string]*Plan{}, config: r.place.clone()}
	c.state = r.refresh(r.place.state, targets, s.Do == DoStored)
	if r.ended() || r.failed {
		c.failed = true
		return c
	}
	addresses := maps.Clone(c.state)
	for address := range r.place.configured() {
		addresses[address] = c.state[address]
	}
	if targets != nil {
		maps.DeleteFunc(addresses, func(address string, _ Instance) bool { return !targets[address] })
	}
	var mu sync.Mutex
	value := func(address, attribute string) any {
		mu.Lock()
		defer mu.Unlock()
		if pl := c.plans[address]; pl != nil && pl.Config != nil {
			return pl.Attrs()[attribute]
		}
		return Unknown
	}
	r.each(slices.Collect(maps.Keys(addresses)), false, func(address string) bool {
		prior, existed := c.state[address]
		if !existed || !prior.Exists() {
			was := prior.Deposed
			prior = r.proc.New(kinds[address].typ)
			prior.Deposed = was
		}
		block := r.place.blocks[address]
		pl := &Plan{
			Prior: prior, CreateBeforeDestroy: r.place.createBeforeDestroy(address), IgnoreChanges: []string{r.place.blocks[address].ignore},
			PreventDestroy: block.prevent, Forced: (s.Do == DoReplace || s.Do == DoStored) && address == s.On || block.triggered && c.changes(&mu, viaAddress),
		}
		if s.Do != DoDestroy {
			pl.Config = r.place.configOf(address, value)
		}
		if count := kinds[address].count; count != nil && pl.Config != nil {
			switch count(value) {
			case Unknown:
				pl.fail("Invalid count argument", "the value depends on attributes that cannot be determined until apply")
			case false:
				pl.Config = nil
			}
		}
		for _, was := range prior.Deposed {
			pl.Diags = append(pl.Diags, r.proc.Plan(was, nil).Diags...)
		}
		if pl.PreventDestroy && pl.Config == nil && prior.Exists() && r.place.variant(address) > 0 {
			pl.fail("Instance cannot be destroyed", "the lifecycle block prevents it")
		}
		switch {
		case pl.Diags.Failed():
		case pl.Config == nil && !prior.Exists(): // perhaps a deposed object
			pl.Action, pl.Planned = NoOp, prior.State
		default:
			r.proc.fill(pl)
		}
		r.note(address, pl.Diags)
		mu.Lock()
		defer mu.Unlock()
		c.plans[address] = pl
		return !pl.Diags.Failed()
	})
	c.failed = r.failed || r.ended() || len(c.plans) < len(addresses)
	return c
}

// changes tells whether a plan changes an object that exists, as replace_triggered_by asks.
func (c *changes) changes(mu *sync.Mutex, address string) bool {
	mu.Lock()
	defer mu.Unlock()
	pl := c.plans[address]
	return pl != nil && (pl.Action == Update || pl.Action == Replace)
}

// apply carries a plan out. deleted is called before anything is created.
func (r *run) apply(c *changes, deleted func()) {
	r.mu.Lock()
	if !r.killed {
		r.place.state = maps.Clone(c.state)
	}
	r.mu.Unlock()
	var destroys, changing, late []string
	for address, pl := range c.plans {
		if pl.Action == Delete || pl.Forced || pl.Prior.Tainted {
			r.player.ask(r.place, address)
		}
		switch {
		case pl.Action == Delete || pl.Action == Replace && !pl.CreateBeforeDestroy:
			destroys = append(destroys, address)
		case pl.Action == Replace:
			late = append(late, address)
		}
		if len(pl.Prior.Deposed) > 0 {
			late = append(late, address)
		}
		if pl.Action != Delete && pl.Action != NoOp {
			changing = append(changing, address)
		}
	}
	gone, made := &outcome{}, &outcome{}
	r.each(destroys, true, func(address string) bool {
		pl := c.plans[address]
		o, diags := r.proc.applyOne(&Plan{Action: Delete, private: pl.private, identity: pl.Prior.Identity}, pl.Prior)
		r.note(address, diags)
		o.Deposed = pl.Prior.Deposed
		r.commit(address, o)
		gone.set(address, !diags.Failed())
		return !diags.Failed()
	})
	deleted()
	r.each(changing, false, func(address string) bool {
		// What an object needs changes only once that object has been destroyed, if it is to be.
		if slices.ContainsFunc(destroys, func(other string) bool { return !gone.is(other) && (other == address || r.place.uses(other, address)) }) {
			return false
		}
		ok := r.change(address, c.plans[address])
		made.set(address, ok)
		return ok
	})
	r.each(slices.Compact(slices.Sorted(slices.Values(late))), true, func(address string) bool {
		if slices.Contains(changing, address) && !made.is(address) {
			return false
		}
		o := r.instance(address)
		deposed, ok := o.Deposed, true
		o.Deposed = nil
		for _, was := range deposed {
			old, diags := r.proc.Destroy(was)
			r.note(address, diags)
			if ok = ok && !diags.Failed(); old.Exists() {
				o.Deposed = append(o.Deposed, old)
			}
		}
		r.commit(address, o)
		return ok
	})
}

// change creates or updates, and creates what replaces.
func (r *run) change(address string, pl *Plan) bool {
	pl.Config = r.place.configOf(address, func(address, attribute string) any { return r.instance(address).Attrs()[attribute] })
	r.configured(address, pl)
	from, deposed := pl.Prior, pl.Prior.Deposed
	if pl.Action == Replace {
		from = r.proc.New(pl.Prior.Type)
		if pl.CreateBeforeDestroy {
			was := pl.Prior
			was.Deposed = nil
			deposed = append(slices.Clip(deposed), was)
			from.Deposed = deposed
			r.commit(address, from) // before the create, as Terraform does
		}
	}
	r.creating(address, pl)
	o, diags := r.proc.planAndApply(pl, from)
	r.planned(&changes{plans: map[string]*Plan{address: pl}}) // a file that another one replaced after r.configured
	r.note(address, diags)
	if notLost.MatchString(diags.String()) && len(unfinished(o.Attrs())) == 0 {
		r.rec.Errorf("%s: the state has no unfinished upload, of which a text says that parts are stored: %s", address, diags)
	}
	r.created(address, from, o, diags)
	if !diags.Failed() && !pl.CreateBeforeDestroy {
		r.namesLeft(address, pl.Prior, o)
	}
	if pl.Action == Replace && !pl.CreateBeforeDestroy && !o.Exists() {
		r.refused(address, pl, diags)
	}
	o.Deposed = deposed
	if pl.Action == Replace && pl.CreateBeforeDestroy && !o.Exists() {
		o = pl.Prior // Terraform takes the old object back
	}
	r.commit(address, o)
	return !diags.Failed()
}

// outcome has the results of changes by address.
type outcome struct {
	mu sync.Mutex
	ok map[string]bool
}

func (o *outcome) set(address string, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ok == nil {
		o.ok = map[string]bool{}
	}
	o.ok[address] = ok
}

func (o *outcome) is(address string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.ok[address]
}

// namesLeft requires that an unfinished upload that has left the state was completed, or is named,
// or that a text says that an unfinished upload cannot, or could not, be continued.
// Where the plan did not know what a folder has, that is not known. Two resources of the same files
// may exchange their uploads, and so may a resource and a test of it.
func (r *run) namesLeft(address string, before, now Instance) {
	both := func(one, other string) bool { return r.place.variant(one) > 0 && r.place.variant(other) > 0 }
	if r.tested || r.place.via[address] > 0 || both("folder.one", "folder.two") || both("upload.small", "upload.twin") {
		return
	}
	r.mu.Lock()
	said := strings.Join(slices.DeleteFunc(slices.Clone(r.said[address]), func(text string) bool {
		return strings.Contains(text, "An upload is not finished") // of the refresh, whatever comes of it
	}), "\n")
	r.mu.Unlock()
	for file, left := range unfinished(before.Attrs()) {
		keyPath, _ := left["key_path"].(string)
		if keyPath != "" && !strings.Contains(said, keyPath) && !strings.Contains(said, "An unfinished upload c") && !strings.Contains(fmt.Sprint(now.Attrs()), keyPath) {
			r.rec.Errorf("%s: the unfinished upload %s of %q leaves the state, and no text names it", address, keyPath, file)
		}
	}
}
