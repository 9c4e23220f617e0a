package acctest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing/synctest"

	"github.com/vodlive/terraform-provider-vodlive/internal/provider"
	"github.com/vodlive/terraform-provider-vodlive/internal/sessionfield"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// check checks the invariants after a step.
func (p *player) check() {
	p.clear()
	synctest.Wait()
	p.checkSessions()
	p.checkObjects()
	p.checkPuts()
	p.checkFolders()
	p.checkKept()
	p.checkETags()
	p.checkOpenFiles()
	p.checkJobs()
	p.checkLeft()
	p.checkOwners()
	p.checkRepeated()
	p.checkRequests()
	p.checkRecords()
	p.checkStates()
	p.checkNamed()
	p.checkForgotten()
	p.checkElsewhere()
	p.checkHeld()
	p.checkProtected()
	p.checkFiles()
	p.checkLog()
	if text := p.rec.text(); text != "" {
		p.rec.Fatalf("after this step")
	}
}

// checkSessions: a session at the service is in a state, or a text names it. A create makes one at
// most, and none if its error says so.
func (p *player) checkSessions() {
	made, seen, heard := 0, p.seen.String(), p.heard.String()
	for _, rec := range p.at.sessions() {
		fresh := !p.sessions[rec.ID]
		if fresh {
			made++
		}
		if fresh && p.others[rec.ID] {
			made--
			p.before[rec.ID] = true
		}
		if final[rec.Status] { // leaves a state without a warning
			p.before[rec.ID] = true
		}
		if p.killed && p.managedBefore[rec.ID] { // Terraform shows ids while it runs, and warnings in the end
			p.before[rec.ID] = true
		}
		switch {
		case p.before[rec.ID], p.free[rec.ID], p.managed(rec.ID), strings.Contains(seen, rec.ID):
		case fresh && p.untold(heard):
			p.before[rec.ID] = true
		case fresh && p.lost > 0: // its create was in flight when Terraform was killed
			p.lost--
			p.before[rec.ID] = true
		default:
			p.rec.Errorf("session %s (%q, %s) is in no state, and no text names it", rec.ID, rec.Name, rec.Status)
		}
	}
	could := len(slices.DeleteFunc(slices.Clone(p.outcomes), func(how string) bool { return how == "refused" }))
	if made > could {
		p.rec.Errorf("%d sessions were made by creates that ended as %q", made, p.outcomes)
	}
}

// untold tells whether a text said that a create was lost, and the listing did not show its session
// while the provider looked, or failed.
func (p *player) untold(seen string) bool {
	return lost.MatchString(seen) && (p.lied || p.service.ListLate > 28 || strings.Contains(seen, "Not shown here: ") || strings.Contains(seen, "The run was interrupted before") ||
		strings.Contains(seen, "until the run was interrupted") || strings.Contains(seen, "listing the sessions of the account failed") ||
		strings.Contains(seen, "The last listing failed"))
}

// checkObjects: a stored object has a content that was planned, and the one that a state names has
// the state's.
func (p *player) checkObjects() {
	objects := map[string]simulator.Object{}
	for _, o := range p.at.objects() {
		objects[o.KeyPath] = o
		if !p.contents[o.SHA256] {
			p.rec.Errorf("object %s has a content that was not planned", o.KeyPath)
		}
	}
	owners, homes := map[string]string{}, map[string]*place{}
	p.checkTwice()
	for _, pl := range p.places {
		for address, o := range pl.state {
			id := o.Text("id")
			if !o.Exists() || id == "" || p.imported[id] || kinds[address].typ == dataType || kinds[address].typ == fileType {
				continue
			}
			o.Deposed = nil
			for id := range ids(o) {
				// An unfinished upload is in a state and, for create_before_destroy, in a record.
				// The create of an equal upload in another workspace on the machine continues it,
				// too.
				home := homes[id]
				continued := p.unfinished[id] && home != nil && home != pl && home.machine == pl.machine
				// So does a folder with the files of a journal that could not be changed.
				if home != nil && !p.adopted[id] && !continued && !p.forgetful {
					p.rec.Errorf("%s is in two states: %s and %s %s", id, owners[id], pl.name, address)
				}
				owners[id], homes[id] = pl.name+" "+address, pl
			}
			if kinds[address].typ == uploadType {
				p.checkObject(pl.name+" "+address, o.Attrs(), objects)
			}
		}
		for _, address := range []string{"folder.one", "folder.two", "folder.made"} {
			for name, e := range folderEntries(pl.state[address]) {
				p.checkObject(pl.name+" "+address+" "+name, e, objects)
			}
		}
	}
}

