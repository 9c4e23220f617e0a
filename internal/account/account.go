// Package account reads the live sessions of the account for one run, with few calls.
//
// A GET returns one session, a page of the listing up to 100 (SERVICE.md, calls 10 and 11). So
// [Reader.Get] sends a GET at once, unless a recent page shows the session, while a goroutine lists
// the account. The goroutine requests a page only while pages < h + N/4, where pages answered h of
// N Gets. So N Gets make at most 1.25 x N calls.
//
// All and Poll return data from requests made after the call. Get and Listed also use pages
// requested after the run's last write and at most 30 seconds before the call.
package account

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
	longest  = 1000             // pages of one listing, which are kept
	largest  = 256 << 20        // bytes that the pages of one listing take
)

// Reader is safe for concurrent use. Its sessions are shared: nobody may change them. Only GETs
// return NotFound.
type Reader struct {
	client  *api.Client
	turn    chan struct{} // contains an element while a page is in flight
	start   time.Time     // the other times are durations since then
	written atomic.Int64  // end of the run's last write
	polls   atomic.Int32  // calls of Poll in progress
	largest int64         // as the constant

	mu          sync.Mutex          // callers of begunSince, page and oldest hold it
	seen        map[string]sighting // by id
	latest      *listing
	reads, hits int                // calls of Get, and how many of them a page answered
	gets, pages int                // GETs of Get in flight, and pages of readAhead
	stop        context.CancelFunc // ends readAhead; nil when it does not run
}

// sighting is a session as the newest page shows it.
type sighting struct {
	session api.Session
	asked   time.Duration // when that page was requested
	first   time.Duration // when the first page that showed the session arrived
}

type listing struct {
	begun time.Duration      // when its first page was requested; math.MaxInt64 before that
	pages []*api.SessionPage // those requested so far, from the first one on
	size  int64              // bytes
	next  api.Cursor
	over  bool // no page follows: the last one has been read, or err is set
	err   error
}

// New returns a Reader.
func New(client *api.Client) *Reader {
	return &Reader{
		client: client, turn: make(chan struct{}, 1), start: time.Now().Add(-rand.N(time.Minute)), largest: largest,
		seen: map[string]sighting{}, latest: &listing{begun: math.MaxInt64},
	}
}

