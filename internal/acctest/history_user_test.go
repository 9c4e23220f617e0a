package acctest

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// machine has files and a resume_dir.
type machine struct {
	files, records string

	versions map[string]int // of each file; 0: there is none
	own      map[string]string
	saved    map[string][]byte // of records, when a provider was killed
}

func newMachine(files, records string) *machine {
	m := &machine{files: files, records: records, versions: map[string]int{}, own: map[string]string{}}
	m.write("small.mp4", 1) // the other one is written when it is configured
	return m
}

var fileNames = []string{"big.mp4", "small.mp4"}

func (m *machine) write(name string, n int) {
	m.versions[name] = n
	path := filepath.Join(m.files, name)
	_ = os.Remove(path + ".away")
	if n == 0 {
		_ = os.Remove(path)
		return
	}
	if err := os.WriteFile(path, content(name, n), 0o600); err != nil {
		panic(err)
	}
	m.touch(name)
}

func (m *machine) touch(name string) {
	if m.versions[name] > 0 {
		_ = os.Chtimes(filepath.Join(m.files, name), time.Now(), time.Now())
	}
}

// snapshot keeps the records as they are now.
func (m *machine) snapshot() {
	m.saved = map[string][]byte{}
	_ = filepath.WalkDir(m.records, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			m.saved[path], _ = os.ReadFile(path)
		}
		return nil
	})
}

// restore undoes what a killed provider has done to its records after it was killed.
func (m *machine) restore() {
	if m.saved == nil {
		return
	}
	_ = filepath.WalkDir(m.records, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && m.saved[path] == nil {
			_ = os.Remove(path)
		}
		return nil
	})
	for path, content := range m.saved {
		_ = os.WriteFile(path, content, 0o600)
	}
	m.saved = nil
}

// changeRecords does to resume_dir what a user may do.
func (m *machine) changeRecords(n int) {
	own := filepath.Join(m.records, "terraform-provider-vodlive")
	records, _ := filepath.Glob(filepath.Join(own, "upload-"+strings.Repeat("?", 32)+".json"))
	switch n {
	case 0:
		_ = os.RemoveAll(own)
		m.own = map[string]string{}
	case 1: // of a power cut
		for _, path := range records {
			content, _ := os.ReadFile(path)
			_ = os.WriteFile(path, content[:len(content)/2], 0o600)
		}
	case 2: // foreign content
		for _, path := range records {
			content, _ := os.ReadFile(path)
			_ = os.WriteFile(path, []byte(otherMD5.ReplaceAllString(string(content), `"md5":"00112233445566778899aabbccddeeff"`)), 0o600)
		}
	case 3: // files of the user, in both folders
		_ = os.MkdirAll(own, 0o700)
		for _, name := range []string{"notes.txt", "upload-notes.json", "upload.json.lock", "upload-0123.json", "hash-x.tmp"} {
			for _, dir := range []string{m.records, own} {
				path := filepath.Join(dir, name)
				_ = os.WriteFile(path, []byte("mine: "+name), 0o600)
				_ = os.Chtimes(path, time.Now().AddDate(-1, 0, 0), time.Now().AddDate(-1, 0, 0))
				m.own[path] = "mine: " + name
			}
		}
	}
}

var otherMD5 = regexp.MustCompile(`"md5":"[0-9a-f]{32}"`)

// place is a workspace: a state and a configuration, on a machine.
type place struct {
	name     string
	machine  *machine
	account  int
	variants map[string]int
	cbd      map[string]bool
	state    map[string]Instance
	serial   int
	saved    *changes
	advice   map[string]string // what was last said about an address
}

// configured are the addresses in the configuration.
func (pl *place) configured() map[string]bool {
	all := map[string]bool{}
	for address := range pl.variants {
		if pl.variant(address) > 0 {
			all[address] = true
		}
	}
	return all
}

// variant is that of an address. A job needs its file.
func (pl *place) variant(address string) int {
	if kinds[address].typ == jobType && pl.variants["upload.small"] == 0 {
		return 0
	}
	return pl.variants[address]
}

func (pl *place) configOf(address string, value func(address, attribute string) any) Attrs {
	n := pl.variant(address)
	if n == 0 {
		return nil
	}
	variants := kinds[address].variants
	return variants[(n-1)%len(variants)](pl.machine, value)
}

