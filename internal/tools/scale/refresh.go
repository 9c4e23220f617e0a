package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// refreshed is a plan of n sessions that shows no change.
type refreshed struct {
	Sessions int   `json:"sessions"`
	Account  int   `json:"account"`
	Listing  bool  `json:"listing"` // false: the service refuses it, so that the provider reads each session by a GET
	Calls    calls `json:"calls"`
	Bound    int   `json:"bound"`
	Plan     usage `json:"plan"`
	// Span is from the first call to the end of the last one, Net the plan's time less that of one without refresh.
	Span time.Duration `json:"span_ns"`
	Net  time.Duration `json:"net_ns"`
}

// largestShared is the largest N of the series in a large account.
const largestShared = 300

func best(n, account int) int { return min(n, max(1, (account+pageSize-1)/pageSize)) }

// plan refreshes n sessions of an account with the real CLI.
func (b *bench) plan(n, account int, listing bool) (refreshed, error) {
	r := refreshed{Sessions: n, Account: account, Listing: listing, Bound: 2*best(n, account) + 10}
	s, err := serve(simulator.Options{Latency: latency})
	if err != nil {
		return r, err
	}
	defer s.close()
	f, err := b.cli.folder(filepath.Join(b.work, fmt.Sprintf("refresh-%d-%d-%v", n, account, listing)), s.environment(""), sessionConfig(n))
	if err != nil {
		return r, err
	}
	if err := f.state("vodlive_live_session", "s", instances(populate(s, account, n, anywhere))); err != nil {
		return r, err
	}
	if !listing {
		s.Fail(simulator.Fault{Call: simulator.CallListSessions, Status: http.StatusForbidden})
	}
	var spans []time.Duration
	if r.Plan, err = b.repeat(func() (usage, error) {
		s.ResetJournal()
		// An exit code of 0 says that nothing would change: the state was what the service shows.
		u, err := f.run(b.ctx, "plan", "-detailed-exitcode", "-lock=false")
		if r.Calls != nil && r.Calls.total() > s.calls().total() {
			return u, err // the most calls of all runs count
		}
		r.Calls = s.calls()
		spans = append(spans, s.span(latency))
		return u, err
	}); err != nil {
		return r, err
	}
	r.Span = median(spans)
	without, ok := b.without[n]
	if !ok {
		if without, err = b.repeat(func() (usage, error) { return f.run(b.ctx, "plan", "-refresh=false", "-lock=false") }); err != nil {
			return r, err
		}
		b.without[n] = without
	}
	r.Net = r.Plan.Wall - without.Wall
	return r, nil
}

// refresh is part 1: reading many sessions.
func (b *bench) refresh(s *section) error {
	*s = section{
		Part:  s.Part,
		Title: "Refresh",
		Text: []string{
			fmt.Sprintf("`plan` of sessions in the state, %v per call at the service, medians of %d runs. *each by GET* is the same provider against a service "+
				"that refuses the listing, so that every session costs a GET, ten at a time. "+
				"*net* is the time of the plan less that of the same plan with `-refresh=false`; *calls take* is from the first call to the end of the last one. "+
				"*bound* is 2 x min(sessions, pages) + 10.", latency, b.runs),
		},
		Table: table{Head: []string{"sessions of account", "GETs", "pages", "calls", "bound", "plan", "net", "calls take", "provider's CPU", "provider's memory"}},
		Plots: []string{"refresh.svg"},
	}
	var data []refreshed
	add := func(n, account int, listing bool) (refreshed, error) {
		r, err := b.plan(n, account, listing)
		if err != nil {
			return r, err
		}
		data = append(data, r)
		name, bound := fmt.Sprintf("%d of %d", n, account), fmt.Sprint(r.Bound)
		if !listing {
			name, bound = name+", each by GET", "–"
		}
		s.Table.add(name, r.Calls[simulator.CallGetSession], r.Calls[simulator.CallListSessions], r.Calls.total(), bound,
			seconds(r.Plan.Wall), seconds(r.Net), seconds(r.Span), seconds(r.Plan.ProviderCPU), mebibytes(r.Plan.Memory))
		fmt.Println(" ", name, r.Calls, seconds(r.Plan.Wall), seconds(r.Net), seconds(r.Span))
		return r, nil
	}
	lines := map[string]*series{}
	grow := func(name string, accountOf func(int) int, listing bool) error {
		calls, wall := &series{name: name}, &series{name: name}
		lines["calls "+name], lines["net "+name] = calls, wall
		for _, n := range b.sizes() {
			if accountOf(n) > n && n > largestShared {
				break // 500 pages, one after the other: known from the smaller ones
			}
			r, err := add(n, accountOf(n), listing)
			if err != nil {
				return err
			}
			calls.x, calls.y = append(calls.x, float64(n)), append(calls.y, float64(r.Calls.total()))
			wall.x, wall.y = append(wall.x, float64(n)), append(wall.y, max(r.Net.Seconds(), 0))
		}
		return nil
	}
	const own, large, each = "account of N", "account of 50,000", "account of N, each by GET"
	if err := grow(own, func(n int) int { return n }, true); err != nil {
		return err
	}
	if err := grow(each, func(n int) int { return n }, false); err != nil {
		return err
	}
	if err := grow(large, func(int) int { return 50_000 }, true); err != nil {
		return err
	}
	fmt.Printf("\n%s", s.Table.text())
	judgeRefresh(s, data)
	figures := refreshFigures{Plans: data}
	if b.most >= readsAlone {
		r, err := b.reads()
		if err != nil {
			return err
		}
		figures.Reads = r
		s.Text = append(s.Text, fmt.Sprintf("Without the CLI, whose own work takes longer than the calls and so hides most of their latency: %d reads over the plugin protocol, "+
			"ten at once, take %s, of which %s are from the first call to the end of the last one; by a GET each, %s and %s. The rest is what the framework takes to read a resource.",
			readsAlone, seconds(r.Listing.Wall), seconds(r.Listing.Span), seconds(r.Each.Wall), seconds(r.Each.Span)))
		s.measure("refresh of 1,000 in 1,000: time of the reads, of one GET each", r.Listing.Wall.Seconds()/r.Each.Wall.Seconds(), 1.0/6)
		s.measure("refresh of 1,000 in 1,000: time of the calls, of one GET each", r.Listing.Span.Seconds()/r.Each.Span.Seconds(), 1.0/6)
	}
	s.Data = figures
	if b.results == "" {
		return nil
	}
	var calls, wall []series
	for _, name := range []string{own, each, large} {
		calls, wall = append(calls, *lines["calls "+name]), append(wall, *lines["net "+name])
	}
	return plot(b.results, "refresh.svg",
		chart{title: "Calls of a refresh", x: "sessions in the configuration (N)", y: "calls", series: calls},
		chart{title: "Time of a refresh (net)", x: "sessions in the configuration (N)", y: "seconds", series: wall})
}