// checkTwice: no two resources, in whatever states, have one session.
func (p *player) checkTwice() {
	has := map[string]string{}
	for _, pl := range p.places {
		for address, o := range pl.state {
			for _, one := range append(slices.Clip(o.Deposed), o) {
				if !one.Exists() || kinds[address].typ != sessionType || p.imported[one.Text("id")] || p.free[one.Text("id")] {
					continue
				}
				if other := has[one.Text("id")]; other != "" {
					p.rec.Errorf("session %s is in the states of %s and %s %s", one.Text("id"), other, pl.name, address)
				}
				has[one.Text("id")] = pl.name + " " + address
			}
		}
	}
}

// checkNamed: what is stored is in a state, or a text names it.
func (p *player) checkNamed() {
	if p.killed {
		return // the texts were never printed
	}
	for id, address := range p.had {
		if kinds[address].typ == uploadType || kinds[address].typ == folderType {
			if !p.free[id] && p.isStored(id) && !p.managed(id) && !strings.Contains(p.seen.String(), id) && !p.inLedger(id) {
				p.rec.Errorf("%s of %s is in no state any more, nor in the ledger, and no text names it", id, address)
			}
		}
	}
}

// checkProtected: what deletion_protection protects leaves no state by a run of Terraform, unless a
// change in place lifts it, too.
func (p *player) checkProtected() {
	if slices.Contains([]string{DoRemove, DoMove, DoAccount, DoAdvice, DoSettle}, p.sent.Do) {
		return
	}
	for id, pl := range p.protected {
		address := p.had[id]
		lifted := p.sent.Do != DoReplace && pl.state[address].Exists() && !pl.blocks[address].protect
		if !p.managed(id) && !lifted {
			p.rec.Errorf("%s of %s was protected, and is in no state any more", id, address)
		}
	}
}

// notFound tells whether a session may be removed from the state because of a 404: the listing does
// not show it for sure, and a text says so. A killed run prints no text.
func (p *player) notFound(id string) bool {
	lists := func(t Trouble) bool { return t.Call == simulator.CallListSessions }
	if p.service.ListLate == 0 && !p.service.Shifting && !slices.ContainsFunc(p.sent.Faults, lists) {
		return false
	}
	return p.killed && p.sent404() ||
		regexp.MustCompile("Live session "+regexp.QuoteMeta(id)+` .* because reading it returned 404`).MatchString(p.seen.String())
}

// sent404 tells whether the service answers to a call of this step as if there were no such object.
func (p *player) sent404() bool {
	return slices.ContainsFunc(p.sent.Faults, func(t Trouble) bool { return t.What == "404" })
}

// checkForgotten: no run of Terraform removes from a state what runs, is stored or was submitted,
// unless the user has asked to destroy or replace it.
func (p *player) checkForgotten() {
	if !slices.Contains([]string{DoApply, DoSaved, DoRefresh, DoReplace, DoTarget, DoStored, DoBoth, DoSettle}, p.sent.Do) {
		return
	}
	for pl, prior := range p.priors {
		for address, was := range prior {
			id, typ := was.Text("id"), kinds[address].typ
			gone := typ == sessionType && !p.elsewhere(pl, id) && (!p.known(pl, id) || p.lied || p.notFound(id))
			if id == "" || typ == dataType || typ == fileType || pl.state[address].Text("id") != "" || p.asked[pl][address] || p.free[id] || gone {
				continue
			}
			p.rec.Errorf("%s %s: %s has left the state, which nobody asked for", pl.name, address, id)
		}
	}
}