// createBeforeDestroy holds for an address if it is set for it, or for what needs it.
func (pl *place) createBeforeDestroy(address string) bool {
	for other, k := range kinds {
		if slices.Contains(k.needs, address) && pl.createBeforeDestroy(other) {
			return true
		}
	}
	return pl.cbd[address]
}

// player plays a history.
type player struct {
	rec    *recorder
	w      *World
	at     accounts
	places []*place
	story  strings.Builder // of the steps, for a failure

	checked
}

func newPlayer(r *recorder, h History) *player {
	s := h.Service
	options := simulator.Options{
		GetAfter: time.Duration(s.GetLate) * time.Second, ListAfter: time.Duration(s.ListLate) * time.Second,
		PageSize: s.PageSize, RepeatOnNextPage: s.Repeat, Respelled: s.Respelled, CheckUploadAtURL: s.CheckUpload, PartChecksum: s.Checksum,
		Dir: r.TempDir(), IDToken: firstToken,
	}
	if s.KMS {
		options.Encryption = "aws:kms"
	}
	if s.Oldest {
		options.ListOrder = "oldest"
	}
	other := options
	other.AccessTokenID, other.SecretKey, other.IDToken, other.Bucket = otherTokenID, otherSecret, otherToken, otherBucket
	p := &player{rec: r, at: accounts{newService(r, options), newService(r, other)}, checked: newChecked(h)}
	p.w = newWorld(r, p.at[0], p.at)
	p.at[1].SetStorageURL(p.w.Storage.URL() + "/storage")
	r.Cleanup(func() { _ = p.at[1].Close() })
	for range s.Others {
		p.before[p.at[0].AddSession(simulator.SessionRecord{})] = true
	}
	one, two := newMachine(r.TempDir(), r.TempDir()), newMachine(r.TempDir(), r.TempDir())
	for i, m := range []*machine{one, one, two} {
		p.places = append(p.places, &place{
			name: fmt.Sprint(i), machine: m, cbd: map[string]bool{}, state: map[string]Instance{}, advice: map[string]string{},
			variants: map[string]int{},
		})
	}
	return p
}

// step plays a step and checks the invariants.
func (p *player) step(i int, s Step) {
	fmt.Fprintf(&p.story, "%d: %s\n", i, literalStep(s))
	pl := p.places[s.In%len(p.places)]
	time.Sleep(3 * time.Second) // so that a file written now is not the one of the step before
	p.begin()
	p.sent = s.Do
	p.arm(s.Faults)
	p.hard = len(s.During) > 0 || slices.ContainsFunc(s.Faults, func(fault Trouble) bool { return !p.overcome(fault) }) || attempts(s.Faults) > 2
	switch s.Do {
	case DoBoth:
		other := p.places[s.N%len(p.places)]
		if other == pl {
			break
		}
		a, b := p.newRun(pl), p.newRun(other)
		remove := p.strike(s.During, a, b)
		var both sync.WaitGroup
		for _, r := range []*run{a, b} {
			both.Go(func() {
				defer p.rec.caught()
				p.terraform(r, Step{Do: DoApply}, nil)
			})
		}
		both.Wait()
		remove()
		p.finish(a, b)
	case DoApply, DoPlan, DoSave, DoSaved, DoRefresh, DoDestroy, DoReplace:
		r := p.newRun(pl)
		remove := p.strike(s.During, r)
		p.terraform(r, s, func() { p.between(pl, s.During) })
		remove()
		p.finish(r)
	case DoAdvice:
		p.follow(pl)
	case DoSettle:
		p.settle()
	default:
		p.act(pl, s)
	}
	p.check()
}

func literalStep(s Step) string {
	text := History{Steps: []Step{s}}.String()
	return strings.TrimSuffix(strings.TrimSpace(strings.Split(text, "\n")[2]), ",")
}

