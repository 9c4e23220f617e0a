package main

import (
	"fmt"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// bounded is a refresh over the plugin protocol, held against the bound.
type bounded struct {
	Sessions int    `json:"sessions"`
	Account  int    `json:"account"`
	Order    string `json:"order"`
	Calls    int    `json:"calls"`
	Bound    int    `json:"bound"`
}

// bound refreshes over a grid of sessions, accounts and orders, through the provider's own protocol in this process and
// over HTTP, and holds every number of calls against 2 x min(sessions, pages) + 10.
func (b *bench) bound(s *section) error {
	var data []bounded
	worst := map[string]bounded{}
	orders := []string{listedFirst, listedLast, onePerPage, anywhere}
	for _, size := range []int{1, 100, 101, 1000, 50_000} {
		for _, order := range orders {
			for _, n := range []int{1, 10, 11, 20, 100, 300} {
				if n > size || n > b.most {
					continue
				}
				r, err := b.walkBound(n, size, order)
				if err != nil {
					return err
				}
				data = append(data, r)
				if w, ok := worst[order]; !ok || r.share() > w.share() {
					worst[order] = r
				}
			}
		}
	}
	*s = section{
		Part:  s.Part,
		Title: "The bound of a refresh",
		Text: []string{fmt.Sprintf("%d refreshes over the plugin protocol, ten at once: 1 to 300 sessions in accounts of 1 to 50,000. "+
			"The closest of each order in which the sessions are asked for:", len(data))},
		Table: table{Head: []string{"order", "sessions", "account", "calls", "bound", "share"}},
		Data:  data,
	}
	most := 0.0
	for _, order := range orders {
		w := worst[order]
		s.Table.add(order, w.Sessions, w.Account, w.Calls, w.Bound, number(w.share()))
		most = max(most, w.share())
	}
	fmt.Printf("\n%s", s.Table.text())
	s.measure("refresh, any sessions and account: calls, of 2 x min(sessions, pages) + 10", most, 1)
	return nil
}

func (r bounded) share() float64 { return float64(r.Calls) / float64(r.Bound) }

func (b *bench) walkBound(n, size int, order string) (bounded, error) {
	r := bounded{Sessions: n, Account: size, Order: order, Bound: 2*best(n, size) + 10}
	s, err := serve(simulator.Options{Latency: time.Millisecond})
	if err != nil {
		return r, err
	}
	defer s.close()
	records := populate(s, size, n, order)
	p, err := newProtocol(b.ctx, s.environment(""))
	if err != nil {
		return r, err
	}
	err = walk(n, func(i int) error { return p.refresh(b.ctx, "vodlive_live_session", attributes(records[i])) })
	r.Calls = s.calls().total()
	return r, err
}