// checkHeld: no session or job is made that has the arguments of one that the state had, unless the
// user asked for it.
func (p *player) checkHeld() {
	for _, pl := range p.places {
		for _, address := range []string{"session.a", "session.b", "job.one", "job.b", "job.made"} {
			was, held := pl.held[address]
			now := pl.state[address]
			asked := (was.Tainted || p.asked[pl][address]) && !p.unready[was.Text("id")]
			wanted := p.killed || p.lied || asked || pl.variant(address) >= firstRefused || pl.variant(address) == 0 ||
				slices.Contains([]string{DoAccount, DoRemove, DoPulumi}, p.sent.Do) || p.free[was.Text("id")]
			if kinds[address].typ == sessionType {
				replacing, _ := now.Attrs()["replace_on_status"].([]any) // also one that the configuration does not have, by ignore_changes
				wanted = wanted || slices.Contains(replacing, any(was.Text("status"))) || p.ending(was.Text("id")) || pl.createBeforeDestroy(address) && was.Tainted || p.imported[now.Text("id")] || final[was.Text("status")] || p.over(was.Text("id")) || p.managed(was.Text("id")) && now.Text("id") != was.Text("id") || !p.known(pl, was.Text("id")) ||
					p.notFound(was.Text("id")) || !slices.Contains([]string{"", address}, p.had[now.Text("id")]) // the one that an equal resource has left
			}
			if held && now.Exists() && !wanted && now.Text("id") != was.Text("id") && reflect.DeepEqual(ordered(was), ordered(now)) {
				p.rec.Errorf("%s %s: %s has the arguments of %s, which the state had", pl.name, address, now.Text("id"), was.Text("id"))
			}
			if delete(pl.held, address); now.Exists() {
				pl.held[address] = now
			}
		}
	}
}

// over tells whether a session has ended at the service.
func (p *player) over(id string) bool {
	return slices.ContainsFunc(p.at.sessions(), func(rec simulator.SessionRecord) bool { return rec.ID == id && final[rec.Status] })
}

// ending tells whether a session is about to end at the service.
func (p *player) ending(id string) bool {
	return slices.ContainsFunc(p.at.sessions(), func(rec simulator.SessionRecord) bool { return rec.ID == id && rec.Status == "STOPPING" })
}

// ordered is what was asked for by the create of a session or a job.
func ordered(o Instance) Attrs {
	names := []string{"paths", "service_modes", "triggers"}
	for _, f := range sessionfield.Arguments {
		names = append(names, f.Name)
	}
	all := Attrs{}
	for _, name := range names {
		all[name] = o.Attrs()[name]
	}
	return all
}

// checkCurrent: once nothing is left to do, what is stored is what the files have.
func (p *player) checkCurrent(pl *place) {
	for address, o := range pl.state {
		switch config := pl.arguments(address, unknownValue); {
		case config == nil || !o.Exists() || o.Text("id") == "" || p.imported[o.Text("id")]:
		case kinds[address].typ == uploadType && config["source"] != nil:
			if sum := pl.machine.sum(filesOf(address)[0]); !strings.EqualFold(o.Text("sha256"), sum) {
				p.rec.Errorf("%s %s: the plan is empty, and the file has another content", pl.name, address)
			}
		case kinds[address].typ == folderType:
			for name, e := range folderEntries(o) {
				if file := path.Join(filepath.Base(o.Text("source_dir")), name); e["sha256"] != pl.machine.sum(file) {
					p.rec.Errorf("%s %s: the plan is empty, and %s has another content", pl.name, address, file)
				}
			}
			p.checkSelection(pl, address, config, o)
		}
	}
}

