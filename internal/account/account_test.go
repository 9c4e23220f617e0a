package account_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/vodlive/terraform-provider-vodlive/internal/account"
	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire"
)

// liveAPI is the live API of an account as a round tripper. Its answers show the account as it is
// when the request arrives, and take their time in virtual time.
type liveAPI struct {
	latency, pageLatency time.Duration

	mu       sync.Mutex
	ids      []string
	status   map[string]string
	unlisted map[string]bool // in the account, but on no page
	fail     func(*http.Request) *http.Response
	pageErr  error // of the transport, for pages
	gets     int
	lists    int
	inFlight int
}

const sessionRoute = "/live/v1/live-streams/session"

func newAccount(size int) *liveAPI {
	const latency = 50 * time.Millisecond
	a := &liveAPI{latency: latency, pageLatency: latency, status: map[string]string{}, unlisted: map[string]bool{}}
	for i := range size {
		a.ids = append(a.ids, fmt.Sprintf("s%d", i))
	}
	return a
}

func (a *liveAPI) reader(t testing.TB) *account.Reader {
	t.Helper()
	client := api.New(api.Config{
		LiveBaseURL: "https://live.example.com", AccessTokenID: "id", SecretKey: "secret",
		Config: wire.Config{MaxRetries: 3, UserAgent: "test/1", Transport: a},
	})
	// A page that was requested beside the last GET ends by itself; the bubble has to wait for it.
	t.Cleanup(func() { time.Sleep(time.Minute) })
	return account.New(client)
}

// inAccount runs a test in a bubble, on an account of a size.
func inAccount(t *testing.T, size int, test func(t *testing.T, a *liveAPI, r *account.Reader)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		t.Helper()
		a := newAccount(size)
		test(t, a, a.reader(t))
	})
}

// list returns how many sessions a listing yields, and its last error.
func list(t *testing.T, r *account.Reader) (n int, last error) {
	t.Helper()
	for s, err := range r.All(t.Context()) {
		if s != nil {
			n++
		}
		last = err
	}
	return n, last
}

func response(status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}
}

// isListing tells a request for a page from a GET of a session.
func isListing(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, sessionRoute) }

