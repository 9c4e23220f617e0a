// Package sessions reads the live sessions of the account for one run: single sessions, the
// listing, and sessions that Terraform waits for, with few calls.
//
// A GET returns one session, and the listing returns all in pages of at most 100 sessions
// (SERVICE.md, calls 10 and 11). Which is cheaper depends on how many sessions Terraform will read,
// which is not known in advance. So [Reader.Get] uses both: unless a recent page shows the session,
// it sends a GET at once, while a goroutine lists the account. A Get never waits for a page.
//
// N Gets make at most 1.25 x N calls, without retries: pages answer h of them, N-h send a GET, and
// a page is requested only while pages < h + N/4, so a listing that shows too few sessions stops.
//
// All and Poll return data from requests made after the call. Get and Listed also use pages that
// were requested after the run's last write and at most 30 seconds before the call.
package sessions

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
)

const (
	pageAge  = 30 * time.Second // for how long a page answers reads of single sessions
	pageWait = 5 * time.Second  // for how long a poll waits for pages before it sends a GET
	alone    = 10               // reads before a listing: as many as Terraform makes at once by default

	pagesAtMost = 1000 // of one listing, so 100,000 sessions: its pages are kept
)

// Reader is safe for concurrent use. It returns copies. Only GETs return NotFound.
//
// Exported methods lock mu. The others, but for readAhead, are called with mu locked.
type Reader struct {
	client  *api.Client
	turn    chan struct{} // contains an element while a page is in flight
	start   time.Time     // the other times are durations since then
	written atomic.Int64  // end of the run's last write

	mu     sync.Mutex
	seen   map[string]sighting // by id
	latest *listing
	polls  map[time.Duration]int // calls of Poll by the moment of their read

	reads, hits, pages int                // calls of Get, how many of them pages answered, pages requested for them
	gets               int                // GETs of Get in flight
	stop               context.CancelFunc // ends readAhead; nil when it does not run
}

// sighting is a session as the newest page shows it.
type sighting struct {
	session *api.Session
	asked   time.Duration // when that page was requested
	first   time.Duration // when the first page that showed the session arrived
}

// listing is the pages requested so far, from the first one on.
type listing struct {
	begun time.Duration // when its first page was requested; math.MaxInt64 before that
	pages []*api.SessionPage
	next  api.Cursor
	over  bool // no page follows: the last one has been read, or err is set
	err   error
}

// New returns a Reader.
func New(client *api.Client) *Reader {
	return &Reader{
		client: client, turn: make(chan struct{}, 1), latest: &listing{begun: -1}, start: time.Now().Add(-rand.N(time.Minute)),
		seen: map[string]sighting{}, polls: map[time.Duration]int{},
	}
}

// Get reads a session for a refresh, from a recent page or by a GET, which may show a value
// differently.
func (r *Reader) Get(ctx context.Context, id string) (s *api.Session, paged bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reads++
	if s := r.shown(id, r.oldest()); s != nil {
		r.hits++
		return s, true, nil
	}
	r.gets++
	if r.stop == nil && r.reads > alone {
		var ahead context.Context // several calls need its pages, so it does not end with this one
		ahead, r.stop = context.WithTimeout(context.WithoutCancel(ctx), pageAge)
		go r.readAhead(ahead)
	}
	r.mu.Unlock()
	s, err = r.client.GetSession(ctx, id)
	r.mu.Lock()
	if r.gets--; r.gets == 0 && ctx.Err() != nil && r.stop != nil {
		r.stop() // the run is interrupted
	}
	return s, false, err
}

// readAhead lists the account while GETs of Get are in flight. It ends with the page after the
// last.
func (r *Reader) readAhead(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for ctx.Err() == nil && r.gets > 0 && r.pages < r.hits+r.reads/4 {
		l := r.begunSince(r.oldest())
		if l.over {
			break
		}
		r.pages++
		_, _ = r.page(ctx, l, len(l.pages))
	}
	r.stop()
	r.stop = nil
}