// checkSelection: a folder has the files that its patterns select.
func (p *player) checkSelection(pl *place, address string, config Attrs, o Instance) {
	if address == "folder.made" {
		return
	}
	var want []string
	for _, name := range selected(config) {
		if pl.machine.versions[path.Join(mediaDir, name)] > 0 {
			want = append(want, name)
		}
	}
	if got := slices.Sorted(maps.Keys(folderEntries(o))); !slices.Equal(got, want) {
		p.rec.Errorf("%s %s: include %v and exclude %v select %q, and the state has %q", pl.name, address, config["include"], config["exclude"], want, got)
	}
}

// checkElsewhere: no run of Terraform makes a session in place of one that only another account
// has. The plan of a tainted session does not see it, and a saved plan may have been made for the
// other account.
func (p *player) checkElsewhere() {
	for pl, prior := range p.priors {
		for address, was := range prior {
			id, now := was.Text("id"), pl.state[address].Text("id")
			if kinds[address].typ != sessionType || id == "" || was.Tainted || p.free[id] || p.imported[now] || p.sent.Do == DoSaved || p.sent.Do == DoSettle || !p.elsewhere(pl, id) {
				continue
			}
			if now != "" && now != id {
				p.rec.Errorf("%s %s: session %s was made in place of %s, which another account has", pl.name, address, now, id)
			}
		}
	}
}

// checkObject holds a file in a state against the object that it names.
func (p *player) checkObject(where string, a Attrs, objects map[string]simulator.Object) {
	keyPath, _ := a["key_path"].(string)
	sum, _ := a["sha256"].(string)
	etag, _ := a["etag"].(string)
	object, stored := objects[keyPath]
	switch {
	case !stored && !strings.Contains(p.seen.String(), "taken to be stored as "+keyPath):
		p.rec.Errorf("%s is %s, which is not stored", where, keyPath)
	case stored && !strings.EqualFold(object.SHA256, sum):
		p.rec.Errorf("%s has another content than its object %s", where, keyPath)
	case stored && !p.service.KMS && etag != "" && !strings.HasPrefix(strings.Trim(etag, `"`), kmsETag) && etag != object.ETag && (strings.Trim(etag, `"`) != wrongETag || !p.proves(simulator.CallPutObject)):
		p.rec.Errorf("%s has the ETag %s, and its object has %s", where, etag, object.ETag)
	}
}

// checkETags: a request to complete names only parts whose ETags are the MD5 of what was sent,
// unless something else proves it.
func (p *player) checkETags() {
	for _, r := range p.news() {
		var body struct {
			Parts []struct {
				ETag string `json:"etag"`
			} `json:"parts"`
		}
		if r.Call != simulator.CallMultipartComplete || p.service.KMS || json.Unmarshal(r.Body, &body) != nil {
			continue
		}
		for i, part := range body.Parts {
			if etag := strings.Trim(part.ETag, `"`); !etags()[etag] && etag != kmsETag && (etag != wrongETag || !p.proves(simulator.CallPutPart)) {
				p.rec.Errorf("the request to complete names part %d with the ETag %s, which is not the MD5 of its content", i+1, etag)
			}
		}
	}
}

// proves tells whether something else than an ETag proved what a PUT has stored: storage's
// checksum, or the MD5 that the PUT said, so that storage refuses any other content.
func (p *player) proves(call string) bool {
	return p.service.Checksum != "" || slices.ContainsFunc(p.at[:], func(service *simulator.Service) bool {
		return slices.ContainsFunc(service.Journal(), func(r simulator.Request) bool { return r.Call == call && r.Header.Get("Content-MD5") != "" })
	})
}

