package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// burst is how many requests a refusing server takes at once.
const burst = 5

// refusing is a server that refuses requests of one kind with 429, without Retry-After, once a
// token bucket is empty.
type refusing struct {
	next http.Handler
	puts bool // PUTs to storage are refused, else the calls of the service

	bucket *rate.Limiter

	mu                sync.Mutex
	accepted, refused int
	first, last       time.Time // requests
}

func (s *refusing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if (r.Method == http.MethodPut) == s.puts && !s.allow() {
		w.WriteHeader(http.StatusTooManyRequests)
		return
	}
	s.next.ServeHTTP(w, r)
}

func (s *refusing) allow() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = time.Now()
	if s.first.IsZero() {
		s.first = s.last
	}
	allowed := s.bucket.Allow()
	if allowed {
		s.accepted++
	} else {
		s.refused++
	}
	return allowed
}

// refusals measures uploads whose requests are refused because there are too many.
func (b *bench) refusals(ctx context.Context) error {
	const files, parts = 400, 77
	t := table{
		title: "Refused requests",
		text: fmt.Sprintf("Applies against a simulated service on loopback that allows so many requests a second, after %d at once, and refuses the others with 429, without Retry-After: "+
			"of the calls of the service, or of the PUTs to storage. *refused* is the share of refused requests, *used* the share of the allowed requests that were made, from the first to the last one. "+
			"Single runs.", burst),
		head: []string{"sent", "limited", "allowed a second", "refused", "used", "time"},
	}
	content, err := b.write(files, 4<<10)
	if err != nil {
		return err
	}
	defer content.remove()
	large := filepath.Join(b.work, "refused.mp4")
	if err := errors.Join(os.WriteFile(large, nil, 0o600), os.Truncate(large, parts*5*mebibyte)); err != nil {
		return err
	}
	loads := []struct{ sent, config string }{
		{fmt.Sprintf("%d files", files), fmt.Sprintf("resource \"vodlive_media_folder\" \"files\" {\n  source_dir = %s\n}\n", quoted(content.dir))},
		{fmt.Sprintf("a file of %d parts", parts), fmt.Sprintf("resource \"vodlive_media_upload\" \"file\" {\n  source    = %s\n  method    = \"multipart\"\n  part_size = %d\n}\n", quoted(large), 5*mebibyte)},
	}
	var rows [][]any
	for _, puts := range []bool{false, true} {
		limited := map[bool]string{false: "calls", true: "PUTs"}[puts]
		for _, load := range loads {
			for _, perSecond := range []int{2, 3, 10, 50} {
				rows = append(rows, []any{load.sent, limited, perSecond, load.config, puts})
			}
		}
	}
	// Those that wait most of the time run together, the others alone: a busy processor makes each
	// trip longer.
	for _, alone := range []bool{true, false} {
		var all errgroup.Group
		all.SetLimit(map[bool]int{true: 1, false: len(rows)}[alone])
		for i, row := range rows {
			sent, _ := row[0].(string)
			perSecond, _ := row[2].(int)
			config, _ := row[3].(string)
			puts, _ := row[4].(bool)
			if (perSecond >= 50 || sent != loads[0].sent) == alone {
				all.Go(func() (err error) {
					rows[i], err = b.refused(ctx, row[:3:3], config, perSecond, puts)
					return err
				})
			}
		}
		if err := all.Wait(); err != nil {
			return err
		}
	}
	for _, row := range rows {
		t.add(row...)
	}
	t.print()
	return nil
}

// refused applies a configuration, and adds to a row of the table what became of its requests.
func (b *bench) refused(ctx context.Context, row []any, config string, perSecond int, puts bool) ([]any, error) {
	s := simulator.New(simulator.Options{DiscardContent: true})
	limited := &refusing{next: s, puts: puts, bucket: rate.NewLimiter(rate.Limit(perSecond), burst)}
	served := &service{Service: s, server: httptest.NewServer(limited)}
	defer served.close()
	w, err := b.workdir(served, config)
	if err != nil {
		return nil, err
	}
	defer w.remove()
	u, err := w.run(ctx, "apply", "-auto-approve")
	if err != nil {
		return nil, fmt.Errorf("%v: %w", row, err)
	}
	total := float64(limited.accepted + limited.refused)
	could := float64(perSecond)*limited.last.Sub(limited.first).Seconds() + burst
	fmt.Println(strings.Trim(fmt.Sprint(row), "[]"), "\t", limited.refused, "refused of", total, "\t", u.wall)
	return append(row, percent(float64(limited.refused)/total), percent(float64(limited.accepted)/could), u.wall), nil
}

func percent(share float64) string {
	return fmt.Sprintf("%.1f %%", 100*share)
}
