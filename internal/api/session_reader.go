package api

import (
	"context"
	"iter"
	"sync"
	"time"
)

// SessionReader is the view of the account's sessions that everything in one
// provider process shares. It reads single sessions (calls of type 10 in
// interface 4.2) and pages of the listing (type 11, at most 100 sessions each)
// and decides which of the two a question is worth.
//
// # How many calls a refresh makes
//
// Terraform asks for one session at a time, some ten at once, and never says
// how many will follow. The cheapest way to read N sessions of an account with
// P pages is min(N, P) calls, but neither number is known before the end: N
// shows when Terraform stops asking, P when a page has no successor. So both
// ways are followed side by side, as in the ski rental problem:
//
//   - a GET is allowed while fewer than headStart (10) GETs more than pages have
//     been asked for;
//   - a page is asked for only when a session has to be read that no page shows
//     yet and no GET is allowed for.
//
// Let g be the GETs and p the pages of such a pass. The first rule gives
// g <= p + 10 at any time, and p <= P because pages are never asked for twice.
// The second gives p <= g - 9 <= N. Hence
//
//	P < N:  g + p <= 2p + 10 <= 2P + 10
//	N <= P: g + p <= N + N    = 2N
//
// which is at most 2 x min(N, P) + 10 whatever the two are. The worst case is
// an account in which the session asked for is always on a page to come: then
// each page brings one GET, and the pages, which can only be read one after the
// other, set the pace. Three things are outside the bound: repeats after
// failures, one GET for each session that a whole listing does not show (it is
// confirmed before it is called gone), and a listing that the service refuses,
// after which every session is read by its own GET.
//
// # How old an answer may be
//
// No answer is older than the last [SessionReader.Wrote] before the question.
// Pages are used again while questions keep coming; after 30 seconds without
// one they are dropped.
//
// # Waiting
//
// [SessionReader.Poll] lets waits for different sessions leave together. A
// group of k is read by listing when the account is not known to have k pages
// or more, and for at most k pages, so that a wrong guess costs no more than the
// GETs it tried to save, and is not repeated: the number of pages seen is kept.
//
// A SessionReader is safe for concurrent use. It starts no goroutine: whoever
// needs a page first asks for it under its own context, the others wait, and
// if the one who asked is cancelled another takes over.
type SessionReader struct {
	client *Client

	mu      sync.Mutex
	written time.Time            // end of the run's last write
	own     map[string]struct{}  // ids that this run made or forgot
	seen    map[string]time.Time // when a page first showed an id
	pass    *pass
	atLeast int // pages that the account is known to have, at least
	riders  map[*rider]struct{}
}

// headStart is how many more GETs than pages a pass may have made: as many as
// Terraform reads at once by default, so that a small configuration in a large
// account never waits for a page.
const headStart = 10

// NewSessionReader makes the reader of one provider process.
func NewSessionReader(c *Client) *SessionReader {
	return &SessionReader{client: c, atLeast: 1, own: map[string]struct{}{}, seen: map[string]time.Time{}, riders: map[*rider]struct{}{}}
}

// Get returns a session as it is at least as recently as the run's last write.
// It may have been read from a page: then it has the fields that only the
// listing shows, too. NotFound(err) when the service has no such session.
func (r *SessionReader) Get(ctx context.Context, id string) (*Session, error) {
	r.mu.Lock()
	since := r.written
	for {
		p := r.current(since)
		p.used = time.Now()
		if s := p.shown(id, since); s != nil {
			r.mu.Unlock()
			return s, nil
		}
		if p.over() || p.gets < p.pages+headStart {
			p.gets++
			r.mu.Unlock()
			return r.client.GetSession(ctx, id)
		}
		// A listing that fails is no failure of this read: the loop comes back
		// to a GET.
		if _ = r.step(ctx, p); ctx.Err() != nil {
			r.mu.Unlock()
			return nil, ctx.Err()
		}
	}
}

// Listed returns a session as a page asked for at or after since shows it, with
// the fields that only the listing has. It is nil, without an error, when no
// page of a whole listing shows the session. Callers at about the same time
// share pages: one that finds a listing under way follows it to its end before
// another is begun.
func (r *SessionReader) Listed(ctx context.Context, id string, since time.Time) (*Session, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if since.Before(r.written) {
		since = r.written
	}
	var joined *pass
	defer func() { joined.leave() }()
	for {
		p := r.pass
		if p == nil || p.idle() || (!p.covers(since) && (p.over() || p.followers == 0)) {
			p = r.restart()
		}
		if p != joined {
			joined.leave()
			p.followers++
			joined = p
		}
		p.used = time.Now()
		switch s := p.shown(id, since); {
		case s != nil:
			return s, nil
		case p.over() && p.covers(since):
			return nil, p.err
		case p.over():
			continue
		}
		if _ = r.step(ctx, p); ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

// All yields every session of the account once, page by page: no page is asked
// for before the sessions of the one before it have been taken. It shares pages
// with every other reader. An error is yielded once, as the last element.
func (r *SessionReader) All(ctx context.Context) iter.Seq2[*Session, error] {
	return func(yield func(*Session, error) bool) {
		r.mu.Lock()
		p := r.current(r.written)
		for i := 0; ; {
			p.used = time.Now()
			for ; i < len(p.order); i++ {
				s := *p.order[i]
				r.mu.Unlock()
				if !yield(&s, nil) {
					return
				}
				r.mu.Lock()
			}
			if p.over() {
				err := p.err
				r.mu.Unlock()
				if err != nil {
					yield(nil, err)
				}
				return
			}
			// Even where the step itself went well: the caller wants no more.
			if _ = r.step(ctx, p); ctx.Err() != nil {
				r.mu.Unlock()
				yield(nil, ctx.Err())
				return
			}
		}
	}
}

// Wrote tells that a call which may have changed the account has ended: what was
// read before answers no question asked after.
func (r *SessionReader) Wrote() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.written = time.Now()
	r.pass = nil
}

// Own notes a session that this run made, or knew before it made anything. It reports whether it was not noted before.
func (r *SessionReader) Own(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, noted := r.own[id]
	r.own[id] = struct{}{}
	return !noted
}

// Owns tells whether a session was noted with Own.
func (r *SessionReader) Owns(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.own[id]
	return ok
}

// ShownBefore reports whether a page that arrived before t showed the session. Unlike the sessions themselves, this is
// kept when the run writes.
func (r *SessionReader) ShownBefore(id string, t time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	first, ok := r.seen[id]
	return ok && first.Before(t)
}
