package acctest

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// checked is what the invariants need to know of the steps so far.
type checked struct {
	service  Service
	before   map[string]bool // sessions that no create has made, or that a killed run has made
	imported map[string]bool
	free     map[string]bool // ids that the user has removed from a state
	seen     strings.Builder // every text that the user has seen
	contents map[string]bool // SHA-256 of what was planned to be uploaded

	mu sync.Mutex // of contents

	// Of one step.
	troubled  bool
	hard      bool // by more than what a retry overcomes
	edited    bool // a file or a state was changed during the step
	heard     strings.Builder
	uploads   int // creates and updates of uploads
	objects   int
	sent      string // what the step did
	sessions  map[string]bool
	batches   int
	calls     [2]int // of the journals of both accounts
	promised  []promise
	outcomes  []string // of the creates of sessions and jobs
	submitted []string
	killed    bool
}

// promise is what an unfinished upload in a state need not send again.
type promise struct {
	place, address, uploadID, keyPath string
	parts                             map[string]bool
}

func newChecked(h History) checked {
	return checked{
		service: h.Service, before: map[string]bool{}, imported: map[string]bool{}, free: map[string]bool{}, contents: map[string]bool{},
	}
}

// begin notes what there is before a step.
func (p *player) begin() {
	p.heard.Reset()
	p.uploads, p.objects, p.hard = 0, len(p.at.objects()), false
	p.troubled, p.edited, p.killed, p.outcomes, p.submitted, p.promised = false, false, false, nil, nil, nil
	p.sessions = map[string]bool{}
	for _, rec := range p.at.sessions() {
		p.sessions[rec.ID] = true
	}
	p.batches = len(p.at.batches())
	for i, service := range p.at {
		p.calls[i] = len(service.Journal())
	}
	for _, pl := range p.places {
		p.promise(pl)
	}
}

// promise notes the unfinished uploads of a workspace.
func (p *player) promise(pl *place) {
	for address, o := range pl.state {
		left, _ := o.Attrs()["incomplete_upload"].(Attrs)
		if !o.Exists() || left == nil || pl.cbd[address] || p.service.KMS {
			continue
		}
		made := promise{place: pl.name, address: address, parts: map[string]bool{}}
		made.uploadID, _ = left["upload_id"].(string)
		made.keyPath, _ = left["key_path"].(string)
		config := pl.configOf(address, nil)
		file := map[bool]string{true: "big.mp4", false: "small.mp4"}[address == "upload.big"]
		sum := hashOf(filepath.Join(pl.machine.files, file))
		name, named := config["file_name"].(string)
		if config == nil || config["method"] != "multipart" || sum != o.Text("sha256") || named && name != o.Text("file_name") || !named && o.Text("file_name") != file {
			continue
		}
		for _, u := range p.at[pl.account].Uploads() {
			for _, part := range u.Parts {
				if u.UploadID == made.uploadID && strings.Contains(","+left["parts"].(string), fmt.Sprintf(",%d:", part.Number)) {
					made.parts[fmt.Sprint(part.Number)] = true
				}
			}
		}
		p.promised = append(p.promised, made)
	}
}

// clear ends all trouble.
func (p *player) clear() {
	for _, service := range p.at {
		service.ClearFaults()
		service.Release()
	}
}

// acted notes changes that end what was promised.
func (p *player) acted(_ *place, _ Step) { p.edited = true }

// released notes that the user has removed an object from a state.
func (p *player) released(o Instance) {
	for _, one := range []*Instance{&o, o.Deposed} {
		if one != nil && one.Exists() {
			p.free[one.Text("id")] = true
		}
	}
}

// hear keeps a text that the user sees, and checks what it says.
func (p *player) hear(pl *place, text string) {
	p.seen.WriteString(text + "\n")
	p.heard.WriteString(text + "\n")
	if strings.HasPrefix(text, "error") && !p.hard && !p.edited && retried.MatchString(text) {
		p.rec.Errorf("an error that a retry overcomes: %s", text)
	}
	if kept := notLost.FindStringSubmatch(text); kept != nil && !p.hard && !p.edited &&
		!slices.ContainsFunc(p.at.uploads(), func(u simulator.Upload) bool { return fmt.Sprint(len(u.Parts)) >= kept[1] }) {
		p.rec.Errorf("a text says that parts are stored, which are not: %s", text)
	}
	if denied.MatchString(text) && (len(p.at.batches()) > p.batches || slices.ContainsFunc(p.at.sessions(), func(rec simulator.SessionRecord) bool { return !p.sessions[rec.ID] })) {
		p.rec.Errorf("a text denies what was made: %s", text)
	}
	p.checkSecrets("a diagnostic", text)
	if keep := keepsRunning.FindStringSubmatch(text); len(keep) > 0 && !p.known(pl, keep[1]) && !p.gone(keep[1]) {
		p.rec.Errorf("a text says that session %s keeps running, which does not exist: %s", keep[1], text)
	}
	if made := wasCreated.FindStringSubmatch(text); len(made) > 0 && !p.gone(made[1]) &&
		!slices.ContainsFunc(p.at.sessions(), func(rec simulator.SessionRecord) bool { return rec.ID == made[1] }) {
		p.rec.Errorf("a text says that session %s was created, which does not exist: %s", made[1], text)
	}
	if stays := staysStored.FindStringSubmatch(text); len(stays) > 0 && !p.free[stays[1]] && !p.imported[stays[1]] &&
		!strings.Contains(p.seen.String(), "taken to be stored as "+stays[1]) && !p.stored(stays[1]) {
		p.rec.Errorf("a text says that %s is stored, which it is not: %s", stays[1], text)
	}
	for _, never := range []string{"Provider produced", "none was made", "was not created", "This is a bug"} {
		if strings.Contains(text, never) && (!p.edited || !strings.Contains(text, "inconsistent final plan")) {
			p.rec.Errorf("a text that may never be: %s", text)
		}
	}
}

