package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// created is an apply that creates sessions.
type created struct {
	Name    string `json:"name"`
	Account int    `json:"account"`
	Calls   calls  `json:"calls"`
	Apply   usage  `json:"apply"`
}

const (
	createSessions = 50
	readyAfter     = 8 * time.Second
	processes      = 2 // of the provider in one apply
)

// create is part 2: 50 sessions in one apply.
func (b *bench) create(s *section) error {
	*s = section{
		Part:  s.Part,
		Title: "Creating 50 sessions in one apply",
		Text: []string{fmt.Sprintf("A session is READY %v after it was created; %v per call. An apply runs two provider processes, one that plans and one that creates; "+
			"the CLI has both plan each session, so each reads the region list once. *each by GET* is the same provider against a service that refuses the listing: one GET per session and tick.",
			readyAfter, latency)},
		Table: table{Head: []string{"", "regions", "creates", "GETs", "pages", "GETs + pages", "apply", "provider's memory"}},
	}
	var data []created
	add := func(name string, size int, listing bool, args ...string) (created, error) {
		r, err := b.apply(name, size, listing, args...)
		if err != nil {
			return r, err
		}
		data = append(data, r)
		gets, pages := r.Calls[simulator.CallGetSession], r.Calls[simulator.CallListSessions]
		s.Table.add(name, r.Calls[simulator.CallRegions], r.Calls[simulator.CallCreateSession], gets, pages, gets+pages, seconds(r.Apply.Wall), mebibytes(r.Apply.Memory))
		fmt.Println(" ", name, r.Calls, seconds(r.Apply.Wall))
		return r, nil
	}
	shared, err := add("empty account", 0, true)
	if err != nil {
		return err
	}
	alone, err := add("empty account, each by GET", 0, false)
	if err != nil {
		return err
	}
	if _, err := add("empty account, -parallelism=50", 0, true, "-parallelism=50"); err != nil {
		return err
	}
	if _, err := add("account of 50,000", 50_000, true); err != nil {
		return err
	}
	s.Data = data
	fmt.Printf("\n%s", s.Table.text())
	s.measure("creating 50 sessions: calls of the region list, per provider process", float64(shared.Calls[simulator.CallRegions])/processes, 1)
	reads := func(c created) float64 {
		return float64(c.Calls[simulator.CallGetSession] + c.Calls[simulator.CallListSessions])
	}
	s.measure("creating 50 sessions: calls while waiting, of one GET per session and tick", reads(shared)/reads(alone), 1)
	return nil
}

func (b *bench) apply(name string, size int, listing bool, args ...string) (created, error) {
	r := created{Name: name, Account: size}
	s, err := serve(simulator.Options{Latency: latency, ReadyAfter: readyAfter})
	if err != nil {
		return r, err
	}
	defer s.close()
	populate(s, size, 0, anywhere)
	if !listing {
		s.Fail(simulator.Fault{Call: simulator.CallListSessions, Status: http.StatusForbidden})
	}
	f, err := b.cli.folder(filepath.Join(b.work, "create "+name), s.environment(""), sessionConfig(createSessions))
	if err != nil {
		return r, err
	}
	r.Apply, err = f.run(b.ctx, append([]string{"apply", "-auto-approve"}, args...)...)
	r.Calls = s.calls()
	if err == nil && r.Calls[simulator.CallCreateSession] != createSessions {
		err = fmt.Errorf("%d sessions were created, want %d", r.Calls[simulator.CallCreateSession], createSessions)
	}
	return r, err
}