// arm has the calls of a step fail.
func (p *player) arm(faults []Trouble) {
	for _, trouble := range faults {
		fault, known := troubles[trouble.What]
		if !known {
			p.rec.Fatalf("there is no trouble %q", trouble.What)
		}
		toStorage := trouble.Call == simulator.CallPutPart || trouble.Call == simulator.CallPutObject
		if trouble.What == "echo" && toStorage {
			fault = troubles["400"] // storage knows no credential
		}
		if fault.Stall && !toStorage {
			fault = troubles["silent"]
		}
		if fault.Delay > time.Hour && toStorage {
			fault = troubles["stall"]
		}
		fault.Call, fault.After, fault.Times = trouble.Call, trouble.After, trouble.Times
		for i, service := range p.at {
			if trouble.What == "echo" && i == 1 {
				fault.Body = `{"message":"refused for ` + otherToken + ` and ` + otherSecret + `"}`
			}
			service.Fail(fault)
		}
		p.troubled = true
	}
}

// overcome tells whether the provider overcomes a fault if it hits two requests at most.
func (p *player) overcome(trouble Trouble) bool {
	once := trouble.Call == simulator.CallCreateSession || trouble.Call == simulator.CallBatch
	switch trouble.What {
	case "429", "429 wait":
		return true
	case "500", "502", "503", "503 wait", "503 after", "504 after", "break before", "break after", "slow":
		return !once
	case "wrong ETag":
		return !p.service.KMS && (trouble.Call == simulator.CallPutPart || trouble.Call == simulator.CallPutObject)
	case "very slow":
		return trouble.Call == simulator.CallMultipartComplete
	}
	return false
}

// attempts is the number of requests that fail, large if it has no end. A slow one does not fail.
func attempts(faults []Trouble) (n int) {
	for _, trouble := range faults {
		if strings.HasSuffix(trouble.What, "slow") {
			continue
		}
		if n += trouble.Times; trouble.Times == 0 {
			return 1000
		}
	}
	return n
}

// newRun is a run of Terraform that has not begun.
func (p *player) newRun(pl *place) *run {
	return &run{player: p, place: pl, said: map[string][]string{}, creates: map[string]string{}}
}

// strike has the steps happen before the requests with their numbers.
func (p *player) strike(steps []Step, runs ...*run) (remove func()) {
	var mu sync.Mutex
	count := 0
	hook := func(*http.Request) {
		mu.Lock()
		defer mu.Unlock()
		count++
		for _, s := range steps {
			if s.At != count {
				continue
			}
			switch s.Do {
			case DoInterrupt:
				runs[s.N%len(runs)].stop()
			case DoKill, DoKillEarly:
				if len(runs) > 1 {
					continue // the records are shared, so those of one process cannot be restored
				}
				runs[0].kill()
				if s.Do == DoKillEarly {
					panic(http.ErrAbortHandler)
				}
			default:
				p.act(runs[0].place, s)
			}
		}
	}
	var removes []func()
	for _, service := range p.at {
		removes = append(removes, service.Hook("", hook))
	}
	return func() {
		for _, remove := range removes {
			remove()
		}
	}
}

// between plays the steps between plan and apply.
func (p *player) between(pl *place, steps []Step) {
	for _, s := range steps {
		if s.At == 0 {
			p.act(pl, s)
		}
	}
}

// terraform runs Terraform. between is called between plan and apply; it may be nil.
func (p *player) terraform(r *run, s Step, between func()) {
	pl := r.place
	r.destroyed = s.Do == DoDestroy
	var c *changes
	if s.Do == DoSaved {
		c, pl.saved = pl.saved, nil
		if c == nil || c.serial != pl.serial {
			return // Terraform: the saved plan is stale
		}
	} else {
		r.start()
		if s.Do == DoRefresh {
			state := r.refresh(pl.state)
			r.end()
			if !r.ended() && !r.failed {
				pl.state = state
				pl.serial++
			}
			return
		}
		c = r.plan(s.Do == DoDestroy, map[bool]string{true: s.On}[s.Do == DoReplace])
		r.end()
	}
	switch {
	case c.failed, r.ended():
		return
	case s.Do == DoPlan:
		return
	case s.Do == DoSave:
		pl.saved = c
		return
	}
	if between != nil {
		between()
	}
	p.planned(c)
	r.start()
	r.apply(c)
	r.end()
}

// finish takes over what a run has said, once everything of it has ended.
func (p *player) finish(runs ...*run) {
	synctest.Wait()
	for _, r := range runs {
		p.judge(r)
		if r.killed {
			r.place.machine.restore()
			fmt.Fprintf(&p.story, "   killed\n")
			continue // its texts were never printed
		}
		for _, address := range slices.Sorted(maps.Keys(r.said)) {
			for _, text := range r.said[address] {
				p.hear(r.place, text)
				fmt.Fprintf(&p.story, "   %s: %s: %s\n", r.place.name, address, indented(text))
			}
			r.place.advice[address] = strings.Join(r.said[address], "\n")
		}
	}
}

