package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
)

// account is the live API of an account as a round tripper, with pages of 100
// and a latency in virtual time.
type account struct {
	latency time.Duration

	mu       sync.Mutex
	ids      []string
	status   map[string]string
	unlisted map[string]bool // in the account, but on no page
	fail     func(*http.Request) *http.Response
	gets     int
	lists    int
	most     int // calls under way at once, at most
	now      int
}

const sessionRoute = "/live/v1/live-streams/session"

func newAccount(size int) *account {
	a := &account{latency: 50 * time.Millisecond, status: map[string]string{}, unlisted: map[string]bool{}}
	for i := range size {
		a.ids = append(a.ids, fmt.Sprintf("s%d", i))
	}
	return a
}

func (a *account) reader(t testing.TB) *api.SessionReader {
	t.Helper()
	c := config(a)
	c.MaxRetries = 0
	return api.NewSessionReader(newClient(t, c))
}

func (a *account) RoundTrip(r *http.Request) (*http.Response, error) {
	a.mu.Lock()
	a.now++
	a.most = max(a.most, a.now)
	answer := a.answer(r)
	a.mu.Unlock()
	defer func() { a.mu.Lock(); a.now--; a.mu.Unlock() }()
	timer := time.NewTimer(a.latency)
	defer timer.Stop()
	select {
	case <-timer.C:
		return answer, nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

func (a *account) answer(r *http.Request) *http.Response {
	_, id, single := strings.Cut(r.URL.Path, sessionRoute+"/")
	if single {
		a.gets++
	} else {
		a.lists++
	}
	if a.fail != nil {
		if res := a.fail(r); res != nil {
			return res
		}
	}
	if single {
		if !slices.Contains(a.ids, id) && !a.unlisted[id] {
			return response(http.StatusNotFound, `{"message":"no such session"}`)
		}
		return response(http.StatusOK, string(a.record(id, false)))
	}
	begin := 0
	if after := r.URL.Query().Get("id"); after != "" {
		n, _ := strconv.Atoi(strings.TrimPrefix(after, "s"))
		begin = n + 1
	}
	end := min(begin+100, len(a.ids))
	page := struct {
		Sessions         []json.RawMessage `json:"Sessions"`
		LastEvaluatedKey map[string]string `json:"LastEvaluatedKey,omitempty"`
	}{Sessions: []json.RawMessage{}}
	for _, id := range a.ids[begin:end] {
		page.Sessions = append(page.Sessions, a.record(id, true))
	}
	if end < len(a.ids) {
		page.LastEvaluatedKey = map[string]string{"id": a.ids[end-1], "user_id": "u", "created_at_user_id": "c"}
	}
	body, _ := json.Marshal(page)
	return response(http.StatusOK, string(body))
}

func (a *account) record(id string, listed bool) json.RawMessage {
	status := a.status[id]
	if status == "" {
		status = "READY"
	}
	record := fmt.Sprintf(`{"id":%q,"name":"n-%s","region":"eu","input":"RTMP_PUSH","mode":"NORM","status":%q`, id, id, status)
	if listed {
		record += `,"user_id":"u","port":1935`
	}
	return json.RawMessage(record + "}")
}

func (a *account) set(id, status string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.status[id] = status
}

func (a *account) calls() (gets, lists int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.gets, a.lists
}

// walk reads the ids as Terraform does: some at once, the next when one ends.
func walk(ctx context.Context, r *api.SessionReader, ids []string, atOnce int) error {
	queue := make(chan string)
	errs := make(chan error, len(ids))
	var group sync.WaitGroup
	for range atOnce {
		group.Go(func() {
			for id := range queue {
				s, err := r.Get(ctx, id)
				if err == nil && s.ID != id {
					err = fmt.Errorf("asked for %s, got %s", id, s.ID)
				}
				errs <- err
			}
		})
	}
	for _, id := range ids {
		queue <- id
	}
	close(queue)
	group.Wait()
	close(errs)
	var all error
	for err := range errs {
		all = errors.Join(all, err)
	}
	return all
}

func pagesOf(size int) int { return max(1, (size+99)/100) }

func TestRefreshCalls(t *testing.T) {
	t.Parallel()
	tests := []struct {
		sessions, account, atOnce int
		last                      bool // the configuration has those that are listed last
		calls                     int
		within                    time.Duration
	}{
		{sessions: 1, account: 50_000, atOnce: 10, calls: 3, within: 60 * time.Millisecond},
		{sessions: 10, account: 50_000, atOnce: 10, calls: 10, within: 60 * time.Millisecond},
		{sessions: 300, account: 50_000, atOnce: 10, calls: 610},
		{sessions: 300, account: 50_000, atOnce: 10, last: true, calls: 610},
		// A sixth of a thousand GETs of 50 ms, ten at once.
		{sessions: 1000, account: 1000, atOnce: 10, calls: 30, within: 5 * time.Second / 6},
		{sessions: 1000, account: 1000, atOnce: 1, calls: 30},
		{sessions: 1000, account: 1000, atOnce: 100, calls: 30},
		{sessions: 100, account: 100, atOnce: 10, calls: 12},
		{sessions: 0, account: 100, atOnce: 10, calls: 0},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%d of %d by %d", tt.sessions, tt.account, tt.atOnce), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := newAccount(tt.account)
				ids := slices.Clone(a.ids)
				if tt.last {
					slices.Reverse(ids)
				} else {
					rand.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
				}
				start := time.Now()
				if err := walk(t.Context(), a.reader(t), ids[:tt.sessions], tt.atOnce); err != nil {
					t.Fatal(err)
				}
				took := time.Since(start)
				gets, lists := a.calls()
				t.Logf("%d GETs, %d pages, %v", gets, lists, took)
				if gets+lists > tt.calls {
					t.Errorf("%d calls, want at most %d", gets+lists, tt.calls)
				}
				if tt.within > 0 && took > tt.within {
					t.Errorf("took %v, want at most %v", took, tt.within)
				}
			})
		})
	}
}

