package acctest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// checked is what the invariants need to know of the steps so far.
type checked struct {
	service    Service
	before     map[string]bool // sessions that no create has made, or that a killed run has made
	imported   map[string]bool
	adopted    map[string]bool // key paths of files of folders
	free       map[string]bool // ids that the user has removed from a state
	unready    map[string]bool // sessions whose create ended in an error: nobody has asked to replace them
	seen       strings.Builder // every text that the user has seen
	contents   map[string]bool // SHA-256 of what was planned to be uploaded
	unfinished map[string]bool // key paths of unfinished uploads of states
	others     map[string]bool // sessions that appeared while the listing was read

	mu sync.Mutex // of contents and others

	left, took *leftBehind       // by the step before, and what this step may take over
	madeBy     map[string]*place // ids and key paths by runs that were killed
	hadObjects map[string]bool   // key paths of what was stored before the step

	last      *killed // the last step; nil if nothing was killed in it
	forgetful bool    // a record could not be written or removed

	// Of one step.
	troubled      bool
	tested        bool // by terraform test, which may complete an upload that a state has unfinished
	lied          bool // by a response that has other values of a session, or lacks some
	hard          bool // by more than what a retry overcomes
	edited        bool // a file or a state was changed during the step
	heard         strings.Builder
	uploads       int // creates and updates of uploads
	objects       int
	sent          Step // what the step did
	sessions      map[string]bool
	batches       int
	records       map[*machine]string // of unfinished uploads
	expired       string              // records that the provider may remove
	calls         [2]int              // of the journals of both accounts
	promised      []promise
	outcomes      []string // of the creates of sessions and jobs
	submitted     []string
	killed        bool
	priors        map[*place]map[string]Instance // the states
	asked         map[*place]map[string]bool     // what the user has asked to destroy or replace
	kept          map[string]bool                // what the run before, which was killed, stored of a folder
	managedBefore map[string]bool                // ids in states, also those of unfinished uploads
	had           map[string]string              // addresses by the ids and key paths in states
	protected     map[string]*place              // ids with deletion_protection
	lost          int                            // sessions that a killed run may have made
	folders       map[*place]Instance            // folder.one in states
	stored        map[*place]map[string]Instance // complete uploads in states
}

// killed is what a killed run has stored and recorded.
type killed struct {
	place   *place
	files   map[string]bool // of a folder: names with contents
	uploads []promise
}

// promise is what an unfinished upload in a state, or in the record of a killed run, need not send
// again.
type promise struct {
	place             *place
	address, file     string // of a folder: a file
	uploadID, keyPath string
	parts             map[string]bool
}

func newChecked(h History) checked {
	return checked{
		service: h.Service, before: map[string]bool{}, imported: map[string]bool{}, adopted: map[string]bool{}, unfinished: map[string]bool{}, free: map[string]bool{}, unready: map[string]bool{}, contents: map[string]bool{}, others: map[string]bool{},
		madeBy: map[string]*place{},
	}
}

// begin notes what there is before a step.
func (p *player) begin() {
	p.heard.Reset()
	p.uploads, p.objects, p.hard = 0, len(p.at.objects()), false
	p.hadObjects = map[string]bool{}
	for _, o := range p.at.objects() {
		p.hadObjects[o.KeyPath] = true
	}
	p.troubled, p.lied, p.edited, p.killed, p.outcomes, p.submitted, p.promised = false, false, false, false, nil, nil, nil
	p.sessions = map[string]bool{}
	for _, rec := range p.at.sessions() {
		p.sessions[rec.ID] = true
	}
	p.records = map[*machine]string{}
	for _, pl := range p.places {
		p.records[pl.machine] = pl.machine.recorded()
	}
	p.batches = len(p.at.batches())
	for i, service := range p.at {
		p.calls[i] = len(service.Journal())
	}
	p.had, p.protected = map[string]string{}, map[string]*place{}
	p.managedBefore, p.lost, p.folders, p.stored = map[string]bool{}, 0, map[*place]Instance{}, map[*place]map[string]Instance{}
	p.priors, p.asked = map[*place]map[string]Instance{}, map[*place]map[string]bool{}
	for _, pl := range p.places {
		p.stored[pl] = map[string]Instance{}
		p.priors[pl], p.asked[pl] = maps.Clone(pl.state), map[string]bool{}
		for address, o := range pl.state {
			if kinds[address].typ == uploadType && o.Text("key_path") != "" && !o.Tainted {
				p.stored[pl][address] = o
			}
			for _, left := range unfinished(o.Attrs()) {
				id, _ := left["upload_id"].(string)
				p.managedBefore[id] = true
				keyPath, _ := left["key_path"].(string)
				p.unfinished[keyPath] = true
			}
			for id := range ids(o) {
				p.had[id] = address
			}
			for _, one := range append(slices.Clip(o.Deposed), o) {
				p.managedBefore[one.Text("id")] = true
				if one.Attrs()["deletion_protection"] == true && one.Text("id") != "" {
					p.protected[one.Text("id")] = pl
				}
			}
			if o.Exists() && pl.variant(address) > 0 {
				p.promise(pl, address, o)
			}
		}
		if o := pl.state["folder.one"]; o.Exists() && (o.Text("id") == "" || !o.Tainted) {
			p.folders[pl] = o
		}
	}
}