func (a *liveAPI) RoundTrip(r *http.Request) (*http.Response, error) {
	a.mu.Lock()
	answer := a.answer(r)
	a.inFlight++
	a.mu.Unlock()
	defer func() { a.mu.Lock(); a.inFlight--; a.mu.Unlock() }()
	wait := a.latency
	if isListing(r) {
		wait = a.pageLatency
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		if isListing(r) && a.pageErr != nil {
			return nil, a.pageErr
		}
		return answer, nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

func (a *liveAPI) answer(r *http.Request) *http.Response {
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

func (a *liveAPI) record(id string, listed bool) json.RawMessage {
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

func (a *liveAPI) set(id, status string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.status[id] = status
}

func (a *liveAPI) calls() (gets, lists int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.gets, a.lists
}

// walk reads the ids as Terraform does: some at once, the next when one ends.
func walk(ctx context.Context, r *account.Reader, ids []string, atOnce int) error {
	queue := make(chan string)
	errs := make(chan error, len(ids))
	var group sync.WaitGroup
	for range atOnce {
		group.Go(func() {
			for id := range queue {
				s, _, err := r.Get(ctx, id)
				if err == nil && s.ID() != id {
					err = fmt.Errorf("asked for %s, got %s", id, s.ID())
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

// refresh reads the first n of the account's sessions in an order, atOnce at a time, in a bubble of
// its own.
type refresh struct {
	n, account, atOnce int
	order              string // first, last, any: where the listing shows those that are read
	page               time.Duration
	seed               uint64
}

func (c refresh) String() string {
	return fmt.Sprintf("%d of %d, %d at once, %s, page %v", c.n, c.account, c.atOnce, c.order, c.page)
}

func (c refresh) run(t *testing.T) (gets, lists int, took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		a := newAccount(c.account)
		a.pageLatency = c.page
		ids := slices.Clone(a.ids)
		switch c.order {
		case "last":
			slices.Reverse(ids)
		case "any":
			rand.New(rand.NewPCG(c.seed, 1)).Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		}
		start := time.Now()
		if err := walk(t.Context(), a.reader(t), ids[:c.n], c.atOnce); err != nil {
			t.Fatal(err)
		}
		took = time.Since(start)
		gets, lists = a.calls()
	})
	return gets, lists, took
}

// check holds a refresh against the bounds: no slower than a GET each, and 1.25 calls a session.
func (c refresh) check(t rapid.TB, gets, lists int, took time.Duration) {
	t.Helper()
	if most := c.n + c.n/4; gets+lists > most {
		t.Errorf("%v: %d GETs and %d pages, want at most %d calls", c, gets, lists, most)
	}
	if slowest := time.Duration((c.n+c.atOnce-1)/c.atOnce) * 50 * time.Millisecond; took > slowest {
		t.Errorf("%v: took %v, want at most %v", c, took, slowest)
	}
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	const get = 50 * time.Millisecond
	tests := []struct {
		refresh
		calls  int           // at most; 0: what check allows
		within time.Duration // likewise
	}{
		{refresh: refresh{n: 0, account: 100, atOnce: 10, order: "any", page: get}},
		{refresh: refresh{n: 1, account: 50_000, atOnce: 10, order: "any", page: get}, calls: 1},
		{refresh: refresh{n: 10, account: 10, atOnce: 10, order: "any", page: get}, calls: 10},
		{refresh: refresh{n: 10, account: 50_000, atOnce: 10, order: "any", page: get}, calls: 10},
		{refresh: refresh{n: 100, account: 100, atOnce: 10, order: "any", page: get}, calls: 35},
		{refresh: refresh{n: 300, account: 50_000, atOnce: 10, order: "any", page: get}},
		{refresh: refresh{n: 300, account: 50_000, atOnce: 10, order: "first", page: get}, calls: 60},
		{refresh: refresh{n: 300, account: 50_000, atOnce: 10, order: "last", page: get}},
		{refresh: refresh{n: 1000, account: 1000, atOnce: 10, order: "any", page: get}, calls: 150, within: time.Second},
		{refresh: refresh{n: 1000, account: 1000, atOnce: 10, order: "first", page: get}, calls: 150, within: time.Second},
		{refresh: refresh{n: 1000, account: 1000, atOnce: 10, order: "last", page: get}, calls: 150, within: time.Second},
		{refresh: refresh{n: 1000, account: 1000, atOnce: 10, order: "any", page: get + time.Millisecond}, calls: 150, within: time.Second},
		{refresh: refresh{n: 1000, account: 1000, atOnce: 10, order: "any", page: 3 * get}},
		{refresh: refresh{n: 1000, account: 1000, atOnce: 1, order: "any", page: get}, calls: 150},
		{refresh: refresh{n: 1000, account: 5000, atOnce: 10, order: "any", page: get}, calls: 500, within: 3 * time.Second},
		{refresh: refresh{n: 5000, account: 5000, atOnce: 10, order: "any", page: time.Second}},
	}
	for _, tt := range tests {
		t.Run(tt.String(), func(t *testing.T) {
			t.Parallel()
			gets, lists, took := tt.run(t)
			t.Logf("%d GETs, %d pages, %v", gets, lists, took)
			tt.check(t, gets, lists, took)
			if tt.calls > 0 && gets+lists > tt.calls {
				t.Errorf("%d calls, want at most %d", gets+lists, tt.calls)
			}
			if tt.within > 0 && took > tt.within {
				t.Errorf("took %v, want at most %v", took, tt.within)
			}
		})
	}
}

// TestRefreshBounds is the package comment's bounds as a property.
func TestRefreshBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		size := rapid.IntRange(0, 6000).Draw(rt, "account")
		c := refresh{
			account: size, n: rapid.IntRange(0, min(size, 400)).Draw(rt, "sessions"),
			atOnce: rapid.IntRange(1, 40).Draw(rt, "at once"),
			order:  rapid.SampledFrom([]string{"first", "last", "any"}).Draw(rt, "order"),
			page:   time.Duration(rapid.IntRange(1, 400).Draw(rt, "page, in ms")) * time.Millisecond,
			seed:   rapid.Uint64().Draw(rt, "seed"),
		}
		gets, lists, took := c.run(t)
		c.check(rt, gets, lists, took)
	})
}

func TestGoneSessionsAreConfirmed(t *testing.T) {
	t.Parallel()
	inAccount(t, 150, func(t *testing.T, a *liveAPI, r *account.Reader) {
		a.unlisted["late"] = true
		if err := walk(t.Context(), r, a.ids, 10); err != nil { // the whole listing is known now
			t.Fatal(err)
		}
		if _, lists := a.calls(); lists != 2 {
			t.Fatalf("%d pages were read, want 2", lists)
		}
		before, _ := a.calls()
		if _, _, err := r.Get(t.Context(), "gone"); !api.NotFound(err) {
			t.Errorf("a session that is gone: %v", err)
		}
		if s, _, err := r.Get(t.Context(), "late"); err != nil || s.ID() != "late" {
			t.Errorf("a session that the listing does not show yet: %v, %v", s, err)
		}
		if after, _ := a.calls(); after-before != 2 {
			t.Errorf("%d GETs, want one for each session that no page shows", after-before)
		}
	})
}

func TestNothingIsOlderThanOwnWrites(t *testing.T) {
	t.Parallel()
	inAccount(t, 100, func(t *testing.T, a *liveAPI, r *account.Reader) {
		if err := walk(t.Context(), r, a.ids, 10); err != nil {
			t.Fatal(err)
		}
		a.set("s50", "STOPPED")
		if s, _, err := r.Get(t.Context(), "s50"); err != nil || s.Status() != "READY" {
			t.Fatalf("a page is used again: %v, %v", s, err)
		}
		r.Wrote()
		if s, _, err := r.Get(t.Context(), "s50"); err != nil || s.Status() != "STOPPED" {
			t.Errorf("after a write: %v, %v", s, err)
		}
		for s, err := range r.All(t.Context()) {
			if err != nil || (s.ID() == "s50" && s.Status() != "STOPPED") {
				t.Errorf("listed after a write: %v, %v", s, err)
			}
		}
	})
}

// TestPagesGetOld: a page answers a refresh for 30 seconds, however many questions come.
func TestPagesGetOld(t *testing.T) {
	t.Parallel()
	inAccount(t, 100, func(t *testing.T, a *liveAPI, r *account.Reader) {
		if s, err := r.Listed(t.Context(), "s1", time.Now()); err != nil || s == nil {
			t.Fatalf("%v, %v", s, err)
		}
		requested := time.Now().Add(-a.pageLatency)
		a.set("s1", "STOPPED")
		for age := time.Since(requested); age < 2*time.Minute; age = time.Since(requested) {
			want := "READY"
			if age > 30*time.Second {
				want = "STOPPED"
			}
			if s, _, err := r.Get(t.Context(), "s1"); err != nil || s.Status() != want {
				t.Fatalf("after %v: %v, %v, want %s", age, s, err, want)
			}
			time.Sleep(time.Second)
		}
		if s, err := r.Listed(t.Context(), "s1", time.Time{}); err != nil || s.Status() != "STOPPED" {
			t.Errorf("Listed answers from an old page: %v, %v", s, err)
		}
	})
}

// TestAllIsNew: nothing that All yields is older than the question, whoever has listed before.
func TestAllIsNew(t *testing.T) {
	t.Parallel()
	inAccount(t, 250, func(t *testing.T, a *liveAPI, r *account.Reader) {
		find := func(id string) (status string) {
			t.Helper()
			for s, err := range r.All(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				if s.ID() == id {
					status = s.Status()
				}
			}
			return status
		}
		var group sync.WaitGroup
		group.Go(func() { find("s1") })
		time.Sleep(20 * time.Millisecond) // while its first page is in flight
		a.set("s1", "STOPPED")
		if got := find("s1"); got != "STOPPED" {
			t.Errorf("beside another listing: s1 is %s", got)
		}
		group.Wait()
		a.mu.Lock()
		a.ids = append(a.ids, "s250")
		a.mu.Unlock()
		if got := find("s250"); got != "READY" {
			t.Errorf("a session made since the last listing is %q", got)
		}
	})
}

// TestAllIsShared: those who ask while a page is in flight share one listing.
func TestAllIsShared(t *testing.T) {
	t.Parallel()
	inAccount(t, 1000, func(t *testing.T, a *liveAPI, r *account.Reader) {
		var group sync.WaitGroup
		for i := range 20 {
			group.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				seen := map[string]bool{}
				for s, err := range r.All(t.Context()) {
					if err != nil {
						t.Error(err)
						return
					}
					seen[s.ID()] = true
				}
				if len(seen) != 1000 {
					t.Errorf("%d sessions, want 1000", len(seen))
				}
			})
		}
		group.Wait()
		if _, lists := a.calls(); lists > 20 {
			t.Errorf("%d pages for 20 questions, want those of two listings", lists)
		}
	})
}

// TestMovingSessions: a session on two pages is yielded once, and later reads see its newest page.
func TestMovingSessions(t *testing.T) {
	t.Parallel()
	inAccount(t, 0, func(t *testing.T, a *liveAPI, r *account.Reader) {
		a.fail = func(r *http.Request) *http.Response {
			if r.URL.Query().Get("id") == "" {
				return response(http.StatusOK, `{"Sessions":[{"id":"a","status":"PENDING"},{"id":"b"}],"LastEvaluatedKey":{"id":"b"}}`)
			}
			return response(http.StatusOK, `{"Sessions":[{"id":"a","status":"READY"},{"id":"c"}]}`)
		}
		var ids []string
		for s, err := range r.All(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, s.ID())
		}
		if got := strings.Join(ids, " "); got != "a b c" {
			t.Errorf("yielded %s, want each once", got)
		}
		if s, _, err := r.Get(t.Context(), "a"); err != nil || s.Status() != "READY" {
			t.Errorf("a is %v, %v", s, err)
		}
	})
}

func TestRefusedListingLeavesGets(t *testing.T) {
	t.Parallel()
	inAccount(t, 300, func(t *testing.T, a *liveAPI, r *account.Reader) {
		a.fail = func(r *http.Request) *http.Response {
			if isListing(r) {
				return response(http.StatusForbidden, `{"message":"you may not list"}`)
			}
			return nil
		}
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
		if last == nil || !strings.Contains(last.Error(), "403 Forbidden") {
			t.Errorf("All ends with %v", last)
		}
		if _, err := r.Listed(t.Context(), "s1", time.Time{}); err == nil {
			t.Error("Listed hides that the listing is refused")
		}
	})
}

// TestCancelledCaller: one who needs a page is cancelled while it is in flight. The others get it.
func TestCancelledCaller(t *testing.T) {
	t.Parallel()
	inAccount(t, 1000, func(t *testing.T, a *liveAPI, r *account.Reader) {
		a.pageLatency = time.Second
		asked := time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() { // requests the page
			if _, err := r.Listed(ctx, "s5", time.Now()); !errors.Is(err, context.Canceled) {
				t.Errorf("the cancelled call: %v", err)
			}
		})
		synctest.Wait()
		for range 3 { // two wait for it, one is cancelled while it waits
			group.Go(func() {
				if s, err := r.Listed(t.Context(), "s6", time.Now()); err != nil || s == nil {
					t.Errorf("a call beside a cancelled one: %v, %v", s, err)
				}
			})
		}
		group.Go(func() {
			for _, err := range r.All(ctx) {
				if !errors.Is(err, context.Canceled) {
					t.Errorf("the cancelled listing: %v", err)
				}
			}
		})
		time.Sleep(10 * time.Millisecond)
		start := time.Now()
		cancel()
		synctest.Wait()
		if time.Since(start) != 0 {
			t.Error("cancelling takes time")
		}
		group.Wait()
		if s, err := r.Listed(t.Context(), "nobody", asked); s != nil || err != nil {
			t.Errorf("the listing after its cancelled page: %v, %v", s, err)
		}
	})
}

// TestDeadlineOfOneCaller: the time limit of the one who requests a page is not that of the others.
func TestDeadlineOfOneCaller(t *testing.T) {
	t.Parallel()
	inAccount(t, 100, func(t *testing.T, a *liveAPI, r *account.Reader) {
		a.fail = func(*http.Request) *http.Response {
			if a.lists > 1 {
				return nil
			}
			res := response(http.StatusServiceUnavailable, "{}")
			res.Header.Set("Retry-After", "60")
			return res
		}
		var group sync.WaitGroup
		group.Go(func() {
			limited, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			for _, err := range r.All(limited) {
				if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
					t.Errorf("the limited call ends with %v", err)
				}
			}
		})
		synctest.Wait()
		if s, err := r.Listed(t.Context(), "s5", time.Now()); err != nil || s == nil {
			t.Errorf("the other call: %v, %v", s, err)
		}
		group.Wait()
	})
}