// checkKept: a stored file that a resource still asks for keeps its key path, even if its content
// was not known in the plan.
func (p *player) checkKept() {
	if !slices.Contains([]string{DoApply, DoSaved, DoBoth, DoReplace}, p.sent.Do) {
		return
	}
	for pl, uploads := range p.stored {
		for address, old := range uploads {
			now := pl.state[address]
			same := !slices.ContainsFunc([]string{"sha256", "file_name", "content_type"}, func(attribute string) bool {
				return old.Text(attribute) != now.Text(attribute)
			})
			if same && !p.asked[pl][address] && now.Text("key_path") != "" && old.Text("key_path") != now.Text("key_path") {
				p.rec.Errorf("%s: %s was stored as %s and is now %s", pl.name, address, old.Text("key_path"), now.Text("key_path"))
			}
		}
	}
}

// checkFolders: a file of a folder that is stored, and does not change, stays where it is stored.
// It stays in the state while it is in the folder. What the user names in adopt is taken.
func (p *player) checkFolders() {
	for pl, old := range p.folders {
		if p.sent.Do == DoReplace || p.sent.Do == DoStored || p.sent.Do == DoAccount || pl.createBeforeDestroy("folder.one") || pl.blocks["folder.one"].triggered {
			continue
		}
		now, before := pl.state["folder.one"], folderEntries(old)
		// Folders of one path that select the same files, or of which a plan did not know which, or
		// of which one is replaced because its create failed and the other one, too, or is created
		// after a run that was killed, may exchange what is stored.
		alike := reflect.DeepEqual(patterns(now), patterns(pl.state["folder.two"])) || pl.via["folder.one"]+pl.via["folder.two"] > 0 ||
			old.Tainted && (p.priors[pl]["folder.two"].Tainted || !p.priors[pl]["folder.two"].Exists())
		// What the other one would have got is in no state if its replacement was not created.
		refused := p.priors[pl]["folder.two"].Exists() && !pl.state["folder.two"].Exists()
		// Its creation failed, and that of its replacement does, too.
		config := pl.arguments("folder.one", unknownValue)
		replaced := old.Tainted && p.sent.Do == DoApply && len(p.sent.During) == 0 && config != nil
		for name, e := range before {
			file, keyPath := filepath.Join(mediaDir, name), fmt.Sprint(e["key_path"])
			if _, kept := folderEntries(now)[name]; kept || p.edited || pl.machine.versions[file] == 0 || !exists(filepath.Join(pl.machine.files, file)) {
				continue
			}
			if now.Exists() && old.Text("id") != "" && reflect.DeepEqual(patterns(old), patterns(now)) ||
				replaced && slices.Contains(selected(config), name) && e["sha256"] == pl.machine.sum(file) && !p.managed(keyPath) {
				p.rec.Errorf("%s: %s of the folder has left the state", pl.name, name)
			}
		}
		for name, e := range folderEntries(now) {
			was := before[name]
			same := was != nil
			for _, attribute := range []string{"sha256", "content_type"} {
				same = same && was[attribute] == e[attribute]
			}
			old, _ := was["key_path"].(string)
			if now, _ := e["key_path"].(string); same && now != old && path.Base(now) == path.Base(old) && (!alike || !refused && !p.managed(old)) {
				p.rec.Errorf("%s: %s of the folder was stored as %s and is now %s", pl.name, name, old, now)
			}
		}
	}
	for _, pl := range p.places {
		for name, e := range folderEntries(pl.state["folder.one"]) {
			if keyPath := pl.adopted["folder.one"][name]; keyPath != nil && p.sent.Do == DoApply && e["key_path"] != keyPath {
				p.rec.Errorf("%s: %s of the folder was adopted as %s and is now %s", pl.name, name, keyPath, e["key_path"])
			}
		}
	}
	if p.troubled || p.edited || p.kept == nil {
		return
	}
	for _, o := range p.at.objects()[p.objects:] {
		if p.kept[o.FileName+o.SHA256] {
			p.rec.Errorf("the killed run had stored %s, and it was sent again", o.FileName)
		}
	}
}