func indented(text string) string { return strings.ReplaceAll(text, "\n", "\n        ") }

// act plays a step that is no run of Terraform.
func (p *player) act(pl *place, s Step) {
	p.acted(pl, s)
	switch s.Do {
	case DoConfig:
		pl.variants[s.On] = s.N
		if s.On == "upload.big" && pl.machine.versions["big.mp4"] == 0 {
			pl.machine.write("big.mp4", 1)
		}
	case DoCBD:
		pl.cbd[s.On] = !pl.cbd[s.On]
	case DoTaint, DoUntaint:
		if o, ok := pl.state[s.On]; ok && o.Exists() {
			o.Tainted = s.Do == DoTaint
			pl.set(s.On, o)
		}
	case DoRemove:
		p.forget(pl, s.On)
	case DoEdit:
		if o, ok := pl.state[s.On]; ok && o.Exists() {
			pl.set(s.On, editParts(o))
		}
	case DoAccount:
		pl.account = s.N % 2
		for address, o := range pl.state { // files of the other account are of no use here; unfinished uploads may stay
			if o.Exists() && kinds[address].typ != sessionType && (s.N < 4 || o.Attrs()["incomplete_upload"] == nil) {
				p.forget(pl, address)
			}
		}
	case DoWrite:
		pl.machine.write(s.On, s.N)
	case DoTouch:
		pl.machine.touch(s.On)
	case DoRename:
		from := filepath.Join(pl.machine.files, s.On)
		if exists(from) {
			_ = os.Rename(from, from+".away")
		} else {
			_ = os.Rename(from+".away", from)
		}
	case DoDelete:
		pl.machine.write(s.On, 0)
	case DoRecords:
		pl.machine.changeRecords(s.N)
	default:
		p.serve(s)
	}
}

// serve plays what happens at the service.
func (p *player) serve(s Step) {
	for _, service := range p.at {
		switch s.Do {
		case DoDrop:
			for _, u := range service.Uploads() {
				service.DropUpload(u.UploadID)
			}
		case DoStatus:
			statuses := []string{"ERROR", "TERMINATED", "STOPPING", "NEW_STATUS", "READY", "CANCELLED"}
			for i, rec := range service.Sessions() {
				if i%2 == s.N%2 && !final[rec.Status] {
					service.SetStatus(rec.ID, statuses[s.N%len(statuses)])
				}
			}
		case DoGone:
			if all := service.Sessions(); len(all) > 0 {
				service.RemoveSession(all[s.N%len(all)].ID)
			}
		}
	}
}

func (pl *place) set(address string, o Instance) {
	pl.state[address] = o
	pl.serial++
}

// forget is `terraform state rm`: it shows the address only, but the user chose it.
func (p *player) forget(pl *place, address string) {
	if o, ok := pl.state[address]; ok {
		p.released(o)
		delete(pl.state, address)
		pl.serial++
	}
}

// editParts edits the list of stored parts in a state: the MD5 of the first is another one.
func editParts(o Instance) Instance {
	left, _ := o.Attrs()["incomplete_upload"].(Attrs)
	if left == nil {
		return o
	}
	return o.Edited(func(a Attrs) {
		parts, _ := left["parts"].(string)
		if len(parts) > 5 {
			left["parts"] = parts[:2] + "AAAA" + parts[6:]
		}
		a["incomplete_upload"] = left
	})
}

// settle ends all trouble and applies, following the advice, until nothing is left to do.
func (p *player) settle() {
	p.clear()
	time.Sleep(2 * time.Minute) // what appears late has appeared
	for _, pl := range p.places {
		for _, name := range fileNames {
			path := filepath.Join(pl.machine.files, name)
			if exists(path + ".away") {
				_ = os.Rename(path+".away", path)
			}
			if !exists(path) && (name == "small.mp4" || pl.variants["upload.big"] > 0) {
				pl.machine.write(name, 1)
			}
		}
	}
	for _, pl := range p.places {
		if len(pl.variants) == 0 && len(pl.state) == 0 {
			continue
		}
		for round := 0; ; round++ {
			p.follow(pl)
			r := p.newRun(pl)
			r.start()
			c := r.plan(false, "")
			r.end()
			p.finish(r)
			if c.empty() {
				break
			}
			if round == 3 {
				p.rec.Fatalf("after 3 applies without faults, the plan of workspace %s is not empty: %s\n%v", pl.name, c, r.said)
			}
			r = p.newRun(pl)
			p.terraform(r, Step{Do: DoApply}, nil)
			p.finish(r)
			p.check()
		}
	}
}