// TestUnreachableListing: a time-out of the network ends the listing for all who wait for it.
func TestUnreachableListing(t *testing.T) {
	t.Parallel()
	inAccount(t, 100, func(t *testing.T, a *liveAPI, r *account.Reader) {
		a.pageErr = &net.OpError{Op: "dial", Err: context.DeadlineExceeded}
		var group sync.WaitGroup
		for range 5 {
			group.Go(func() {
				if _, err := r.Listed(t.Context(), "s5", time.Now()); err == nil {
					t.Error("Listed hides that the listing failed")
				}
			})
		}
		group.Wait()
		if _, lists := a.calls(); lists != 4 {
			t.Errorf("%d requests, want one and its 3 retries", lists)
		}
	})
}

// TestRefreshAfterListings: pages that others requested do not count against those of a refresh.
func TestRefreshAfterListings(t *testing.T) {
	t.Parallel()
	inAccount(t, 1000, func(t *testing.T, a *liveAPI, r *account.Reader) {
		for range 3 {
			if _, err := list(t, r); err != nil {
				t.Fatal(err)
			}
		}
		r.Wrote()
		_, before := a.calls()
		if err := walk(t.Context(), r, a.ids[:100], 10); err != nil {
			t.Fatal(err)
		}
		if gets, lists := a.calls(); gets+lists-before > 35 {
			t.Errorf("%d GETs and %d pages, want at most 35 calls", gets, lists-before)
		}
	})
}

