package acctest

import (
	"fmt"
	"slices"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// noSession is the id of no session.
const noSession = "00000000-0000-4000-8000-000000000001"

// look reads the account in every way that is not a resource's.
func (p *player) look(pl *place) {
	proc := p.process(pl)
	defer proc.over()
	account := *proc.Provider
	account.Server = proc.Server.(others).ProviderServer
	listed, diags := account.DataSource("vodlive_live_sessions", nil)
	if p.tell(pl, "vodlive_live_sessions", diags); !diags.Failed() {
		ids, _ := listed["ids"].([]any)
		p.checkListing(pl, "vodlive_live_sessions", ids)
	}
	var ids []any
	failed := false
	for found := range account.List(sessionType, nil, true, 100_000) {
		p.tell(pl, "query", found.Diags)
		if failed = failed || found.Diags.Failed(); !failed {
			ids = append(ids, found.Text("id"))
		}
	}
	if !failed {
		p.checkListing(pl, "query", ids)
	}
	for _, config := range []Attrs{{"name": "match"}, {"name": "match", "statuses": []any{"READY", "ERROR"}}, {"name": "no session has this name"}} {
		found, diags := account.DataSource(sessionType, config)
		p.tell(pl, "data source", diags)
		p.checkNamedSession(pl, config, found, diags)
	}
	_, diags = account.DataSource(sessionType, Attrs{"id": noSession})
	p.tell(pl, "data source", diags)
	_, diags = account.DataSource("vodlive_regions", nil)
	p.tell(pl, "vodlive_regions", diags)
	_, diags = account.Open("vodlive_upload_url", Attrs{"file_name": "of-an-encoder.mp4"})
	p.tell(pl, "ephemeral", diags)
	_, diags = account.Open(sessionType, Attrs{"id": noSession})
	p.tell(pl, "ephemeral", diags)
}

// tell has the user see what is said of something that is no step of a run.
func (p *player) tell(pl *place, of string, diags Diagnostics) {
	p.reached.note(diags)
	for _, text := range diags.Texts() {
		fmt.Fprintf(&p.story, "   %s: %s: %s\n", pl.name, of, indented(text))
		p.hear(pl, text)
	}
}

// checkNamedSession: the data source finds the only session of a name. Those that have ended count
// if no other one has it.
func (p *player) checkNamedSession(pl *place, config, found Attrs, diags Diagnostics) {
	if p.service.ListLate > 0 || pl.wrong == 1 || len(p.sent.Faults) > 0 {
		return
	}
	statuses, chosen := config["statuses"].([]any)
	var running, ended []any
	for _, rec := range p.at[pl.account].Sessions() {
		switch {
		case rec.Name != config["name"] || chosen && !slices.Contains(statuses, any(rec.Status)):
		case final[rec.Status]:
			ended = append(ended, rec.ID)
		default:
			running = append(running, rec.ID)
		}
	}
	if len(running) == 0 {
		running = ended
	}
	text := diags.String()
	switch {
	case len(running) == 1 && (diags.Failed() || found["id"] != running[0]):
		p.rec.Errorf("by %v, session %s was not found, but %v: %s", config, running[0], found["id"], text)
	case len(running) != 1 && !diags.Failed():
		p.rec.Errorf("by %v, session %v was found, of %v", config, found["id"], running)
	}
}

// checkListing: a listing that succeeds has all sessions of the state, none of them twice.
func (p *player) checkListing(pl *place, of string, ids []any) {
	times := map[any]int{}
	for _, id := range ids {
		times[id]++
	}
	exists := map[string]simulator.SessionRecord{}
	for _, rec := range p.at[pl.account].Sessions() {
		exists[rec.ID] = rec
	}
	for address, o := range pl.state {
		id := o.Text("id")
		if _, known := exists[id]; kinds[address].typ == sessionType && known && p.service.ListLate == 0 && times[id] != 1 {
			p.rec.Errorf("%s of workspace %s has %s %d times", of, pl.name, address, times[id])
		}
	}
}

// importNothing imports what is not there or is not the user's.
func (p *player) importNothing(pl *place, address string, n int) {
	typ := kinds[address].typ
	if typ == dataType || typ == fileType {
		return
	}
	id := []string{"no id at all", "vod/input/somebody-else/" + noSession + "/a.mp4", noSession}[n%3]
	proc := p.process(pl)
	defer proc.over()
	_, diags := proc.Import(typ, id)
	p.tell(pl, "import of "+address, diags)
}
