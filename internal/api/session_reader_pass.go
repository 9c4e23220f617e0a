package api

import (
	"context"
	"fmt"
	"time"
)

// passIdle is how long a pass is used again after its last question.
const passIdle = 30 * time.Second

// pass is one way through the pages of the listing, from the first on, as far
// as questions have demanded. Its fields are guarded by SessionReader.mu.
type pass struct {
	asked time.Time // when its first page was asked for; zero before
	used  time.Time // when it last had a question
	pages int       // pages asked for, the one under way included
	gets  int       // sessions read by GET instead of from its pages

	seen  map[string]sighting
	order []*Session // in the order of the listing, each once

	next      Cursor
	cursors   map[string]bool // marks of those that pages gave so far
	done      bool            // the last page has been read
	err       error           // why it ended before that
	inFlight  chan struct{}
	followers int // calls of Listed that rely on it
}

// sighting is a session on a page.
type sighting struct {
	session *Session
	asked   time.Time // when that page was asked for
}

// over tells that no further page will come.
func (p *pass) over() bool { return p.done || p.err != nil }

// idle tells that nobody has needed the pass for so long that it may be out of
// date.
func (p *pass) idle() bool {
	return p.inFlight == nil && p.followers == 0 && time.Since(p.used) > passIdle
}

// covers tells whether no page of the pass is older than since.
func (p *pass) covers(since time.Time) bool { return p.pages == 0 || !p.asked.Before(since) }

// shown returns a copy of the session, nil when no page since then shows it.
func (p *pass) shown(id string, since time.Time) *Session {
	at, ok := p.seen[id]
	if !ok || at.asked.Before(since) {
		return nil
	}
	s := *at.session
	return &s
}

func (p *pass) leave() {
	if p != nil {
		p.followers--
	}
}

// current returns the pass to use for a question about the account since then.
// The caller holds mu.
func (r *SessionReader) current(since time.Time) *pass {
	p := r.pass
	if p == nil || !p.covers(since) || p.idle() {
		return r.restart()
	}
	return p
}

// restart begins a pass. The caller holds mu.
func (r *SessionReader) restart() *pass {
	r.pass = &pass{used: time.Now(), seen: map[string]sighting{}, cursors: map[string]bool{}}
	return r.pass
}

// step brings a pass one page on: it asks for the page, or waits for the one
// that another caller is asking for. The caller holds mu, holds it again
// afterwards, and looks at the pass anew. The error is that of this caller's own
// request or wait.
func (r *SessionReader) step(ctx context.Context, p *pass) error {
	if ch := p.inFlight; ch != nil {
		r.mu.Unlock()
		defer r.mu.Lock()
		select {
		case <-ch:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if p.over() {
		return p.err
	}
	asked, after := time.Now(), p.next
	ch := make(chan struct{})
	p.inFlight = ch
	if p.pages == 0 {
		p.asked = asked
	}
	p.pages++
	r.mu.Unlock()

	page, err := r.client.ListSessions(ctx, after)

	r.mu.Lock()
	p.inFlight = nil
	close(ch)
	switch {
	case err != nil && ctx.Err() != nil:
		p.pages-- // whoever waits asks for the same page again
	case err != nil:
		p.err = err
	default:
		r.add(p, page, asked)
		r.atLeast = max(r.atLeast, p.atLeast())
	}
	return err
}

// atLeast is how many pages the account has as far as the pass shows.
func (p *pass) atLeast() int {
	if p.over() {
		return p.pages
	}
	return p.pages + 1
}

// add takes in a page. A session that moved to a later page while the listing
// was read stays where it was first, with its latest values.
func (r *SessionReader) add(p *pass, page *SessionPage, asked time.Time) {
	for i := range page.Sessions {
		s := &page.Sessions[i]
		if _, known := r.seen[s.ID]; !known {
			r.seen[s.ID] = time.Now()
		}
		if before, twice := p.seen[s.ID]; twice {
			*before.session = *s
			s = before.session
		} else {
			p.order = append(p.order, s)
		}
		p.seen[s.ID] = sighting{session: s, asked: asked}
	}
	p.next = page.Next
	if len(page.Next) == 0 {
		p.done = true
		return
	}
	switch mark := page.Next.mark(); {
	case p.cursors[mark]:
		p.err = r.client.endless("the service sent the same cursor twice")
	case p.pages >= pagesAtMost:
		p.err = r.client.endless(fmt.Sprintf("it has more than %d pages", pagesAtMost))
	default:
		p.cursors[mark] = true
	}
}