// TestRefreshBound is the bound of the type's comment as a property.
func TestRefreshBound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		size := rapid.IntRange(0, 6000).Draw(rt, "account")
		n := rapid.IntRange(0, min(size, 400)).Draw(rt, "sessions")
		atOnce := rapid.IntRange(1, 40).Draw(rt, "at once")
		order := rapid.SampledFrom([]string{"listed first", "listed last", "any"}).Draw(rt, "order")
		latency := rapid.SampledFrom([]time.Duration{time.Millisecond, 300 * time.Millisecond}).Draw(rt, "latency")
		seed := rapid.Uint64().Draw(rt, "seed")
		var gets, lists int
		synctest.Test(t, func(t *testing.T) {
			a := newAccount(size)
			a.latency = latency
			ids := slices.Clone(a.ids)
			switch order {
			case "listed last":
				slices.Reverse(ids)
			case "any":
				rand.New(rand.NewPCG(seed, 1)).Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
			}
			if err := walk(t.Context(), a.reader(t), ids[:n], atOnce); err != nil {
				t.Fatal(err)
			}
			gets, lists = a.calls()
		})
		if most := 2*min(n, pagesOf(size)) + 10; gets+lists > most {
			rt.Fatalf("%d of %d, %d at once: %d GETs and %d pages, want at most %d calls", n, size, atOnce, gets, lists, most)
		}
	})
}

func TestGoneSessionsAreConfirmed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAccount(150)
		a.unlisted["late"] = true
		r := a.reader(t)
		if err := walk(t.Context(), r, a.ids, 10); err != nil { // the whole listing is known now
			t.Fatal(err)
		}
		if _, lists := a.calls(); lists != 2 {
			t.Fatalf("%d pages were read, want 2", lists)
		}
		before, _ := a.calls()
		if _, err := r.Get(t.Context(), "gone"); !api.NotFound(err) {
			t.Errorf("a session that is gone: %v", err)
		}
		if s, err := r.Get(t.Context(), "late"); err != nil || s.ID != "late" {
			t.Errorf("a session that the listing does not show yet: %v, %v", s, err)
		}
		if after, _ := a.calls(); after-before != 2 {
			t.Errorf("%d GETs, want one for each session that no page shows", after-before)
		}
	})
}