// TestInterruptedRefresh: with the last read the page beside it is cancelled, and nothing is left
// of it.
func TestInterruptedRefresh(t *testing.T) {
	t.Parallel()
	inAccount(t, 1000, func(t *testing.T, a *liveAPI, r *account.Reader) {
		a.latency, a.pageLatency = time.Second, 20*time.Second
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() {
			if err := walk(ctx, r, a.ids[:20], 10); !errors.Is(err, context.Canceled) {
				t.Errorf("the interrupted refresh: %v", err)
			}
		})
		time.Sleep(1500 * time.Millisecond)
		if _, lists := a.calls(); lists != 1 {
			t.Fatalf("%d pages were requested, want 1", lists)
		}
		cancel()
		synctest.Wait()
		group.Wait()
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.inFlight != 0 {
			t.Errorf("%d requests are in flight after the interruption", a.inFlight)
		}
	})
}

func TestListedSharesPages(t *testing.T) {
	t.Parallel()
	inAccount(t, 1000, func(t *testing.T, a *liveAPI, r *account.Reader) {
		var group sync.WaitGroup
		for i := range 50 {
			group.Go(func() {
				<-time.After(time.Duration(i) * 20 * time.Millisecond) // over one second, two passes long
				since := time.Now()
				s, err := r.Listed(t.Context(), fmt.Sprintf("s%d", 999-i*20), since)
				if err != nil || s == nil || s["user_id"] != "u" {
					t.Errorf("Listed: %v, %v", s, err)
				}
			})
		}
		group.Wait()
		// From the first question to the last are 20 pages; whoever comes last may need what is
		// left of a listing and a whole one.
		if gets, lists := a.calls(); gets != 0 || lists > 40 {
			t.Errorf("%d GETs and %d pages, want 0 and at most 40", gets, lists)
		}
	})
}