// ask notes that the user has asked to destroy or replace an object.
func (p *player) ask(pl *place, address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked[pl][address] = true
}

func unknownValue(string, string) any { return Unknown }

// folderEntries are the stored files of a folder.
func folderEntries(o Instance) map[string]Attrs {
	all := map[string]Attrs{}
	files, _ := o.Attrs()["files"].(Attrs)
	for name, e := range files {
		all[name], _ = e.(Attrs)
	}
	return all
}

// promise notes the unfinished uploads of an object, as far as they are of the files as they are.
func (p *player) promise(pl *place, address string, o Instance) {
	a, config := o.Attrs(), pl.arguments(address, unknownValue)
	if pl.blocks[address] != (lifecycle{}) || pl.createBeforeDestroy(address) || pl.via[address] > 0 || p.service.KMS || config["method"] != "multipart" {
		return
	}
	for file, left := range unfinished(a) {
		made := promise{place: pl, address: address, file: file, parts: map[string]bool{}}
		made.uploadID, _ = left["upload_id"].(string)
		made.keyPath, _ = left["key_path"].(string)
		name, was := path.Join(mediaDir, file), left["sha256"]
		if slices.Contains(kinds[address].needs, "file.one") {
			continue // the next apply may make another file
		}
		if slices.ContainsFunc([]string{"upload_id", "key_path", "part_size", "sha256", "size", "file_name"}, func(name string) bool { return left[name] == nil }) {
			continue // edited
		}
		if size := config["part_size"]; size != nil && fmt.Sprint(size) != fmt.Sprint(left["part_size"]) {
			continue
		}
		if file == "" {
			name = filesOf(address)[0]
			given, named := config["file_name"].(string)
			if named && given != left["file_name"] || !named && left["file_name"] != name {
				continue
			}
		}
		if pl.machine.sum(name) != was {
			continue
		}
		parts, _ := left["parts"].(string)
		if strings.Contains(parts, ":"+base64.RawStdEncoding.EncodeToString([]byte(`"`+kmsETag+`"`))) {
			continue // an answer had it in place of the part's, so storage refuses to complete the upload
		}
		for _, u := range p.at[pl.account].Uploads() {
			for _, part := range u.Parts {
				sum, _ := hex.DecodeString(strings.Trim(part.ETag, `"`))
				proved := fmt.Sprintf(",%d:%s,", part.Number, base64.RawStdEncoding.EncodeToString(sum)) // not edited, and its ETag is the MD5
				if u.UploadID == made.uploadID && strings.Contains(","+parts+",", proved) {
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
	for _, l := range []*Listener{p.w.Live, p.w.VOD, p.w.Storage} {
		l.Refuse(0)
	}
	for _, pl := range p.places {
		pl.machine.disk.fail(nil)
	}
}

// acted notes changes that end what was promised.
func (p *player) acted(_ *place, _ Step) { p.edited = true }

// released notes that the user has removed an object from a state.
func (p *player) released(o Instance) {
	for id := range ids(o) {
		p.free[id] = true
	}
}

// ids are the ids and key paths that a state has for an address.
func ids(o Instance) map[string]bool {
	all := map[string]bool{}
	for _, one := range append(slices.Clip(o.Deposed), o) {
		if !one.Exists() {
			continue
		}
		all[one.Text("id")] = true
		for _, e := range folderEntries(one) {
			keyPath, _ := e["key_path"].(string)
			all[keyPath] = true
		}
	}
	delete(all, "")
	return all
}

// echoed is what is left of the secrets in a fault's body.
var echoed = regexp.MustCompile(`refused for \S+ and \S+`)

// hear keeps a text that the user sees, and checks what it says.
func (p *player) hear(pl *place, text string) {
	p.seen.WriteString(text + "\n")
	p.heard.WriteString(text + "\n")
	if strings.HasPrefix(text, "error") && !p.hard && !p.edited && retried.MatchString(text) && !strings.Contains(text, "No live session has this id") && !strings.Contains(text, "may be in another account") {
		p.rec.Errorf("an error that a retry overcomes: %s", text)
	}
	if kept := notLost.FindStringSubmatch(text); kept != nil && !p.hard && !p.edited &&
		!slices.ContainsFunc(p.at.uploads(), func(u simulator.Upload) bool { return fmt.Sprint(len(u.Parts)) >= kept[1] }) {
		p.rec.Errorf("a text says that parts are stored, which are not: %s", text)
	}
	if said := storedFiles.FindStringSubmatch(text); len(said) > 0 && !p.edited && !p.counts(pl, said[1]) {
		p.rec.Errorf("a text counts other files than the state has: %s", text)
	}
	if denied.MatchString(text) && (len(p.at.batches()) > p.batches || slices.ContainsFunc(p.at.sessions(), func(rec simulator.SessionRecord) bool { return !p.sessions[rec.ID] && !p.others[rec.ID] })) {
		p.rec.Errorf("a text denies what was made: %s", text)
	}
	if !strings.Contains(text, "inconsistent final plan") { // by the driver, which shows values
		p.checkSecrets("a diagnostic", text, pl)
	}
	// Only secrets that a response repeats are masked, and no key path, customer or session.
	if strings.Contains(echoed.ReplaceAllString(text, ""), "***") {
		p.rec.Errorf("a text is masked that has no secret: %s", text)
	}
	if keep := keepsRunning.FindStringSubmatch(text); len(keep) > 0 && !p.known(pl, keep[1]) && !p.gone(keep[1]) {
		p.rec.Errorf("a text says that session %s keeps running, which does not exist: %s", keep[1], text)
	}
	if left := wasNotFound.FindStringSubmatch(text); len(left) > 0 && p.known(pl, left[1]) && p.service.GetLate == 0 && !p.sent404() {
		p.rec.Errorf("a text says that session %s was not found, which exists: %s", left[1], text)
	}
	if made := wasCreated.FindStringSubmatch(text); len(made) > 0 && !p.gone(made[1]) &&
		!slices.ContainsFunc(p.at.sessions(), func(rec simulator.SessionRecord) bool { return rec.ID == made[1] }) {
		p.rec.Errorf("a text says that session %s was created, which does not exist: %s", made[1], text)
	}
	if _, stay, ok := strings.Cut(text, ", which stay stored:"); ok {
		for _, stays := range keyPathLine.FindAllStringSubmatch(stay, -1) {
			if keyPath := stays[1]; !p.free[keyPath] && !p.imported[keyPath] && !p.adopted[keyPath] &&
				!strings.Contains(p.seen.String(), "taken to be stored as "+keyPath) && !p.isStored(keyPath) {
				p.rec.Errorf("a text says that %s is stored, which it is not: %s", keyPath, text)
			}
		}
	}
	if strings.Contains(text, "Invalid count argument") && len(pl.via) == 0 {
		p.rec.Errorf("a count is unknown: %s", text)
	}
	for _, never := range []string{"Provider produced", "none was made", "was not created", "This is a bug", "bug in the provider", "Value Conversion Error"} {
		// A file that changes after the plan, also by an apply whose `triggers` the user has told
		// Terraform to ignore.
		changes := p.edited || pl.outdated && p.sent.Do == DoSaved || pl.blocks["folder.made"].ignore != "" || pl.blocks["upload.made"].ignore != ""
		if strings.Contains(text, never) && (!changes || !strings.Contains(text, "inconsistent final plan")) {
			p.rec.Errorf("a text that may never be: %s", text)
		}
	}
}

// counts tells whether a text may count so many stored files of a folder: those that the run has
// stored, and with a replacement also those that it has kept.
func (p *player) counts(pl *place, text string) bool {
	n, err := strconv.Atoi(text)
	if pl.variant("folder.made") > 0 || pl.variant("folder.two") > 0 || pl.createBeforeDestroy("folder.one") {
		return true // what was there before is not known here
	}
	before, now := folderEntries(p.folders[pl]), folderEntries(pl.state["folder.one"])
	fresh := 0
	for name, e := range now {
		if e["key_path"] != before[name]["key_path"] && pl.adopted["folder.one"][name] == nil {
			fresh++
		}
	}
	return err == nil && fresh <= n && n <= len(now)
}

var (
	keepsRunning = regexp.MustCompile(`Live session (\S+) \(.*keeps running`)
	wasNotFound  = regexp.MustCompile(`Live session (\S+) .* was removed from the state, because reading it`)
	wasCreated   = regexp.MustCompile(`Live session (\S+) was created`)
	keyPathLine  = regexp.MustCompile(`(?m)^  - (?:.*: )?(\S+)$`)
	retried      = regexp.MustCompile(`\(3 attempts|time-out|connection broken|no progress for|InvalidPart`)
	notLost      = regexp.MustCompile(`(\d+) of \d+ parts are stored and are not lost`)
	storedFiles  = regexp.MustCompile(`Files that this run has stored: (\d+)\. The state has`)
	denied       = regexp.MustCompile(`(?i)\b(no session|no job|none|nothing) (was|were|has been) (made|created|submitted|sent)\b`)
	lost         = regexp.MustCompile(`The live session may have been created`)
	jobLost      = regexp.MustCompile(`The batch job may have been submitted`)
)

func (p *player) isStored(keyPath string) bool {
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
		files, _ := pl.Attrs()["files"].(Attrs)
		for _, e := range files {
			sum, _ := e.(Attrs)["sha256"].(string)
			p.contents[sum] = true
		}
	}
}

// configured notes contents that were not known in the plan, once they are.
func (r *run) configured(address string, pl *Plan) {
	r.player.mu.Lock()
	defer r.player.mu.Unlock()
	if text, ok := pl.Config["content"].(string); ok {
		r.contents[fmt.Sprintf("%x", sha256.Sum256([]byte(text)))] = true
	}
	if pl.Attrs()["sha256"] == Unknown || pl.Attrs()["files"] == Unknown {
		for _, name := range filesOf(address) {
			r.contents[r.place.machine.sum(name)] = true
			r.contents[r.place.machine.planned(name)] = true // it may have another name now
		}
	}
}

// refused checks what is said of a session that a replacement has removed from the state, if surely
// none was made in its place.
func (r *run) refused(address string, pl *Plan, diags Diagnostics) {
	id, text := pl.Prior.Text("id"), diags.String()
	if kinds[address].typ != sessionType || final[pl.Prior.Text("status")] || r.ended() || lost.MatchString(text) || !r.known(r.place, id) {
		return
	}
	if all := strings.Join(r.said[address], "\n"); !strings.Contains(all, "To manage it again") || !strings.Contains(all, id) {
		r.rec.Errorf("the replacement of session %s was refused, and no text says how to get it back: %s", id, all)
	}
	if len(r.sent.Faults)+len(r.sent.During) == 0 && r.place.via[address] == 0 && r.sent.Do != DoBoth {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.forgotten[id] = text
	}
}

// stores are the calls so far that store content. Called when the run is killed.
func (r *run) stores() (all []simulator.Request) {
	for _, req := range r.news() {
		if req.Call == simulator.CallPutObject || req.Call == simulator.CallPutPart || req.Call == simulator.CallMultipartComplete {
			all = append(all, req)
		}
	}
	return all
}

// record notes what a killed run has stored and surely recorded: what was answered two seconds
// before. Records are written every second, and sums wait for each other.
func (p *player) record(r *run) {
	if p.edited || p.sent.Do == DoBoth || slices.ContainsFunc(p.sent.Faults, onDisk) {
		return
	}
	p.last = &killed{place: r.place, files: map[string]bool{}}
	var running []string
	sending := 0
	for address, how := range r.creates {
		if !slices.Contains([]string{uploadType, folderType}, kinds[address].typ) {
			continue
		}
		if sending++; how == "running" {
			running = append(running, address)
		}
	}
	objects := p.at[r.place.account].Objects()
	for _, req := range r.answered {
		var body struct {
			KeyPath string `json:"key_path"`
		}
		_ = json.Unmarshal(req.Body, &body)
		if p.service.KMS && (req.Call == simulator.CallPutPart || req.Call == simulator.CallPutObject && req.Header.Get("Content-Md5") == "") {
			continue // nothing proves to another process what is stored
		}
		for _, o := range objects {
			if req.Status == http.StatusOK && req.Fault == "" && r.killedAt.Sub(req.At) > 2*time.Second && (o.KeyPath == body.KeyPath || strings.HasSuffix(req.Path, "/"+o.KeyPath)) && sending == 1 {
				p.last.files[o.FileName+o.SHA256] = true
			}
		}
	}
	if len(running) != 1 || running[0] == "folder.one" || p.service.KMS || r.place.arguments(running[0], unknownValue)["method"] != "multipart" {
		return
	}
	for address := range r.creates { // of uploads of one content at once, one has the record
		if address != running[0] && kinds[address].typ == uploadType && r.place.machine.sum(filesOf(address)[0]) == r.place.machine.sum(filesOf(running[0])[0]) {
			return
		}
	}
	for _, u := range p.at[r.place.account].Uploads() {
		made := promise{place: r.place, address: running[0], uploadID: u.UploadID, keyPath: u.KeyPath, parts: map[string]bool{}}
		for _, req := range r.answered {
			if req.Status == http.StatusOK && req.Fault == "" && req.Query.Get("uploadId") == u.UploadID && r.killedAt.Sub(req.At) > 2*time.Second {
				made.parts[req.Query.Get("partNumber")] = true
			}
		}
		p.last.uploads = append(p.last.uploads, made)
	}
}

func (r *run) creating(address string, pl *Plan) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.creates[address] = "running"
	files, known := pl.Attrs()["files"].(Attrs)
	for _, e := range files {
		if e.(Attrs)["key_path"] == Unknown {
			r.files++
		}
	}
	if !known {
		r.files += len(filesOf(address))
	}
}

// created notes how a create, or an update that may have created something, ended: made, unsure or
// refused. One that runs when Terraform is killed stays running.
func (r *run) created(address string, from, o Instance, diags Diagnostics) {
	text := diags.String()
	how := "refused"
	switch {
	case lost.MatchString(text), jobLost.MatchString(text):
		how = "unsure"
	case o.Exists() && (!from.Exists() || o.Text("id") != from.Text("id")), onItsWay.MatchString(text):
		how = "made"
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.killed {
		r.creates[address] = how
	}
	r.mark(o.Text("id"), o.Tainted && !r.place.createBeforeDestroy(address))
}

// mark notes whether the last create of a session ended in an error.
func (p *player) mark(id string, unready bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if delete(p.unready, id); unready && id != "" {
		p.unready[id] = true
	}
}

// onItsWay is in the error of an update whose new session did not become ready: the state keeps the
// one that it has.
var onItsWay = regexp.MustCompile(`Live session \S+ was created\b`)

// judge takes over the results of a run.
func (p *player) judge(r *run) {
	if r.killed {
		p.killed = true
		p.record(r)
		p.leave(r)
	} else {
		p.leaveWaiting(r)
	}
	for id, text := range r.forgotten {
		if !p.managed(id) { // an equal resource may have taken it
			p.rec.Errorf("session %s was forgotten before its replacement was refused: %s", id, text)
		}
	}
	p.uploads += r.files
	for address, how := range r.creates {
		switch kinds[address].typ {
		case sessionType:
			p.outcomes = append(p.outcomes, how)
			if how == "running" || r.killed && how != "refused" { // its text was never printed, and its result perhaps not saved
				p.lost++
			}
		case uploadType:
			p.uploads++
		case jobType:
			p.submitted = append(p.submitted, how)
		}
	}
}