func TestNothingIsOlderThanOwnWrites(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAccount(100)
		r := a.reader(t)
		if err := walk(t.Context(), r, a.ids, 10); err != nil {
			t.Fatal(err)
		}
		a.set("s50", "STOPPED")
		if s, err := r.Get(t.Context(), "s50"); err != nil || s.Status != "READY" {
			t.Fatalf("a page is used again: %v, %v", s, err)
		}
		r.Wrote()
		if s, err := r.Get(t.Context(), "s50"); err != nil || s.Status != "STOPPED" {
			t.Errorf("after a write: %v, %v", s, err)
		}
		for s, err := range r.All(t.Context()) {
			if err != nil || (s.ID == "s50" && s.Status != "STOPPED") {
				t.Errorf("listed after a write: %v, %v", s, err)
			}
		}
	})
}

func TestPagesAreDroppedWhenIdle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAccount(100)
		r := a.reader(t)
		count := func() (n int) {
			for _, err := range r.All(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				n++
			}
			return n
		}
		for i, want := range []int{1, 1, 2} {
			if n := count(); n != 100 {
				t.Errorf("%d sessions, want 100", n)
			}
			if _, lists := a.calls(); lists != want {
				t.Errorf("round %d: %d pages were read, want %d", i, lists, want)
			}
			if i == 1 {
				<-time.After(31 * time.Second)
			} else {
				<-time.After(29 * time.Second)
			}
		}
	})
}

func TestRefusedListingLeavesGets(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAccount(300)
		a.fail = func(r *http.Request) *http.Response {
			if r.URL.Path == "/live"+sessionRoute || strings.HasSuffix(r.URL.Path, sessionRoute) {
				return response(http.StatusForbidden, `{"message":"you may not list"}`)
			}
			return nil
		}
		r := a.reader(t)
		if err := walk(t.Context(), r, a.ids, 10); err != nil {
			t.Errorf("reading without the listing: %v", err)
		}
		if gets, lists := a.calls(); gets != 300 || lists != 1 {
			t.Errorf("%d GETs and %d listings, want 300 and 1", gets, lists)
		}
		var last error
		for s, err := range r.All(t.Context()) {
			if s != nil {
				t.Errorf("a session of a refused listing: %v", s)
			}
			last = err
		}
		if last == nil || !strings.Contains(last.Error(), "you may not list") {
			t.Errorf("All ends with %v", last)
		}
		if _, err := r.Listed(t.Context(), "s1", time.Time{}); err == nil {
			t.Error("Listed hides that the listing is refused")
		}
	})
}

func TestCancelledReaderHandsOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAccount(1000)
		r := a.reader(t)
		if err := walk(t.Context(), r, a.ids[990:1000], 1); err != nil { // the head start
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() { // asks for the page
			if _, err := r.Get(ctx, "s950"); !errors.Is(err, context.Canceled) {
				t.Errorf("the cancelled read: %v", err)
			}
		})
		synctest.Wait()
		for range 3 {
			group.Go(func() { // the second gets by GET, the others wait for the page
				if _, err := r.Get(t.Context(), "s949"); err != nil {
					t.Errorf("a read beside a cancelled one: %v", err)
				}
			})
		}
		<-time.After(10 * time.Millisecond)
		cancel()
		synctest.Wait()
		group.Wait()
	})
}