func TestListedSince(t *testing.T) {
	t.Parallel()
	inAccount(t, 250, func(t *testing.T, a *liveAPI, r *account.Reader) {
		first := time.Now()
		if s, err := r.Listed(t.Context(), "s5", first); err != nil || s.Status() != "READY" {
			t.Fatalf("%v, %v", s, err)
		}
		a.set("s5", "STOPPED")
		if s, err := r.Listed(t.Context(), "s5", first); err != nil || s.Status() != "READY" {
			t.Errorf("a page since then is used again: %v, %v", s, err)
		}
		if _, lists := a.calls(); lists != 1 {
			t.Errorf("%d pages were read, want 1", lists)
		}
		if s, err := r.Listed(t.Context(), "s5", time.Now()); err != nil || s.Status() != "STOPPED" {
			t.Errorf("an older page was used: %v, %v", s, err)
		}
		if s, err := r.Listed(t.Context(), "nobody", time.Now()); s != nil || err != nil {
			t.Errorf("a session on no page: %v, %v", s, err)
		}
		if gets, _ := a.calls(); gets != 0 {
			t.Errorf("%d GETs, want none", gets)
		}
	})
}

func TestAllIsLazy(t *testing.T) {
	t.Parallel()
	inAccount(t, 1000, func(t *testing.T, a *liveAPI, r *account.Reader) {
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
			seen[s.ID()] = true
		}
		if _, lists := a.calls(); len(seen) != 1000 || lists != 11 {
			t.Errorf("%d sessions, %d pages in all, want 1000 and 11", len(seen), lists)
		}
	})
}