var (
	keepsRunning = regexp.MustCompile(`Live session (\S+) \(.*keeps running`)
	wasCreated   = regexp.MustCompile(`Live session (\S+) was created`)
	staysStored  = regexp.MustCompile(`Terraform forgets (\S+); the file stays stored`)
	retried      = regexp.MustCompile(`\(3 attempts|time-out|connection broken|no progress for|InvalidPart`)
	notLost      = regexp.MustCompile(`(\d+) of \d+ parts are stored and are not lost`)
	denied       = regexp.MustCompile(`(?i)\b(no session|no job|none|nothing) (was|were|has been) (made|created|submitted|sent)\b`)
	lost         = regexp.MustCompile(`The live session may have been created`)
	jobLost      = regexp.MustCompile(`The batch job may have been submitted`)
)

func (p *player) stored(keyPath string) bool {
	return slices.ContainsFunc(p.at.objects(), func(o simulator.Object) bool { return o.KeyPath == keyPath })
}

// gone tells whether the step "remove session" may have removed a session.
func (p *player) gone(id string) bool { return p.sessions[id] || p.removedAny() }

func (p *player) removedAny() bool { return strings.Contains(p.story.String(), `Do: "remove session"`) }

// planned notes the contents of a plan that is about to be applied.
func (p *player) planned(c *changes) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for address, pl := range c.plans {
		if sum, ok := pl.Attrs()["sha256"].(string); ok && kinds[address].typ == uploadType {
			p.contents[strings.ToLower(sum)] = true
		}
	}
}

func (r *run) creating(address string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.creates[address] = "running"
}

// created notes how a create ended: made, unsure or refused.
func (r *run) created(address string, o Instance, diags Diagnostics) {
	text := diags.String()
	how := "refused"
	switch {
	case o.Exists():
		how = "made"
	case lost.MatchString(text), jobLost.MatchString(text):
		how = "unsure"
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.creates[address] = how
}

// judge takes over the results of a run.
func (p *player) judge(r *run) {
	if r.killed {
		p.killed = true
	}
	for address, how := range r.creates {
		switch kinds[address].typ {
		case sessionType:
			p.outcomes = append(p.outcomes, how)
		case uploadType:
			p.uploads++
		case jobType:
			p.submitted = append(p.submitted, how)
		}
	}
}

// check checks the invariants after a step. The numbers are those of CONTRIBUTING.md.
func (p *player) check() {
	p.clear()
	p.w.Live.Refuse(0)
	p.checkSessions()
	p.checkObjects()
	p.checkPuts()
	p.checkJobs()
	p.checkRepeated()
	p.checkRequests()
	p.checkStates()
	p.checkFiles()
	p.checkLog()
	if text := p.rec.text(); text != "" {
		p.rec.Fatalf("after this step")
	}
	p.begin()
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
		if final[rec.Status] { // leaves a state without a warning
			p.before[rec.ID] = true
		}
		if p.killed { // Terraform shows ids while it runs, and warnings in the end
			p.before[rec.ID] = true
		}
		switch {
		case p.before[rec.ID], p.free[rec.ID], p.managed(rec.ID), strings.Contains(seen, rec.ID):
		case fresh && p.untold(heard):
			p.before[rec.ID] = true
		default:
			p.rec.Errorf("session %s (%q, %s) is in no state, and no text names it", rec.ID, rec.Name, rec.Status)
		}
	}
	could := len(slices.DeleteFunc(slices.Clone(p.outcomes), func(how string) bool { return how == "refused" && !p.killed }))
	if made > could {
		p.rec.Errorf("%d sessions were made by creates that ended as %q", made, p.outcomes)
	}
}

