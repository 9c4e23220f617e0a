package livesession

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
)

// made is a session that an apply made for the resource, and that private data remember.
type made struct {
	ID     string `json:"id"`
	Name   string `json:"name,omitempty"`
	Status string `json:"status,omitempty"` // last seen
	// Failed says that its create ended in an error, after which Terraform taints the session.
	Failed bool `json:"failed,omitempty"`
	// Arguments is the digest of the create request. It is "" if the state has the session.
	Arguments string `json:"arguments,omitempty"`
}

func (s made) label() string { return label(s.ID, s.Name, s.Status) }

// digest returns the digest of a create request. It is "" while an argument is not known.
func (d *privateData) digest(given values) string {
	if !given.known() {
		return ""
	}
	content, _ := json.Marshal(given.meaning()) // strings and booleans
	return salted(d.salt(), types.StringValue(string(content)))
}

// waitsFor reports whether the session of the state is on its way.
func (d *privateData) waitsFor(state values) bool {
	return d.Waiting != nil && d.Waiting.ID == state.text("id")
}

// continues reports whether an update goes on waiting for a session that an earlier update made
// with these arguments, and that is not known to have ended.
func (d *privateData) continues(state, plan values, given values) bool {
	return d.Waiting != nil && !d.waitsFor(state) && d.Waiting.Arguments != "" && d.Waiting.Arguments == d.digest(given) &&
		(!terminal(d.Waiting.Status) || plan.ready(types.StringValue(d.Waiting.Status)))
}

// onItsWay reports whether an update made a session that the state does not have, and that is not
// known to have ended.
func (d *privateData) onItsWay(state values) bool {
	return d.Waiting != nil && !d.waitsFor(state) && !terminal(d.Waiting.Status)
}

// leave notes that the resource goes on without the session that was on its way.
func (d *privateData) leave() {
	if d.Waiting != nil && !terminal(d.Waiting.Status) {
		d.Left = append(d.Left, made{ID: d.Waiting.ID, Name: d.Waiting.Name, Status: d.Waiting.Status})
	}
	d.Waiting = nil
}

// others are the sessions of the resource that the state does not have, and that the plan does not
// go on with.
func (d *privateData) others(state values, continues bool) []made {
	// The state still has the one in whose place an update has only begun to put another one.
	list := slices.DeleteFunc(slices.Clone(d.Left), func(s made) bool { return s.ID == state.text("id") })
	if !continues && d.onItsWay(state) {
		list = append(list, *d.Waiting)
	}
	return list
}

// own notes the sessions in private data, so that no lost create of this run reports them.
func (d *privateData) own(data *providerdata.Data) {
	for _, s := range d.Left {
		data.Ledger.Own(s.ID)
	}
	if d.Waiting != nil {
		data.Ledger.Own(d.Waiting.ID)
	}
}

// refreshOthers reads the sessions in private data, and forgets those that are gone, or were left
// and have ended.
func (r *liveSession) refreshOthers(ctx context.Context, m values, data *privateData) {
	data.own(r.Data)
	exists := func(s *made) bool {
		shown, _, err := r.Data.Sessions.Get(ctx, s.ID)
		if api.NotFound(err) {
			listed, err := listedAfterAll(ctx, r.Data, s.ID)
			return listed || err != nil
		}
		if err == nil {
			s.Status = shown.Status()
		}
		return true
	}
	var left []made
	for _, s := range data.Left {
		if exists(&s) && !terminal(s.Status) {
			left = append(left, s)
		}
	}
	data.Left = left
	if data.Waiting != nil && !data.waitsFor(m) && !exists(data.Waiting) {
		data.Waiting = nil
	}
}

// What a plan or a Delete says of the sessions that an apply made, and that no state has.
const (
	leftBeside   = "The resource does not have it, and this plan does not go on with it. Plans warn of it, also once another resource has it, until it has ended, or the resource is replaced or removed."
	forgottenToo = "The resource does not have it, and no later plan warns of it."
)

// warnOthers warns of sessions that an apply made, and that no state has.
func warnOthers(list []made, what string) (diags diag.Diagnostics) {
	for _, s := range list {
		diags.AddWarning(fmt.Sprintf("Live session %s keeps running beside the resource", s.title()),
			fmt.Sprintf("An earlier apply created live session %s for this resource, and did not see it ready. %s %s", s.label(), what, noStop))
	}
	return diags
}

// onWay are sessions on their way that Deletes of this process have left to the Creates that
// follow, which Terraform passes nothing. A Delete does not know the arguments of the plan, and
// a Create does not know the salt of their digest.
type onWay struct {
	mu   sync.Mutex
	left []privateData
}