// TestEndlessListing: a listing that the service never ends is an error, and costs nothing but
// itself.
func TestEndlessListing(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ cycle, pages int }{
		"a cursor that stays":      {1, 2},
		"a cursor that comes back": {3, 4},
		"pages without end":        {1_000_000, 1000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inAccount(t, 500, func(t *testing.T, a *liveAPI, r *account.Reader) {
				a.latency, a.pageLatency = 0, 0
				a.fail = func(r *http.Request) *http.Response {
					if !isListing(r) {
						return nil
					}
					return response(http.StatusOK, fmt.Sprintf(`{"Sessions":[{"id":"s1","region":"eu"}],"LastEvaluatedKey":{"id":"%d"}}`, a.lists%tt.cycle))
				}
				n, last := list(t, r)
				if _, lists := a.calls(); n != 1 || lists != tt.pages || last == nil || !strings.Contains(last.Error(), "does not end") {
					t.Errorf("%d sessions from %d pages, then %v", n, lists, last)
				}
				if err := walk(t.Context(), r, a.ids, 10); err != nil {
					t.Errorf("a refresh beside it: %v", err)
				}
			})
		})
	}
}

// TestListingHasALimitOfMemory: a listing that takes more ends, and says what to do.
func TestListingHasALimitOfMemory(t *testing.T) {
	t.Parallel()
	inAccount(t, 3000, func(t *testing.T, a *liveAPI, r *account.Reader) {
		a.latency, a.pageLatency = 0, 0
		r.KeepAtMost(1 << 20)
		n, last := list(t, r)
		if n < 100 || n == 3000 || last == nil || !strings.Contains(last.Error(), "`limit`") || !strings.Contains(last.Error(), "filters") || !strings.Contains(last.Error(), "1 MiB") {
			t.Errorf("%d sessions, then %v", n, last)
		}
		n = 0
		for range r.All(t.Context()) {
			if n++; n == 100 {
				break
			}
		}
		if err := walk(t.Context(), r, a.ids, 10); err != nil || n != 100 {
			t.Errorf("%d sessions of a limited listing, and a refresh beside it: %v", n, err)
		}
	})
}

// roundTripper is a function as a transport.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// TestLimitOfMemoryCountsWhatIsKept: fields that nobody reads do not count, and all that is kept
// does.
func TestLimitOfMemoryCountsWhatIsKept(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		field string
		whole bool
	}{
		"unknown field": {"notes", true},
		"URL":           {"input_endpoint_a", false},
	} {
		var page strings.Builder
		for i := range 100 {
			fmt.Fprintf(&page, `{"id":"s%d","name":"n","region":"r","%s":"%s"},`, i, test.field, strings.Repeat("x", 12<<10))
		}
		body := `{"Sessions":[` + strings.TrimSuffix(page.String(), ",") + `]}`
		client := api.New(api.Config{
			LiveBaseURL: "https://live.example.com", AccessTokenID: "id", SecretKey: "secret",
			Config: wire.Config{Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: req}, nil
			})},
		})
		r := account.New(client)
		r.KeepAtMost(1 << 20)
		n, last := list(t, r)
		if whole := n == 100 && last == nil; whole != test.whole {
			t.Errorf("%s: %d sessions, then %v", name, n, last)
		}
	}
}

// TestListingThatFailsMidway: its pages count, and its end is an error only for those who need the
// rest.
func TestListingThatFailsMidway(t *testing.T) {
	t.Parallel()
	inAccount(t, 300, func(t *testing.T, a *liveAPI, r *account.Reader) {
		a.fail = func(r *http.Request) *http.Response {
			if isListing(r) && r.URL.Query().Get("id") != "" {
				return response(http.StatusForbidden, `{"message":"no more"}`)
			}
			return nil
		}
		n, last := list(t, r)
		if n != 100 || last == nil || !strings.Contains(last.Error(), "403 Forbidden") {
			t.Errorf("%d sessions, then %v", n, last)
		}
		if s, err := r.Listed(t.Context(), "s5", time.Now()); err != nil || s == nil {
			t.Errorf("a session on the first page: %v, %v", s, err)
		}
		if s, err := r.Listed(t.Context(), "s250", time.Now()); err == nil {
			t.Errorf("a session on a page that failed: %v", s)
		}
		if err := walk(t.Context(), r, a.ids, 10); err != nil {
			t.Errorf("a refresh: %v", err)
		}
	})
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
			id = s.ID()
		}
		r.Wrote()
		<-time.After(time.Second)
		if r.ShownBefore(id, start) || !r.ShownBefore(id, time.Now()) || r.ShownBefore("other", time.Now()) {
			t.Error("ShownBefore does not tell when a session was shown")
		}
	})
}
