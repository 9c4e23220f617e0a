package acctest

import (
	"fmt"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// settle ends all trouble and applies, following the advice, until nothing is left to do.
func (p *player) settle() {
	p.clear()
	p.serve(Step{Do: DoRegion})
	time.Sleep(2 * time.Minute)    // what appears late has appeared
	for _, service := range p.at { // and what was about to end, or had a status that nobody knows, has gone on
		for _, rec := range service.Sessions() {
			if next := map[string]string{"STOPPING": "STOPPED", "NEW_STATUS": "READY"}[rec.Status]; next != "" {
				service.SetStatus(rec.ID, next)
			}
		}
	}
	for _, pl := range p.places {
		p.correct(pl)
		pl.machine.back(func(address string) bool {
			return slices.ContainsFunc(p.places, func(other *place) bool { return other.machine == pl.machine && other.variant(address) > 0 })
		})
		if pl.variant("status.all") > 0 {
			p.serve(Step{Do: DoReady})
		}
	}
	for _, pl := range p.places {
		if len(pl.variants) == 0 && len(pl.state) == 0 {
			continue
		}
		applies := 2
		if pl.variant("status.all") > 0 {
			applies = 3 // after a session that is not ready in time comes one that the listing shows late
		}
		const limited = 5 // a variant with a time limit of 10 s: an apply goes on waiting, up to 25 s in all
		if pl.variant("session.a") == limited || pl.variant("session.b") == limited {
			applies += 3
		}
		for round := 0; ; round++ {
			p.follow(pl)
			r := p.newRun(pl)
			r.start()
			c := r.plan(Step{Do: DoApply})
			r.end()
			p.finish(r)
			if c.empty() {
				p.checkCurrent(pl)
				break
			}
			if round == applies {
				p.rec.Fatalf("after %d applies without faults, the plan of workspace %s is not empty: %s\n%v", applies, pl.name, c, r.said)
			}
			pl.saved = c
			r = p.newRun(pl)
			p.terraform(r, Step{Do: DoSaved}, nil)
			p.finish(r)
			p.check()
			p.begin()
		}
	}
}

// correct fixes what no apply can: the user's configuration and credentials.
func (p *player) correct(pl *place) {
	pl.wrong, pl.adopted = 0, nil
	for address, o := range pl.state {
		if o.Attrs()["deletion_protection"] == true { // as an apply of the former arguments without it does
			o = o.Edited(func(a Attrs) { a["deletion_protection"] = false })
		}
		o.Deposed = slices.DeleteFunc(slices.Clone(o.Deposed), func(was Instance) bool {
			protected := was.Attrs()["deletion_protection"] == true
			if protected { // terraform state rm, and import of the other one
				p.released(was)
			}
			return protected
		})
		pl.set(address, o)
	}
	for address, block := range pl.blocks {
		block.prevent, block.protect, block.ignore = false, false, ""
		pl.blocks[address] = block
	}
	for address, n := range pl.variants {
		if n >= firstDrawn && len(selected(pl.arguments(address, unknownValue))) > 0 {
			continue
		}
		if n >= firstRefused {
			pl.variants[address] = 1
		}
		if o := pl.state[address]; kinds[address].typ == uploadType && n == 4 && p.imported[o.Text("id")] { // file_name
			pl.variants[address] = 1
		}
		if kinds[address].count != nil { // which must not depend on what is unknown
			for _, need := range kinds[address].needs {
				delete(pl.via, need)
			}
		}
	}
	if now := time.Now().Year(); pl.year <= now {
		pl.year = now + 1
	}
}

var (
	importLive    = regexp.MustCompile(`to = vodlive_live_session\.NAME\n +id = "([^"]+)"`)
	adoptFile     = regexp.MustCompile("- (\\S+): .*may be stored as (\\S+)\\. .* If it is stored, name its key path in `adopt`")
	takenAsStored = regexp.MustCompile(`taken to be stored as (\S+)\.\s`)
	importMedia   = regexp.MustCompile(`terraform import ADDRESS (\S+)`)
	removeFile    = regexp.MustCompile(`(?:remove the files?|and|,) (/\S+?\.json)`)
	lookFor       = regexp.MustCompile(`look for a session named "((?:[^"\\]|\\.)*)" in region`)
)

// follow does what the texts of the last run advise.
func (p *player) follow(pl *place) {
	for _, address := range slices.Sorted(maps.Keys(pl.advice)) {
		text, o := pl.advice[address], pl.state[address]
		delete(pl.advice, address)
		switch kinds[address].typ {
		case sessionType:
			id := p.unmanaged(pl, address, text)
			switch {
			case id == "" && removeFile.MatchString(text): // the user has found no other session
				p.removeFiles(text)
			case !o.Exists():
				if id != "" && pl.variant(address) > 0 {
					p.adopt(pl, address, id)
				}
			case strings.Contains(text, "run `terraform state rm`") && (id != "" || !strings.Contains(text, "first run `terraform state rm`")):
				p.forget(pl, address)
				if id != "" && pl.variant(address) > 0 {
					p.adopt(pl, address, id)
				}
			case o.Tainted && strings.Contains(text, "terraform untaint") && !final[o.Text("status")] && (pl.createBeforeDestroy(address) || pl.blocks[address].prevent):
				pl.set(address, o.Untainted())
			}
		case jobType: // the user has found out that the job does not run
			p.removeFiles(text)
		case statusType:
			ended, _, advised := strings.Cut(text, "terraform apply -replace")
			for other, session := range pl.state {
				if advised && session.Exists() && strings.Contains(ended, "- "+session.Text("id")) {
					session.Tainted = true // replaced by the next apply, as by -replace
					pl.set(other, session)
				}
			}
		case uploadType:
			if address == "upload.made" && strings.Contains(text, "put the right file there") {
				pl.machine.write("made/one.mp4", pl.variant("file.one"))
			}
			if taken := takenAsStored.FindStringSubmatch(text); len(taken) > 0 && o.Text("key_path") == taken[1] && !p.isStored(taken[1]) {
				o.Tainted = true // replaced by the next apply, as by -replace
				pl.set(address, o)
			}
			found := importMedia.FindStringSubmatch(text)
			if len(found) == 0 || !slices.ContainsFunc(p.at.objects(), func(object simulator.Object) bool { return object.KeyPath == found[1] }) {
				continue
			}
			p.forget(pl, address)
			p.adopt(pl, address, found[1])
		case folderType:
			files := Attrs{}
			for _, found := range adoptFile.FindAllStringSubmatch(text, -1) {
				sum := pl.machine.sum(path.Join(path.Dir(filesOf(address)[0]), found[1]))
				if slices.ContainsFunc(p.at.objects(), func(object simulator.Object) bool { return object.KeyPath == found[2] && object.SHA256 == sum }) {
					files[found[1]] = found[2]
					p.adopted[found[2]] = true
				}
			}
			if len(files) > 0 {
				pl.adopted = map[string]Attrs{address: files}
			}
		}
	}
}

var final = map[string]bool{"ERROR": true, "TERMINATED": true, "STOPPED": true, "CANCELLED": true}

// removeFiles removes the files of the ledger that a text names.
func (p *player) removeFiles(text string) {
	for _, found := range removeFile.FindAllStringSubmatch(text, -1) {
		_ = os.Remove(found[1])
	}
}

// unmanaged returns the id of a session that no resource has: one that a text names, else one that
// the account has as the text describes it, else "".
func (p *player) unmanaged(pl *place, address, text string) string {
	for _, found := range importLive.FindAllStringSubmatch(text, -1) {
		if p.known(pl, found[1]) && !p.managed(found[1]) {
			return found[1]
		}
	}
	if found := lookFor.FindStringSubmatch(text); found != nil && pl.variant(address) > 0 {
		for _, rec := range p.at[pl.account].Sessions() {
			if fmt.Sprintf("%q", rec.Name) == `"`+found[1]+`"` && !p.managed(rec.ID) && !p.before[rec.ID] && p.fits(pl, address, rec) {
				return rec.ID
			}
		}
	}
	return ""
}

// fits tells whether a session has the arguments of an address, as a user would compare them.
func (p *player) fits(pl *place, address string, rec simulator.SessionRecord) bool {
	config := pl.arguments(address, unknownValue)
	recorded, _ := config["enable_input_record"].(bool)
	return config["name"] == rec.Name && config["input"] == rec.Input && config["mode"] == rec.Mode && recorded == rec.EnableInputRecord
}

func (p *player) known(pl *place, id string) bool {
	return slices.ContainsFunc(p.at[pl.account].Sessions(), func(rec simulator.SessionRecord) bool { return rec.ID == id })
}

// elsewhere tells whether only another account has a session.
func (p *player) elsewhere(pl *place, id string) bool {
	return !p.known(pl, id) && slices.ContainsFunc(p.at[1-pl.account].Sessions(), func(rec simulator.SessionRecord) bool { return rec.ID == id })
}

// managed tells whether a state has an id.
func (p *player) managed(id string) bool {
	return slices.ContainsFunc(p.places, func(pl *place) bool {
		return slices.ContainsFunc(slices.Collect(maps.Values(pl.state)), func(o Instance) bool { return ids(o)[id] })
	})
}

// adopt is `terraform import`.
func (p *player) adopt(pl *place, address, id string) {
	proc := p.process(pl)
	defer proc.over()
	o, diags := proc.Import(kinds[address].typ, id)
	fmt.Fprintf(&p.story, "   %s: import %s %s\n", pl.name, address, id)
	p.tell(pl, address, diags)
	if diags.Failed() || o.State.IsNull() || !o.State.Type().Is(tftypes.Object{}) {
		return
	}
	p.imported[id] = true
	was := pl.state[address]
	o.Deposed = was.Deposed
	pl.set(address, o)
}
