package acctest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// How runs die, and what may not be made again after that. The provider outlives the CLI by
// providerLives: its calls are cancelled, and nobody gets the responses.
const providerLives = 3 * time.Second

// killCLI ends Terraform alone, unless the run is over.
func (r *run) killCLI() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.killCLILocked()
}

func (r *run) killCLILocked() {
	if r.killed || r.over || r.proc == nil {
		return
	}
	r.killed = true
	r.answered, r.killedAt = r.stores(), time.Now()
	proc := r.proc
	proc.cancel()
	r.dying.Go(func() {
		time.Sleep(providerLives)
		proc.die()
	})
}

// unsaved kills Terraform before it saves the n-th result.
func (r *run) unsaved(steps []Step) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range steps {
		if s.Do == DoUnsaved {
			r.saves = s.At + 1
		}
	}
}

// saving counts the results that Terraform saves. Call it with r.mu locked.
func (r *run) saving() {
	if r.saves--; r.saves == 0 {
		r.killCLILocked()
	}
}

// lose notes that the state of a run that ended is lost, and what Terraform prints after it has
// saved the state, too.
func (r *run) lose() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.killed {
		return false
	}
	r.killed, r.answered, r.killedAt = true, r.stores(), time.Now()
	return true
}

// leftBehind is what a run has made, and surely recorded, that was killed, or what an update has
// made that goes on waiting for it.
type leftBehind struct {
	place    *place
	sessions []simulator.SessionRecord
	jobs     []simulator.Batch
	before   int // jobs, when the next run begins
}

// follows notes what the run before has left behind, if this step is the apply that may take it
// over.
func (p *player) follows(pl *place, s Step) {
	if p.took = nil; s.Do == DoTaint {
		return
	}
	if was := p.left; was != nil && (s.Do == DoApply || s.Do == DoReplace) && was.place == pl && len(s.Faults)+len(s.During) == 0 {
		was.before = len(p.at[pl.account].Batches())
		p.took = was
	}
	p.left = nil
}

// leave notes what a killed run leaves behind. What the service answered when the run was killed
// may not have been read. A create without a response may have made a session, too, which the
// listing shows.
func (p *player) leave(r *run) {
	if !p.leaves() {
		return
	}
	left := &leftBehind{place: r.place}
	service := p.at[r.place.account]
	for _, rec := range service.Sessions() {
		if !p.sessions[rec.ID] && !p.others[rec.ID] && rec.CreatedAt.Before(r.killedAt) {
			left.sessions = append(left.sessions, rec)
			p.madeBy[rec.ID] = r.place
		}
	}
	early := 0
	for _, req := range p.news() {
		if req.Call == simulator.CallBatch && req.At.Before(r.killedAt) {
			early++
		}
	}
	if jobs := service.Batches(); len(p.at[1-r.place.account].Batches())+len(jobs) == p.batches+early {
		left.jobs = jobs[len(jobs)-early:]
	}
	records := r.place.machine.recorded()
	for _, o := range service.Objects() {
		// A recorded upload is unfinished for the provider. Records belong to the account, so any
		// workspace may finish it.
		if !p.hadObjects[o.KeyPath] && !strings.Contains(records, o.KeyPath) {
			p.madeBy[o.KeyPath] = r.place
		}
	}
	p.left = left
}

// leaves tells whether it is known what the runs of this step have left.
func (p *player) leaves() bool {
	return !p.edited && p.sent.Do != DoBoth && !slices.ContainsFunc(p.sent.Faults, func(t Trouble) bool {
		return t.Call != simulator.CallCreateSession || !strings.HasSuffix(t.What, " after") || p.service.ListLate > 25
	})
}

// leaveWaiting notes the sessions of updates that are on their way and in no state.
func (p *player) leaveWaiting(r *run) {
	if !p.leaves() || p.sent.Do != DoApply && p.sent.Do != DoReplace {
		return
	}
	left := &leftBehind{place: r.place}
	for _, rec := range p.at[r.place.account].Sessions() {
		if !p.sessions[rec.ID] && !p.others[rec.ID] && !p.managed(rec.ID) {
			left.sessions = append(left.sessions, rec)
		}
	}
	if len(left.sessions) > 0 {
		p.left = left
	}
}