// refreshFigures is what the JSON holds of part 1.
type refreshFigures struct {
	Plans []refreshed `json:"plans"`
	Reads readsFigure `json:"reads"`
}

// readsFigure is the reads alone, by the listing and by a GET each.
type readsFigure struct {
	Listing timedReads `json:"listing"`
	Each    timedReads `json:"each"`
}

type timedReads struct {
	Wall time.Duration `json:"wall_ns"`
	Span time.Duration `json:"span_ns"`
}

// readsAlone is how many sessions are read without a CLI.
const readsAlone = 1000

// reads measures what a refresh takes without a CLI: the reads, ten at once, over the plugin protocol in this process.
func (b *bench) reads() (f readsFigure, err error) {
	for listing, into := range map[bool]*timedReads{true: &f.Listing, false: &f.Each} {
		var walls, spans []time.Duration
		for range max(3, b.runs) {
			r, err := b.readOnce(listing)
			if err != nil {
				return f, err
			}
			walls, spans = append(walls, r.Wall), append(spans, r.Span)
		}
		into.Wall, into.Span = median(walls), median(spans)
	}
	return f, nil
}

func (b *bench) readOnce(listing bool) (r timedReads, err error) {
	s, err := serve(simulator.Options{Latency: latency})
	if err != nil {
		return r, err
	}
	defer s.close()
	records := populate(s, readsAlone, readsAlone, anywhere)
	if !listing {
		s.Fail(simulator.Fault{Call: simulator.CallListSessions, Status: http.StatusForbidden})
	}
	p, err := newProtocol(b.ctx, s.environment(""))
	if err != nil {
		return r, err
	}
	const typ = "vodlive_live_session"
	states := make([]*tfprotov6.DynamicValue, len(records))
	for i, record := range records {
		if states[i], err = p.upgrade(b.ctx, typ, attributes(record)); err != nil {
			return r, err
		}
	}
	begin := time.Now()
	err = walk(len(states), func(i int) error { return p.read(b.ctx, typ, states[i]) })
	return timedReads{Wall: time.Since(begin), Span: s.span(latency)}, err
}

// judgeRefresh holds the figures against the targets.
func judgeRefresh(s *section, data []refreshed) {
	find := func(n, account int) *refreshed {
		for i, r := range data {
			if r.Sessions == n && r.Account == account && r.Listing {
				return &data[i]
			}
		}
		return nil
	}
	if r := find(1000, 1000); r != nil {
		s.measure("refresh of 1,000 sessions in an account of 1,000: calls", float64(r.Calls.total()), 40)
	}
	if r := find(1, 50_000); r != nil {
		s.measure("refresh of 1 session in an account of 50,000: calls", float64(r.Calls.total()), 3)
	}
	if r := find(300, 50_000); r != nil {
		s.measure("refresh of 300 sessions in an account of 50,000: calls", float64(r.Calls.total()), 610)
	}
}

// sizes are the numbers of resources in a series.
func (b *bench) sizes() (list []int) {
	for _, n := range []int{1, 10, 30, 100, 300, 1000} {
		if n <= b.most {
			list = append(list, n)
		}
	}
	return list
}