// patterns are what selects the files of a folder.
func patterns(o Instance) [2]any { return [2]any{o.Attrs()["include"], o.Attrs()["exclude"]} }

// checkOpenFiles: no provider has a file or a lock once it has ended. Linux only.
func (p *player) checkOpenFiles() {
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return
	}
	for _, fd := range open {
		name, _ := os.Readlink("/proc/self/fd/" + fd.Name())
		for _, pl := range p.places[1:] {
			recorded := strings.HasPrefix(name, pl.machine.records+"/") || name == pl.machine.records
			if strings.HasPrefix(name, pl.machine.files+"/") || recorded {
				p.rec.Errorf("%s is still open", name)
			}
		}
	}
}

// checkPuts: an upload makes one object at most. A further address has another key path; it is
// asked for only when the one before has expired.
func (p *player) checkPuts() {
	expired := 0
	for _, r := range p.news() {
		if r.Call == simulator.CallPutObject && r.Status == http.StatusForbidden {
			expired++
		}
	}
	if made := len(p.at.objects()) - p.objects; made > p.uploads+expired {
		p.rec.Errorf("%d objects were made by %d uploads", made, p.uploads)
	}
}

// checkJobs: a create submits one job at most, and none if its error says so.
func (p *player) checkJobs() {
	could := len(slices.DeleteFunc(slices.Clone(p.submitted), func(how string) bool { return how == "refused" }))
	if made := len(p.at.batches()) - p.batches; made > could {
		p.rec.Errorf("%d jobs were submitted by creates that ended as %q", made, p.submitted)
	}
}

// checkRepeated: what a state says is stored is not sent again, unless something went wrong.
// Another resource of the same content may have continued the upload.
func (p *player) checkRepeated() {
	if p.troubled || p.edited {
		return
	}
	paths := map[string]bool{}
	for _, made := range p.promised {
		paths[made.keyPath] = true
	}
	for _, made := range p.promised {
		o := made.place.state[made.address]
		now := o.Text("key_path")
		if made.file != "" {
			now, _ = folderEntries(o)[made.file]["key_path"].(string)
		}
		applied := p.sent.Do == DoApply && made.place == p.places[p.sent.In%len(p.places)]
		if applied && len(made.parts) > 0 && now != "" && !paths[now] && !p.managed(made.keyPath) {
			p.rec.Errorf("%s %s %s: the upload was begun again, though parts of %s are stored", made.place.name, made.address, made.file, made.keyPath)
		}
		for _, r := range p.news() {
			if r.Call == simulator.CallPutPart && strings.HasSuffix(r.Path, "/"+made.keyPath) && made.parts[r.Query.Get("partNumber")] {
				p.rec.Errorf("%s %s: part %s is stored and was sent again", made.place.name, made.address, r.Query.Get("partNumber"))
			}
		}
	}
}

// news are the requests of this step.
func (p *player) news() (all []simulator.Request) {
	for i, service := range p.at {
		all = append(all, service.Journal()[p.calls[i]:]...)
	}
	return all
}

// checkRequests: storage gets no credential, and an account no upload of the other one but what a
// state has.
func (p *player) checkRequests() {
	for i, service := range p.at {
		for _, r := range service.Journal()[p.calls[i]:] {
			if (r.Call == simulator.CallPutObject || r.Call == simulator.CallPutPart) && (r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "") {
				p.rec.Errorf("a request to storage has a credential")
			}
			var body struct {
				UploadID string `json:"upload_id"`
			}
			if json.Unmarshal(r.Body, &body) == nil && body.UploadID != "" && !p.managedBefore[body.UploadID] &&
				slices.ContainsFunc(p.at[1-i].Uploads(), func(u simulator.Upload) bool { return u.UploadID == body.UploadID }) {
				p.rec.Errorf("account %d was asked for upload %s of the other account", i, body.UploadID)
			}
		}
	}
}