func TestListedSharesPages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAccount(1000)
		r := a.reader(t)
		var group sync.WaitGroup
		for i := range 50 {
			group.Go(func() {
				<-time.After(time.Duration(i) * 20 * time.Millisecond) // over one second, two passes long
				since := time.Now()
				s, err := r.Listed(t.Context(), fmt.Sprintf("s%d", 999-i*20), since)
				if err != nil || s == nil || s.UserID != "u" {
					t.Errorf("Listed: %v, %v", s, err)
				}
			})
		}
		group.Wait()
		// From the first question to the last are 20 pages; whoever comes last
		// may need what is left of a pass and one whole one.
		if gets, lists := a.calls(); gets != 0 || lists > 40 {
			t.Errorf("%d GETs and %d pages, want 0 and at most 40", gets, lists)
		}
	})
}

func TestListedSince(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAccount(250)
		r := a.reader(t)
		first := time.Now()
		if s, err := r.Listed(t.Context(), "s5", first); err != nil || s.Status != "READY" {
			t.Fatalf("%v, %v", s, err)
		}
		a.set("s5", "STOPPED")
		if s, err := r.Listed(t.Context(), "s5", first); err != nil || s.Status != "READY" {
			t.Errorf("a page since then is used again: %v, %v", s, err)
		}
		if _, lists := a.calls(); lists != 1 {
			t.Errorf("%d pages were read, want 1", lists)
		}
		if s, err := r.Listed(t.Context(), "s5", time.Now()); err != nil || s.Status != "STOPPED" {
			t.Errorf("an older page was used: %v, %v", s, err)
		}
		if s, err := r.Listed(t.Context(), "nobody", time.Now()); s != nil || err != nil {
			t.Errorf("a session on no page: %v, %v", s, err)
		}
		if gets, _ := a.calls(); gets != 0 {
			t.Errorf("%d GETs, want none", gets)
		}
		a.set("s5", "TERMINATED")
		<-time.After(31 * time.Second)
		if s, err := r.Listed(t.Context(), "s5", time.Time{}); err != nil || s.Status != "TERMINATED" {
			t.Errorf("a page that nobody has used for long was used: %v, %v", s, err)
		}
	})
}

func TestAllIsLazy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAccount(1000)
		r := a.reader(t)
		n := 0
		for _, err := range r.All(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n == 100 {
				break
			}
		}
		if _, lists := a.calls(); lists != 1 {
			t.Errorf("%d pages for 100 sessions, want 1", lists)
		}
		seen := map[string]bool{}
		for s, err := range r.All(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			seen[s.ID] = true
			s.Status = "changed by the caller"
		}
		if _, lists := a.calls(); len(seen) != 1000 || lists != 10 {
			t.Errorf("%d sessions from %d pages, want 1000 from 10", len(seen), lists)
		}
		for s := range r.All(t.Context()) {
			if s.Status != "READY" {
				t.Fatal("callers share a session")
			}
		}
	})
}

func TestEndlessListing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAccount(500)
		a.fail = func(r *http.Request) *http.Response {
			return response(http.StatusOK, `{"Sessions":[{"id":"s1","region":"eu"}],"LastEvaluatedKey":{"id":"s1"}}`)
		}
		r := a.reader(t)
		n, last := 0, error(nil)
		for s, err := range r.All(t.Context()) {
			if s != nil {
				n++
			}
			last = err
		}
		if n != 1 || last == nil || !strings.Contains(last.Error(), "does not end") {
			t.Errorf("%d sessions, then %v", n, last)
		}
	})
}

func TestOwn(t *testing.T) {
	t.Parallel()
	r := newAccount(0).reader(t)
	if !r.Own("mine") || r.Own("mine") {
		t.Error("Own does not tell whether a session was noted before")
	}
	if !r.Owns("mine") || r.Owns("other") {
		t.Error("Owns does not tell own sessions from others")
	}
}

// TestShownBefore: a write makes the pages too old for questions, but not what they showed.
func TestShownBefore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newAccount(1).reader(t)
		id, start := "", time.Now()
		for s, err := range r.All(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			id = s.ID
		}
		r.Wrote()
		<-time.After(time.Second)
		if r.ShownBefore(id, start) || !r.ShownBefore(id, time.Now()) || r.ShownBefore("other", time.Now()) {
			t.Error("ShownBefore does not tell when a session was shown")
		}
	})
}