var (
	importLive  = regexp.MustCompile(`to = vodlive_live_session\.NAME\n +id = "([^"]+)"`)
	importMedia = regexp.MustCompile(`terraform import ADDRESS (\S+)`)
	lookFor     = regexp.MustCompile(`look for a session named "((?:[^"\\]|\\.)*)" in region`)
)

// follow does what the texts of the last run advise.
func (p *player) follow(pl *place) {
	for _, address := range slices.Sorted(maps.Keys(pl.advice)) {
		text, o := pl.advice[address], pl.state[address]
		delete(pl.advice, address)
		switch kinds[address].typ {
		case sessionType:
			if !o.Exists() {
				p.importSession(pl, address, text)
			} else if o.Tainted && strings.Contains(text, "terraform untaint") && !final[o.Text("status")] {
				pl.set(address, o.Untainted())
			}
		case uploadType:
			found := importMedia.FindStringSubmatch(text)
			if len(found) == 0 || !slices.ContainsFunc(p.at.objects(), func(object simulator.Object) bool { return object.KeyPath == found[1] }) {
				continue
			}
			p.forget(pl, address)
			p.adopt(pl, address, found[1])
		}
	}
}

var final = map[string]bool{"ERROR": true, "TERMINATED": true, "STOPPED": true, "CANCELLED": true}

// importSession imports a session that no resource has: one that a text names, else one that the
// account has as the text describes it.
func (p *player) importSession(pl *place, address, text string) {
	if pl.variant(address) == 0 {
		return
	}
	for _, found := range importLive.FindAllStringSubmatch(text, -1) {
		if p.known(pl, found[1]) && !p.managed(found[1]) {
			p.adopt(pl, address, found[1])
			return
		}
	}
	if found := lookFor.FindStringSubmatch(text); found != nil {
		for _, rec := range p.at[pl.account].Sessions() {
			if fmt.Sprintf("%q", rec.Name) == `"`+found[1]+`"` && !p.managed(rec.ID) && !p.before[rec.ID] && p.fits(pl, address, rec) {
				p.adopt(pl, address, rec.ID)
				return
			}
		}
	}
}

// fits tells whether a session has the arguments of an address, as a user would compare them.
func (p *player) fits(pl *place, address string, rec simulator.SessionRecord) bool {
	config := pl.configOf(address, nil)
	recorded, _ := config["enable_input_record"].(bool)
	return config["name"] == rec.Name && config["input"] == rec.Input && config["mode"] == rec.Mode && recorded == rec.EnableInputRecord
}

func (p *player) known(pl *place, id string) bool {
	return slices.ContainsFunc(p.at[pl.account].Sessions(), func(rec simulator.SessionRecord) bool { return rec.ID == id })
}

// managed tells whether a state has an id.
func (p *player) managed(id string) bool {
	return slices.ContainsFunc(p.places, func(pl *place) bool { return pl.has(id) })
}

func (pl *place) has(id string) bool {
	for _, o := range pl.state {
		if o.Exists() && o.Text("id") == id || o.Deposed != nil && o.Deposed.Text("id") == id {
			return true
		}
	}
	return false
}

// adopt is `terraform import`.
func (p *player) adopt(pl *place, address, id string) {
	proc := p.process(pl)
	defer proc.cancel()
	o, diags := proc.Import(kinds[address].typ, id)
	fmt.Fprintf(&p.story, "   %s: import %s %s: %s\n", pl.name, address, id, indented(diags.String()))
	for _, text := range diags.Texts() {
		p.hear(pl, text)
	}
	if diags.Failed() || o.State.IsNull() || !o.State.Type().Is(tftypes.Object{}) {
		return
	}
	p.imported[id] = true
	was := pl.state[address]
	o.Deposed = was.Deposed
	pl.set(address, o)
}