// checkRecords: a run in one account removes no record of an upload that only the other one has.
func (p *player) checkRecords() {
	pl := p.places[p.sent.In%len(p.places)]
	if p.edited || p.killed || p.sent.Do != DoApply || slices.ContainsFunc(p.sent.Faults, onDisk) {
		return
	}
	for _, u := range p.at[1-pl.account].Uploads() {
		if !strings.Contains(p.expired, u.KeyPath) && !p.managedBefore[u.UploadID] && strings.Contains(p.records[pl.machine], u.KeyPath) && !strings.Contains(pl.machine.recorded(), u.KeyPath) {
			p.rec.Errorf("the record of %s, of the other account, is gone", u.KeyPath)
		}
	}
}

// checkStates: no secret is in an attribute that is not marked as sensitive.
func (p *player) checkStates() {
	for _, pl := range p.places {
		for address, o := range pl.state {
			if !o.Exists() || otherSchemas[o.Type] != nil {
				continue
			}
			open := maps.Clone(o.Attrs())
			for _, a := range provider.Schemas().ResourceSchemas[kinds[address].typ].Block.Attributes {
				if a.Sensitive {
					delete(open, a.Name)
				}
			}
			p.checkWait(address, o)
			p.checkSecrets("an attribute of "+address+" that is not sensitive", fmt.Sprint(open), pl)
		}
	}
}

// checkWait: what waits for sessions has each of them, in a status that it waited for.
func (p *player) checkWait(address string, o Instance) {
	if kinds[address].typ != statusType {
		return
	}
	a := o.Attrs()
	sessions, _ := a["sessions"].(Attrs)
	want, configured := a["wait_for_status"].([]any)
	if !configured {
		want = []any{"READY"}
	}
	ids, _ := a["session_ids"].([]any)
	for _, id := range ids {
		if s, _ := sessions[id.(string)].(Attrs); !slices.Contains(want, s["status"]) {
			p.rec.Errorf("%s waited for %v, and session %s is %v", address, want, id, s["status"])
		}
	}
}

// checkFiles: the user's files are as the user left them.
func (p *player) checkFiles() {
	for _, pl := range p.places[1:] {
		m := pl.machine
		for path, want := range m.own {
			if got, err := os.ReadFile(path); err != nil || string(got) != want {
				p.rec.Errorf("the user's file %s was changed: %v", path, err)
			}
		}
		for name := range m.versions {
			if !m.intact(name) {
				p.rec.Errorf("the user's file %s was changed", name)
			}
		}
	}
}

// checkLog: no secret is in the log.
func (p *player) checkLog() {
	p.w.Log.mu.Lock()
	text := p.w.Log.text.String()
	p.w.Log.text.Reset()
	p.w.Log.mu.Unlock()
	pl := p.places[p.sent.In%len(p.places)]
	if other := p.places[p.sent.N%len(p.places)]; p.sent.Do == DoBoth && other.wrong > 0 {
		pl = other
	}
	p.checkSecrets("the log", text, pl)
}

var signature = regexp.MustCompile(`X-Amz-(Signature|Credential)(=|%3D)[0-9A-Za-z]{8}`)

func (p *player) checkSecrets(where, text string, pl *place) {
	secrets := []string{streamKey}
	if pl.wrong != 1 { // else the provider does not know them, and the service may echo them
		secrets = append(secrets, simulator.DefaultSecretKey, otherSecret)
	}
	if pl.wrong < 2 {
		secrets = append(secrets, firstToken, otherToken)
	}
	for _, secret := range secrets {
		if at := strings.Index(text, secret); at >= 0 {
			p.rec.Errorf("%s has a secret: %q", where, text[max(0, at-200):min(len(text), at+100)])
		}
	}
	if found := signature.FindString(text); found != "" {
		p.rec.Errorf("%s has a signature: %s", where, found)
	}
}
