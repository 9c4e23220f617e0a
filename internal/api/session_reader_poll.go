package api

import (
	"context"
	"math/rand/v2"
	"time"
)

// rider is one call of Poll that waits for its moment.
type rider struct {
	id    string
	early time.Time
	// taken gets the session as a page shows it, or nil: read it by GET.
	taken chan *Session
}

// Poll waits for a moment between early and late from now and returns the
// session as it is then: at random in between, so that runs of many users do
// not meet, but as soon as another Poll of this process goes, so that they share
// a page where that is cheaper than a GET each. The answer is never older than
// the call. NotFound(err) when the service has no such session.
func (r *SessionReader) Poll(ctx context.Context, id string, early, late time.Duration) (*Session, error) {
	me := &rider{id: id, early: time.Now().Add(early), taken: make(chan *Session, 1)}
	r.mu.Lock()
	r.riders[me] = struct{}{}
	r.mu.Unlock()

	wait := early
	if late > early {
		wait += rand.N(late - early)
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case s := <-me.taken:
		return r.arrive(ctx, id, s)
	case <-ctx.Done():
		r.mu.Lock()
		delete(r.riders, me)
		r.mu.Unlock()
		return nil, ctx.Err()
	case <-timer.C:
	}

	group, byListing := r.gather(me)
	if group == nil { // another has just taken it along
		select {
		case s := <-me.taken:
			return r.arrive(ctx, id, s)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if byListing {
		r.lead(ctx, group)
	}
	for _, other := range group {
		other.send(nil)
	}
	return r.arrive(ctx, id, <-me.taken)
}

// arrive ends a Poll: s is what a page shows, nil when none did.
func (r *SessionReader) arrive(ctx context.Context, id string, s *Session) (*Session, error) {
	if s != nil {
		return s, nil
	}
	return r.client.GetSession(ctx, id)
}

// send answers a rider unless it has been answered.
func (c *rider) send(s *Session) {
	select {
	case c.taken <- s:
	default:
	}
}

// gather takes along every rider whose time has come, me first, and says
// whether the listing is the cheaper way for them. It is nil when me has been
// taken along itself.
func (r *SessionReader) gather(me *rider) (group []*rider, byListing bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, waiting := r.riders[me]; !waiting {
		return nil, false
	}
	now := time.Now()
	group = append(group, me)
	delete(r.riders, me)
	for other := range r.riders {
		if !other.early.After(now) {
			group = append(group, other)
			delete(r.riders, other)
		}
	}
	return group, len(group) > r.atLeast
}

// lead reads pages for a group until each of it has been shown, the listing is
// over, or as many pages have been read as GETs would have been needed.
func (r *SessionReader) lead(ctx context.Context, group []*rider) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.restart()
	since := p.used
	rest := group
	for p.pages < len(group) && len(rest) > 0 && !p.over() {
		// A listing that fails is no failure of a poll: what no page shows is
		// read by GET.
		if _ = r.step(ctx, p); ctx.Err() != nil {
			return
		}
		p.used = time.Now()
		var unseen []*rider
		for _, c := range rest {
			if s := p.shown(c.id, since); s != nil {
				c.send(s)
				continue
			}
			unseen = append(unseen, c)
		}
		rest = unseen
	}
}
