package acctest

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// player plays a history.
type player struct {
	rec     *recorder
	w       *World
	at      accounts
	places  []*place
	reached *reached        // nil: not counted
	story   strings.Builder // of the steps, for a failure

	checked
}

func newPlayer(r *recorder, h History) *player {
	s := h.Service
	options := simulator.Options{
		GetAfter: time.Duration(s.GetLate) * time.Second, ListAfter: time.Duration(s.ListLate) * time.Second,
		PageSize: s.PageSize, RepeatOnNextPage: s.Repeat && s.PageSize != 1, // else it never ends
		Respelled: s.Respelled, CheckUploadAtURL: s.CheckUpload, PartChecksum: s.Checksum,
		Dir: r.TempDir(), AccessTokenID: firstTokenID, IDToken: firstToken, PresignLifetime: time.Duration(s.Lifetime) * time.Second,
	}
	if s.KMS {
		options.Encryption = "aws:kms"
	}
	if s.Oldest {
		options.ListOrder = "oldest"
	}
	other := options
	other.AccessTokenID, other.SecretKey, other.IDToken, other.Bucket = otherTokenID, otherSecret, otherToken, otherBucket
	other.CustomerID = "customer-other"
	p := &player{rec: r, at: accounts{newService(r, options), newService(r, other)}, checked: newChecked(h)}
	p.w = newWorld(r, p.at[0], p.at)
	p.w.Quiet, p.w.NoIdentities = !s.Logged, s.NoIdentities
	p.at[1].SetStorageURL(p.w.Storage.URL() + "/storage")
	r.Cleanup(func() { _ = p.at[1].Close() })
	for range s.Others {
		p.before[p.at[0].AddSession(simulator.SessionRecord{})] = true
	}
	if s.Shifting {
		p.at[0].Hook(simulator.CallListSessions, func(*http.Request) {
			p.mu.Lock()
			defer p.mu.Unlock()
			if len(p.others) < 8 {
				p.others[p.at[0].AddSession(simulator.SessionRecord{Name: "of somebody else"})] = true
			}
		})
	}
	one, two := newMachine(r.TempDir(), r.TempDir()), newMachine(r.TempDir(), r.TempDir())
	for i, m := range []*machine{one, one, two} {
		p.places = append(p.places, newPlace(fmt.Sprint(i), m))
	}
	return p
}