func (w *onWay) leave(data privateData) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.left = append(w.left, data)
}

// take returns the data of a session that was asked for with some arguments.
func (w *onWay) take(given values) (data privateData, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.IndexFunc(w.left, func(d privateData) bool { return d.Waiting.Arguments == d.digest(given) })
	if i < 0 {
		return privateData{}, false
	}
	data = w.left[i]
	w.left = slices.Delete(w.left, i, i+1)
	return data, true
}

// awaited are the create requests of sessions in states for which the next create waits.
type awaited struct{ sync.Map }

func (r *liveSession) noteAwaited(m values) {
	providerdata.Shared[awaited](r.Data).Store(leftKey(r.Data, m), nil)
}

// waitsInstead reports whether the Create that replaces a tainted session with these arguments
// waits for it: then no new session is about to be created.
func (r *liveSession) waitsInstead(ctx context.Context, m values) bool {
	if r.Data == nil || r.Data.Unknown || !m.known() {
		return false
	}
	_, noted := providerdata.Shared[awaited](r.Data).Load(leftKey(r.Data, m))
	return noted || slices.ContainsFunc(r.Data.Ledger.Find(ctx, leftRequest(r.Data, m)), (*resume.Line).Left)
}

func leftKey(data *providerdata.Data, m values) string {
	key, _ := json.Marshal(leftRequest(data, m).Body) // strings and booleans
	return string(key)
}

// goesOn reports whether the Create that replaces a resource may go on waiting for the session that
// an earlier update made. An error that the Create would meet must not cost the state.
func (r *liveSession) goesOn(ctx context.Context, m values, data *privateData) (goesOn bool, d diag.Diagnostic) {
	data.own(r.Data)
	if !data.onItsWay(m) {
		return false, nil
	}
	s, err := r.readEarlier(ctx, data.Waiting.ID, time.Time{})
	switch {
	case api.NotFound(err):
		data.Waiting = nil
		return false, nil
	case err != nil:
		return false, unreadableEarlier(data.Waiting.label(), err)
	}
	data.Waiting.Status = s.Status()
	return m.usable(s), nil
}

// handed returns the session with these arguments that a Delete of this process has handed over,
// and that has not ended.
func (r *liveSession) handed(ctx context.Context, m, given values, diags *diag.Diagnostics) api.Session {
	for {
		data, ok := providerdata.Shared[onWay](r.Data).take(given)
		if !ok {
			return nil
		}
		if s, failed := r.readOnItsWay(ctx, m, &data, diags); s != nil || failed {
			return s
		}
	}
}

func (s made) title() string { return title(s.ID, s.Name) }

// handedOver warns of a session that a Delete leaves to a Create.
func (s made) handedOver() (diags diag.Diagnostics) {
	diags.AddWarning(fmt.Sprintf("Live session %s is on its way", s.title()),
		fmt.Sprintf("An earlier apply created live session %s for this resource, and did not see it ready. A create with the same arguments waits for it, and creates no other session unless it has ended. "+
			"With other arguments, it keeps running. %s", s.label(), noStop))
	return diags
}

// mayWait warns, in a plan that does not know all arguments, of a session on its way.
func (s made) mayWait() (diags diag.Diagnostics) {
	diags.AddWarning(fmt.Sprintf("The apply may wait for live session %s", s.title()),
		fmt.Sprintf("An earlier apply created live session %s for this resource, and did not see it ready. Values that are not known yet decide whether this apply goes on waiting for it: "+
			"it does if all arguments come out as they were then. Otherwise, the session keeps running beside the resource. %s", s.label(), noStop))
	return diags
}

// willWait warns, in a plan, that the apply goes on waiting for a session. old is nil if it is the
// one of the state.
func (s made) willWait(old values) (diags diag.Diagnostics) {
	then := "It creates no other session, unless this one has ended."
	if old != nil {
		then += fmt.Sprintf(" But a replacement with `create_before_destroy` does not know it: apply without `-replace` first. When the session can be used, the state has it in place of %s.", old.label())
		if !old.ended() {
			then += fmt.Sprintf(" That one %s. %s", old.goesOn(), noStop)
		}
	}
	diags.AddWarning(fmt.Sprintf("The apply waits for live session %s", s.title()),
		fmt.Sprintf("An earlier apply created live session %s with these arguments, and did not see it ready. This apply goes on waiting for it. %s", s.label(), then))
	return diags
}