// untold tells whether a text said that a session may exist that the listing does not show yet, or
// that the listing failed.
func (p *player) untold(seen string) bool {
	return lost.MatchString(seen) && (p.service.ListLate > 28 || strings.Contains(seen, "The run was interrupted before") ||
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
	owners := map[string]string{}
	for _, pl := range p.places {
		for address, o := range pl.state {
			id := o.Text("id")
			if !o.Exists() || id == "" || p.imported[id] {
				continue
			}
			if owner := owners[id]; owner != "" {
				p.rec.Errorf("%s is in two states: %s and %s %s", id, owner, pl.name, address)
			}
			owners[id] = pl.name + " " + address
			if kinds[address].typ != uploadType {
				continue
			}
			object, stored := objects[o.Text("key_path")]
			switch {
			case !stored && !strings.Contains(p.seen.String(), "taken to be stored as "+o.Text("key_path")):
				p.rec.Errorf("%s %s is %s, which is not stored", pl.name, address, o.Text("key_path"))
			case stored && !strings.EqualFold(object.SHA256, o.Text("sha256")):
				p.rec.Errorf("%s %s has another content than its object %s", pl.name, address, object.KeyPath)
			}
		}
	}
}

// checkPuts: an upload makes one object at most.
func (p *player) checkPuts() {
	if made := len(p.at.objects()) - p.objects; made > p.uploads {
		p.rec.Errorf("%d objects were made by %d uploads", made, p.uploads)
	}
}

// checkJobs: a create submits one job at most, and none if its error says so.
func (p *player) checkJobs() {
	could := len(slices.DeleteFunc(slices.Clone(p.submitted), func(how string) bool { return how == "refused" && !p.killed }))
	if made := len(p.at.batches()) - p.batches; made > could {
		p.rec.Errorf("%d jobs were submitted by creates that ended as %q", made, p.submitted)
	}
}

// checkRepeated: what a state says is stored is not sent again, unless something went wrong.
func (p *player) checkRepeated() {
	if p.troubled || p.edited || p.killed {
		return
	}
	paths := map[string]bool{}
	for _, made := range p.promised {
		paths[made.keyPath] = true
	}
	for _, made := range p.promised {
		place := p.places[slices.IndexFunc(p.places, func(pl *place) bool { return pl.name == made.place })]
		if o := place.state[made.address]; p.sent == DoApply && o.Exists() && len(made.parts) > 0 && o.Text("key_path") != "" && !paths[o.Text("key_path")] {
			p.rec.Errorf("%s %s: the upload was begun anew, though parts of %s are stored", made.place, made.address, made.keyPath)
		}
		for _, r := range p.news() {
			if r.Call == simulator.CallPutPart && strings.HasSuffix(r.Path, "/"+made.keyPath) && made.parts[r.Query.Get("partNumber")] {
				p.rec.Errorf("%s %s: part %s is stored and was sent again", made.place, made.address, r.Query.Get("partNumber"))
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
	states := map[string]bool{}
	for _, made := range p.promised {
		states[made.uploadID] = true
	}
	for i, service := range p.at {
		for _, r := range service.Journal()[p.calls[i]:] {
			if (r.Call == simulator.CallPutObject || r.Call == simulator.CallPutPart) && (r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "") {
				p.rec.Errorf("a request to storage has a credential")
			}
			var body struct {
				UploadID string `json:"upload_id"`
			}
			if json.Unmarshal(r.Body, &body) == nil && body.UploadID != "" && !states[body.UploadID] &&
				slices.ContainsFunc(p.at[1-i].Uploads(), func(u simulator.Upload) bool { return u.UploadID == body.UploadID }) {
				p.rec.Errorf("account %d was asked for upload %s of the other account", i, body.UploadID)
			}
		}
	}
}

// checkStates: no secret is in an attribute that is not marked as sensitive.
func (p *player) checkStates() {
	for _, pl := range p.places {
		for address, o := range pl.state {
			if !o.Exists() {
				continue
			}
			open := maps.Clone(o.Attrs())
			for _, a := range p.w.schema.ResourceSchemas[kinds[address].typ].Block.Attributes {
				if a.Sensitive {
					delete(open, a.Name)
				}
			}
			p.checkSecrets("an attribute of "+address+" that is not sensitive", fmt.Sprint(open))
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
		for name, n := range m.versions {
			path := filepath.Join(m.files, name)
			if exists(path + ".away") {
				path += ".away"
			}
			info, err := os.Stat(path)
			if n == 0 != (err != nil) || err == nil && info.Size() != int64(sizeOf(name, n)) {
				p.rec.Errorf("the user's file %s was changed: %v", path, err)
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
	p.checkSecrets("the log", text)
}

var signature = regexp.MustCompile(`X-Amz-(Signature|Credential)(=|%3D)[0-9A-Za-z]{8}`)

func (p *player) checkSecrets(where, text string) {
	for _, secret := range []string{
		simulator.DefaultSecretKey, firstToken, otherSecret, otherToken, streamKey,
	} {
		if at := strings.Index(text, secret); at >= 0 {
			p.rec.Errorf("%s has a secret: %q", where, text[max(0, at-200):min(len(text), at+100)])
		}
	}
	if found := signature.FindString(text); found != "" {
		p.rec.Errorf("%s has a signature: %s", where, found)
	}
}