// checkLeft: the apply that follows a run that was killed, or whose update goes on waiting for a
// session, makes nothing again that the run had made.
func (p *player) checkLeft() {
	left := p.took
	if left == nil || p.troubled || p.edited || p.killed {
		return
	}
	service := p.at[left.place.account]
	args := func(rec simulator.SessionRecord) string {
		return fmt.Sprint(rec.Name, rec.Region, rec.Input, rec.Mode, rec.OutputMode, rec.Resolution, rec.Bitrate,
			rec.InputSourceA, rec.InputSourceB, rec.OutputDestinationA, rec.OutputDestinationB, rec.EnableInputRecord, rec.ScheduledAt)
	}
	for _, was := range left.sessions {
		for _, rec := range service.Sessions() {
			if !p.sessions[rec.ID] && !p.others[rec.ID] && args(rec) == args(was) && p.had[was.ID] == "" && !p.managed(was.ID) && p.known(left.place, was.ID) && !p.over(was.ID) {
				p.rec.Errorf("session %s was made, and the run before had made %s with the same arguments, which runs", rec.ID, was.ID)
			}
		}
	}
	jobs := service.Batches()
	for _, job := range jobs[min(len(jobs), left.before):] {
		if slices.ContainsFunc(left.jobs, func(was simulator.Batch) bool {
			return slices.Equal(was.Paths, job.Paths) && slices.Equal(was.ServiceModes, job.ServiceModes)
		}) {
			p.rec.Errorf("a job on %q was submitted, and the killed run had submitted it", job.Paths)
		}
	}
}

// checkOwners: what a run made that was killed gets into no state of another workspace.
func (p *player) checkOwners() {
	for _, pl := range p.places {
		for address, o := range pl.state {
			for id := range ids(o) {
				if maker := p.madeBy[id]; maker != nil && maker != pl && !p.imported[id] && !p.adopted[id] && !p.free[id] && kinds[address].typ != dataType {
					p.rec.Errorf("%s of workspace %s is in the state of workspace %s", id, maker.name, pl.name)
				}
			}
		}
	}
}

// ledgerLine is a file of the ledger, as people read it.
type ledgerLine struct {
	file string

	Workspace string `json:"workspace"`
	Made      struct {
		ID string `json:"id"`
	} `json:"made"`
}

// ledger is what the ledger of a machine has.
func (m *machine) ledger() (lines []ledgerLine) {
	names, _ := filepath.Glob(filepath.Join(m.records, "terraform-provider-vodlive", "*-*-*-*-*.json*"))
	for _, name := range names {
		content, _ := os.ReadFile(name)
		for d := json.NewDecoder(bytes.NewReader(content)); ; {
			line := ledgerLine{file: name}
			if d.Decode(&line) != nil {
				break
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// inLedger tells whether the ledger of a machine has an object.
func (p *player) inLedger(id string) bool {
	return slices.ContainsFunc(p.places, func(pl *place) bool {
		return slices.ContainsFunc(pl.machine.ledger(), func(line ledgerLine) bool { return line.Made.ID == id })
	})
}

// recorded is the text of all records of unfinished uploads of a machine.
func (m *machine) recorded() string {
	var all strings.Builder
	for _, name := range m.uploadRecords() {
		content, _ := os.ReadFile(name)
		all.Write(content)
	}
	return all.String()
}

// checkLedger: a plan that showed a saved state leaves no line of what that state has. before are
// the lines, and held the ids of the state, before the run.
func (p *player) checkLedger(r *run, s Step, before []ledgerLine, held map[string]bool) {
	if r.ended() || r.failed || p.edited || slices.ContainsFunc(p.sent.Faults, onDisk) || s.Do != DoApply && s.Do != DoPlan {
		return
	}
	for _, line := range r.place.machine.ledger() {
		if slices.Contains(before, line) && (line.Workspace == r.place.name || p.service.Backends) && held[line.Made.ID] && !p.imported[line.Made.ID] {
			p.rec.Errorf("%s: the ledger has %s, which the state had before the run", r.place.name, line.Made.ID)
		}
	}
}

// stored are the ids that the state of a workspace has.
func (pl *place) stored() map[string]bool {
	all := map[string]bool{}
	for _, o := range pl.state {
		maps.Copy(all, ids(o))
	}
	return all
}