// Poll waits between early and late and then reads the session, by a GET or from a page. The moment
// of the read is a multiple of late-early, counted from a random start: so the calls of this
// process read at the same moments, but different runs do not. k calls of the same moment request
// at most k/4 pages, so they make at most 1.25 x k calls.
func (r *Reader) Poll(ctx context.Context, id string, early, late time.Duration) (*api.Session, error) {
	step := max(late-early, 1)
	moment := (time.Since(r.start) + early + step - 1).Truncate(step)
	r.mu.Lock()
	r.polls[moment]++
	r.mu.Unlock()
	select {
	case <-time.After(moment - time.Since(r.start)):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	limited, cancel := context.WithTimeout(ctx, pageWait)
	defer cancel()
	r.mu.Lock()
	s, _ := r.listed(limited, id, moment, r.polls[moment]/4)
	r.mu.Unlock()
	if s != nil {
		return s, nil
	}
	return r.client.GetSession(ctx, id)
}

// Listed returns a session from a page that was requested at or after since, with the fields that
// only the listing has. It is nil, without an error, if a whole listing does not show it.
func (r *Reader) Listed(ctx context.Context, id string, since time.Time) (*api.Session, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.listed(ctx, id, since.Sub(r.start), math.MaxInt)
}

// listed is Listed with a limit on pages. It reads a listing that is in progress to its end before
// it begins another one, so concurrent callers need at most two listings.
func (r *Reader) listed(ctx context.Context, id string, since time.Duration, pages int) (*api.Session, error) {
	since = max(since, r.oldest())
	l, underWay := r.latest, len(r.turn) > 0
	for ctx.Err() == nil {
		if s := r.shown(id, since); s != nil {
			return s, nil
		}
		if l.over || !underWay {
			l = r.begunSince(since)
		}
		if l.over || len(l.pages) >= pages {
			return nil, l.err
		}
		_, _ = r.page(ctx, l, len(l.pages))
	}
	return nil, ctx.Err()
}

// All yields each session of the account once, from a listing that begins after the call. It
// requests a page only after all sessions of the previous one were yielded. An error is the last
// element.
func (r *Reader) All(ctx context.Context) iter.Seq2[*api.Session, error] {
	return func(yield func(*api.Session, error) bool) {
		r.mu.Lock()
		l := r.begunSince(time.Since(r.start))
		r.mu.Unlock()
		yielded := map[string]bool{} // a session may move to another page during the listing
		for i := 0; ; i++ {
			r.mu.Lock()
			page, err := r.page(ctx, l, i)
			r.mu.Unlock()
			if err != nil {
				yield(nil, err)
			}
			if page == nil {
				return
			}
			for _, s := range page.Sessions {
				if !yielded[s.ID] && !yield(&s, nil) {
					return
				}
				yielded[s.ID] = true
			}
		}
	}
}

// begunSince returns a listing that began at or after since, or has not begun yet.
func (r *Reader) begunSince(since time.Duration) *listing {
	if r.latest.begun < since {
		r.latest = &listing{begun: math.MaxInt64}
	}
	return r.latest
}

// page returns page i of a listing, counted from 0, or nil if the listing has fewer pages. It
// unlocks mu while it waits. One page is in flight at a time.
func (r *Reader) page(ctx context.Context, l *listing, i int) (*api.SessionPage, error) {
	r.mu.Unlock()
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
	}
	r.mu.Lock()
	if i == len(l.pages) && !l.over && ctx.Err() == nil {
		r.request(ctx, l)
	}
	switch {
	case i < len(l.pages):
		return l.pages[i], nil
	case l.over:
		return nil, l.err
	}
	return nil, fmt.Errorf("list the live sessions: %w", ctx.Err())
}

// request adds the next page to a listing, unless ctx ends before it arrives.
func (r *Reader) request(ctx context.Context, l *listing) {
	asked := time.Since(r.start)
	l.begun = min(l.begun, asked)
	r.mu.Unlock()
	// Without the deadline of ctx: retries must not depend on which caller requests the page.
	limited, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer context.AfterFunc(ctx, cancel)()
	page, err := r.client.ListSessions(limited, l.next)
	r.mu.Lock()
	if err != nil {
		if ctx.Err() == nil {
			l.over, l.err = true, err
		}
		return
	}
	for n, s := range page.Sessions {
		first := cmp.Or(r.seen[s.ID].first, time.Since(r.start))
		r.seen[s.ID] = sighting{&page.Sessions[n], asked, first}
	}
	again := slices.ContainsFunc(l.pages, func(p *api.SessionPage) bool { return maps.Equal(p.Next, page.Next) })
	l.pages, l.next, l.over = append(l.pages, page), page.Next, len(page.Next) == 0
	if !l.over && (again || len(l.pages) == pagesAtMost) {
		l.over, l.err = true, fmt.Errorf("listing the live sessions does not end: pages come again, or more than %d", pagesAtMost)
	}
}

// oldest is the earliest time of the request for a page that may answer a call now.
func (r *Reader) oldest() time.Duration {
	return max(time.Duration(r.written.Load()), time.Since(r.start)-pageAge)
}

// shown returns a session from a page that was requested at or after since, or nil.
func (r *Reader) shown(id string, since time.Duration) *api.Session {
	if s, ok := r.seen[id]; ok && s.asked >= since {
		return new(*s.session)
	}
	return nil
}

// Wrote notes the end of a call that may have changed the account: older pages are not used.
func (r *Reader) Wrote() { r.written.Store(int64(time.Since(r.start))) }

// ShownBefore reports whether a page that arrived before t showed the session, whatever was written.
func (r *Reader) ShownBefore(id string, t time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok := r.seen[id]
	return ok && s.first < t.Sub(r.start)
}