// Get reads a session for a refresh, by a GET or from a page, which may show a value differently.
func (r *Reader) Get(ctx context.Context, id string) (s api.Session, paged bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reads++
	if s, ok := r.seen[id]; ok && s.asked >= r.oldest() {
		r.hits++
		return s.session, true, nil
	}
	r.gets++
	if r.stop == nil && r.reads > alone {
		var ahead context.Context // of all calls, so it does not end with this one
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

// readAhead lists the account while GETs of Get are in flight.
func (r *Reader) readAhead(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for ctx.Err() == nil && r.gets > 0 && r.pages < r.hits+r.reads/4 && !r.begunSince(r.oldest()).over {
		r.pages++
		_, _ = r.page(ctx, r.latest, len(r.latest.pages))
	}
	r.stop()
	r.stop = nil
}

// Poll waits between early and late and then reads the session, at a multiple of late-early since a
// random start. So the calls of a run read together and share pages, at most one for four of them.
func (r *Reader) Poll(ctx context.Context, id string, early, late time.Duration) (api.Session, error) {
	moment := (time.Since(r.start) + late).Truncate(late - early)
	r.polls.Add(1)
	defer r.polls.Add(-1)
	select {
	case <-time.After(moment - time.Since(r.start)):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	limited, cancel := context.WithTimeout(ctx, pageWait)
	defer cancel()
	if s, _ := r.listed(limited, id, moment, int(r.polls.Load()/4)); s != nil {
		return s, nil
	}
	return r.client.GetSession(ctx, id)
}

// Listed returns a session from a page that was requested at or after earliest, with the fields
// that only the listing has. It is nil, without an error, if a whole listing does not show it.
func (r *Reader) Listed(ctx context.Context, id string, earliest time.Time) (api.Session, error) {
	return r.listed(ctx, id, earliest.Sub(r.start), longest)
}

// listed reads at most limit pages. It first ends a listing in progress, so callers need at most
// two.
func (r *Reader) listed(ctx context.Context, id string, since time.Duration, limit int) (api.Session, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	since = max(since, r.oldest())
	l, underWay := r.latest, len(r.turn) > 0
	for {
		if s, ok := r.seen[id]; ok && s.asked >= since {
			return s.session, nil
		}
		if l.over || !underWay {
			l = r.begunSince(since)
		}
		if l.over || len(l.pages) >= limit {
			return nil, l.err
		}
		if _, err := r.page(ctx, l, len(l.pages)); err != nil && !l.over {
			return nil, err
		}
	}
}

// All yields each session once, from a new listing, page by page. An error is the last element.
func (r *Reader) All(ctx context.Context) iter.Seq2[api.Session, error] {
	return func(yield func(api.Session, error) bool) {
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
				if !yielded[s.ID()] && !yield(s, nil) {
					return
				}
				yielded[s.ID()] = true
			}
		}
	}
}

// begunSince makes latest a listing that began at or after since, or has not begun yet, and returns
// it.
func (r *Reader) begunSince(since time.Duration) *listing {
	if r.latest.begun < since {
		r.latest = &listing{begun: math.MaxInt64}
	}
	return r.latest
}

// page returns page i of a listing, from 0 on, or nil if it has fewer. It unlocks mu while it
// waits.
func (r *Reader) page(ctx context.Context, l *listing, i int) (*api.SessionPage, error) {
	r.mu.Unlock()
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
	}
	r.mu.Lock()
	switch {
	case i < len(l.pages):
		return l.pages[i], nil
	case l.over:
		return nil, l.err
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	asked := time.Since(r.start)
	l.begun = min(l.begun, asked)
	r.mu.Unlock()
	// Without the deadline of ctx: retries must not depend on which caller requests the page.
	limited, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer context.AfterFunc(ctx, cancel)()
	page, err := r.client.ListSessions(limited, l.next)
	r.mu.Lock()
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		l.over, l.err = true, err
		return nil, err
	case l.size+page.Size > r.largest:
		l.over, l.err = true, fmt.Errorf("the pages take more than %d MiB, so the provider has stopped after %d of them. "+
			"Where `limit` can be set, set it: the listing ends when so many sessions were found. "+
			"The filters alone do not make it shorter, because the provider applies them to the pages that it has read", r.largest>>20, len(l.pages))
		return nil, l.err
	}
	l.size += page.Size
	for _, s := range page.Sessions {
		r.seen[s.ID()] = sighting{s, asked, cmp.Or(r.seen[s.ID()].first, time.Since(r.start))}
	}
	again := slices.ContainsFunc(l.pages, func(p *api.SessionPage) bool { return maps.Equal(p.Next, page.Next) })
	l.pages, l.next, l.over = append(l.pages, page), page.Next, len(page.Next) == 0
	if !l.over && (again || len(l.pages) == longest) {
		l.over, l.err = true, fmt.Errorf("the listing does not end: pages come again, or more than %d", longest)
	}
	return page, nil
}

// oldest is the earliest time of the request for a page that may answer a call now.
func (r *Reader) oldest() time.Duration {
	return max(time.Duration(r.written.Load()), time.Since(r.start)-pageAge)
}

// Wrote notes the end of a call that may have changed the account: older pages are not used.
func (r *Reader) Wrote() { r.written.Store(int64(time.Since(r.start))) }

// ShownBefore reports whether a page that arrived before t showed the session, whatever was
// written.
func (r *Reader) ShownBefore(id string, t time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok := r.seen[id]
	return ok && s.first < t.Sub(r.start)
}
