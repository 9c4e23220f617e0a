package livesession

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
)

// sessionsOf yields each session of the account once, page by page. An error is the last element.
func sessionsOf(ctx context.Context, client *api.Client) iter.Seq2[api.Session, error] {
	return func(yield func(api.Session, error) bool) {
		yielded := map[string]bool{} // a session may move to another page while the pages are read
		cursors := map[string]bool{}
		for next := (api.Cursor{}); ; {
			page, err := client.ListSessions(ctx, next)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, s := range page.Sessions {
				if !yielded[s.ID()] && !yield(s, nil) {
					return
				}
				yielded[s.ID()] = true
			}
			next = page.Next
			if len(next) == 0 {
				return
			}
			key := fmt.Sprint(map[string]string(next))
			if cursors[key] {
				yield(nil, errors.New("the listing does not end: the service returned the same LastEvaluatedKey twice"))
				return
			}
			cursors[key] = true
		}
	}
}

// listing is the last reading of the listing, which all resources and data sources of the process
// share.
type listing struct {
	mu       sync.Mutex
	reading  chan struct{} // closed when the reading that is under way ends; nil: there is none
	begun    time.Time
	ended    time.Time
	sessions []api.Session
	err      error
}

// since returns the sessions of a listing that began at a time or later. Calls that waited for a
// reading that failed share its error. Each call waits no longer than its own context.
func (l *listing) since(ctx context.Context, client *api.Client, at time.Time) ([]api.Session, error) {
	called := time.Now()
	for {
		l.mu.Lock()
		isFresh := l.err == nil && !l.begun.IsZero() && !l.begun.Before(at)
		hasFailed := l.err != nil && l.ended.After(called)
		sessions, err, reading := l.sessions, l.err, l.reading
		if reading == nil && !isFresh && !hasFailed {
			l.reading = make(chan struct{})
		}
		l.mu.Unlock()
		switch {
		case isFresh:
			return sessions, nil
		case hasFailed:
			return nil, err
		case reading == nil:
			return l.read(ctx, client)
		}
		select {
		case <-reading:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// read reads the listing for all calls that wait for it.
func (l *listing) read(ctx context.Context, client *api.Client) ([]api.Session, error) {
	begun := time.Now()
	sessions, err := collect(sessionsOf(ctx, client))
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.reading)
	l.reading = nil
	if ctx.Err() != nil { // says nothing to other calls
		return nil, ctx.Err()
	}
	l.begun, l.ended, l.sessions, l.err = begun, time.Now(), sessions, err
	return sessions, err
}

func collect(sequence iter.Seq2[api.Session, error]) ([]api.Session, error) {
	sessions := []api.Session{}
	for s, err := range sequence {
		if err != nil {
			return nil, err
		}
		sessions = append(sessions, s)
	}
	return sessions, nil
}

// find returns a session of a listing that began at a time or later, nil if it does not show it.
func (l *listing) find(ctx context.Context, client *api.Client, id string, at time.Time) (api.Session, error) {
	sessions, err := l.since(ctx, client, at)
	if i := slices.IndexFunc(sessions, func(s api.Session) bool { return s.ID() == id }); i >= 0 {
		return sessions[i], nil
	}
	return nil, err
}