// step plays a step and checks the invariants.
func (p *player) step(i int, s Step) {
	fmt.Fprintf(&p.story, "%d: %s\n", i, literalStep(s))
	pl := p.places[s.In%len(p.places)]
	time.Sleep(3 * time.Second) // so that a file written now is not the one of the step before
	p.begin()
	p.sent = s
	p.kept = nil
	if was := p.last; was != nil && s.Do == DoApply && was.place == pl {
		p.promised, p.kept = append(p.promised, was.uploads...), was.files
	}
	p.last = nil
	p.follows(pl, s)
	p.arm(s.Faults)
	p.hard = len(s.During) > 0 || slices.ContainsFunc(s.Faults, func(fault Trouble) bool { return !p.overcome(fault) }) || attempts(s.Faults) > 2 || p.wrongUploads(s.Faults) > 1
	switch s.Do {
	case DoBoth:
		other := p.places[s.N%len(p.places)]
		if other == pl {
			break
		}
		if other.machine == pl.machine && pl.variant("file.one") > 0 && other.variant("file.one") > 0 {
			p.edited = true // both make the same files
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
	case DoApply, DoPlan, DoSave, DoSaved, DoRefresh, DoDestroy, DoReplace, DoTarget, DoStored:
		r, lines, held := p.newRun(pl), pl.machine.ledger(), pl.stored()
		remove := p.strike(s.During, r)
		p.terraform(r, s, func(at int) { p.between(pl, s.During, at) })
		remove()
		p.finish(r)
		p.checkLedger(r, s, lines, held)
	case DoTest:
		p.tested = true
		state := pl.state
		pl.state = map[string]Instance{}
		for _, do := range []string{DoApply, DoDestroy} {
			r := p.newRun(pl)
			remove := p.strike(s.During, r)
			p.terraform(r, Step{Do: do}, nil)
			remove()
			p.finish(r)
		}
		for _, o := range pl.state { // the CLI names what `prevent_destroy` keeps
			if o.Exists() {
				p.released(o)
			}
		}
		pl.state = state
	case DoAdvice:
		p.follow(pl)
	case DoLook:
		p.look(pl)
	case DoImport:
		if s.N < 3 {
			p.importNothing(pl, s.On, s.N)
		} else {
			p.importOwn(pl, s.On)
		}
	case DoInvoke:
		p.invoke(pl, s.N)
	case DoPulumi:
		p.deleteUnplanned(pl, s.On)
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
	for _, pl := range p.places {
		pl.machine.disk.fail(faults)
	}
	for _, trouble := range faults {
		if onDisk(trouble) {
			p.troubled, p.forgetful = true, p.forgetful || trouble.Call == recordFiles
			continue
		}
		if trouble.What == "refused" {
			p.listener(trouble.Call).Refuse(max(trouble.Times, 1))
			continue
		}
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
		if trouble.What == "values missing" { // nowhere
			p.at[0].Fail(simulator.Fault{Call: simulator.CallListSessions, Times: trouble.Times, Rewrite: fault.Rewrite})
			p.at[1].Fail(simulator.Fault{Call: simulator.CallListSessions, Times: trouble.Times, Rewrite: fault.Rewrite})
		}
		p.lied = p.lied || trouble.What == "other values" || trouble.What == "values missing"
		for i, service := range p.at {
			if trouble.What == "echo" && i == 1 {
				fault.Body = `{"message":"refused for ` + otherToken + ` and ` + otherSecret + `"}`
			}
			service.Fail(fault)
		}
		p.troubled = true
	}
}

// listener is where the service listens for a call.
func (p *player) listener(call string) *Listener {
	switch {
	case faults[sessionType][call] != nil:
		return p.w.Live
	case call == simulator.CallPutPart, call == simulator.CallPutObject:
		return p.w.Storage
	}
	return p.w.VOD
}

// overcome tells whether the provider overcomes a fault if it hits two requests at most.
func (p *player) overcome(trouble Trouble) bool {
	once := trouble.Call == simulator.CallCreateSession || trouble.Call == simulator.CallBatch
	switch {
	case trouble.Call == recordFiles: // an upload never fails because of its record
		return true
	case onDisk(trouble):
		return trouble.What == "slow"
	}
	switch trouble.What {
	case "429", "429 wait", "refused":
		return true
	case "500", "502", "503", "503 wait", "503 after", "504 after", "524 after", "200 wait", "break before", "break after", "slow":
		return !once
	case "damaged":
		return !p.service.KMS
	case "wrong ETag":
		return !p.service.KMS && (trouble.Call == simulator.CallPutPart || trouble.Call == simulator.CallPutObject)
	case "very slow":
		return trouble.Call == simulator.CallMultipartComplete
	}
	return false
}

// wrongUploads is the number of uploads that faults make wrong: a checksum proves a part, so that
// its wrong ETag shows in the end only. The provider begins one new upload.
func (p *player) wrongUploads(faults []Trouble) int {
	if p.service.Checksum == "" {
		return 0
	}
	return attempts(slices.DeleteFunc(slices.Clone(faults), func(trouble Trouble) bool {
		return trouble.Call != simulator.CallPutPart || trouble.What != "wrong ETag"
	}))
}

// attempts is the number of requests that fail, large if it has no end. A slow one does not fail.
func attempts(faults []Trouble) (n int) {
	for _, trouble := range faults {
		if strings.HasSuffix(trouble.What, "slow") || trouble.Call == recordFiles {
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
	return &run{player: p, place: pl, said: map[string][]string{}, creates: map[string]string{}, forgotten: map[string]string{}}
}

// strike has the steps happen before the requests with their numbers.
func (p *player) strike(steps []Step, runs ...*run) (remove func()) {
	var mu sync.Mutex
	var requests sync.WaitGroup // they belong to this step, even if the run ends before them
	count, removed := 0, false
	hook := func(*http.Request) {
		mu.Lock()
		if removed {
			mu.Unlock()
			return
		}
		requests.Add(1)
		defer requests.Done()
		count++
		now := count
		mu.Unlock()
		for _, s := range steps {
			if s.At != now {
				continue
			}
			switch s.Do {
			case DoUnsaved, DoLose:
			case DoInterrupt:
				runs[s.N%len(runs)].stop()
			case DoTwice:
				r := runs[0]
				r.stop()
				r.dying.Go(func() {
					time.Sleep(time.Duration(s.N) * 20 * time.Millisecond)
					r.killCLI()
				})
			case DoKillCLI:
				time.Sleep(time.Nanosecond + time.Duration(s.N)*time.Second)
				runs[s.N%len(runs)].killCLI()
			case DoPower:
				for _, r := range runs {
					if r.place.machine == runs[0].place.machine {
						r.kill()
					}
				}
				runs[0].place.machine.disk.cut(s.N)
				panic(http.ErrAbortHandler)
			case DoKill, DoKillEarly:
				// Until the answers before have been processed, and with N until they are recorded.
				time.Sleep(time.Nanosecond + time.Duration(s.N)*time.Second)
				runs[s.N%len(runs)].kill()
				if s.Do == DoKillEarly {
					panic(http.ErrAbortHandler)
				}
			default:
				mu.Lock()
				p.act(runs[0].place, s)
				mu.Unlock()
			}
		}
	}
	for _, r := range runs {
		r.unsaved(steps)
	}
	var removes []func()
	for _, service := range p.at {
		removes = append(removes, service.Hook("", hook))
	}
	return func() {
		for _, remove := range removes {
			remove()
		}
		mu.Lock()
		removed = true
		mu.Unlock()
		requests.Wait()
		for _, r := range runs {
			r.dying.Wait()
		}
	}
}

// between plays the steps that have no number of a request.
func (p *player) between(pl *place, steps []Step, at int) {
	for _, s := range steps {
		if s.At == at && s.Do != DoUnsaved && s.Do != DoLose {
			p.act(pl, s)
		}
	}
}

// terraform runs Terraform. between, which may be nil, is called with 0 between plan and apply, and
// with afterDeletes.
func (p *player) terraform(r *run, s Step, between func(at int)) {
	defer r.finished()
	pl := r.place
	r.destroyed = s.Do == DoDestroy
	var c *changes
	if s.Do == DoSaved {
		c, pl.saved = pl.saved, nil
		if c == nil || c.serial != pl.serial {
			return // Terraform: the saved plan is stale
		}
		defer func(now configuration) { pl.configuration = now }(pl.configuration)
		pl.configuration = c.config
	} else {
		r.start()
		if s.Do == DoRefresh {
			state := r.refresh(pl.state, nil, false)
			r.end()
			if !r.ended() && !r.failed {
				pl.state = state
				pl.serial++
			}
			return
		}
		c = r.plan(s)
		r.end()
	}
	switch {
	case c.failed, r.ended():
		return
	case s.Do == DoPlan:
		return
	case s.Do == DoSave:
		pl.saved, pl.outdated = c, false
		return
	}
	if between == nil {
		between = func(int) {}
	}
	between(0)
	p.planned(c)
	before := pl.state
	r.start()
	r.apply(c, func() { between(afterDeletes) })
	r.end()
	if slices.ContainsFunc(p.sent.During, func(s Step) bool { return s.Do == DoLose }) && r.lose() {
		pl.state = before
	}
}

// finish takes over what a run has said, once everything of it has ended.
func (p *player) finish(runs ...*run) {
	if slices.ContainsFunc(runs, func(r *run) bool { return r.killed }) {
		time.Sleep(slowness) // until a read that is under way has ended
	}
	synctest.Wait()
	for _, r := range runs {
		p.judge(r)
		if r.killed {
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
	for _, other := range p.places {
		other.adopted = nil // the files at hand may be others
		other.outdated = other.saved != nil
	}
	switch s.Do {
	case DoConfig:
		pl.configure(s.On, s.N)
	case DoCBD, DoPrevent, DoProtect, DoTrigger, DoIgnore, DoVia, DoSalt:
		pl.change(s)
	case DoWrong:
		pl.wrong = s.N
	case DoLater:
		time.Sleep(400 * 24 * time.Hour)
		p.expired += pl.machine.recorded()
	case DoTaint, DoUntaint:
		if o, ok := pl.state[s.On]; ok && o.Exists() {
			o.Tainted = s.Do == DoTaint
			pl.set(s.On, o)
		}
	case DoRemove:
		p.forget(pl, s.On)
	case DoMove:
		p.reimport(pl, s.On)
	case DoEdit:
		if o, ok := pl.state[s.On]; ok && o.Exists() {
			pl.set(s.On, editParts(o, s.N))
		}
	case DoAccount:
		pl.account = s.N % 2
		for address, o := range pl.state { // files of the other account are of no use here; unfinished uploads may stay
			if t := kinds[address].typ; o.Exists() && slices.Contains([]string{uploadType, folderType, jobType}, t) && (s.N < 4 || o.Attrs()["incomplete_upload"] == nil) {
				p.forget(pl, address)
			}
		}
	case DoWrite:
		pl.machine.write(s.On, s.N)
	case DoTouch:
		pl.machine.touch(s.On)
	case DoSwap:
		pl.machine.swap(s.On, s.N, s.N == 2)
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
		case DoReady:
			for _, rec := range service.Sessions() {
				if !final[rec.Status] {
					service.SetStatus(rec.ID, "READY")
				}
			}
		case DoGone:
			if all := service.Sessions(); len(all) > 0 {
				service.RemoveSession(all[s.N%len(all)].ID)
			}
		case DoRegion:
			service.SetRegions([][]string{{"eu-central-1", "us-east-1"}, {"us-east-1"}}[s.N]...)
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

// editParts edits the lists of stored parts in a state: the MD5 of the first is another one. With
// n, it makes an attribute of the unfinished uploads null.
func editParts(o Instance, n int) Instance {
	return o.Edited(func(a Attrs) {
		for _, left := range unfinished(a) {
			if n > 0 {
				names := slices.Sorted(maps.Keys(left))
				left[names[n%len(names)]] = nil
				continue
			}
			if parts, _ := left["parts"].(string); len(parts) > 5 {
				left["parts"] = parts[:2] + "AAAA" + parts[6:]
			}
		}
	})
}

// unfinished are the unfinished uploads of a resource by its files; that of vodlive_media_upload
// has no name.
func unfinished(a Attrs) map[string]Attrs {
	all := map[string]Attrs{}
	if left, _ := a["incomplete_upload"].(Attrs); left != nil {
		all[""] = left
	}
	uploads, _ := a["incomplete_uploads"].(Attrs)
	for name, left := range uploads {
		all[name], _ = left.(Attrs)
	}
	return all
}
