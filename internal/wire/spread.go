package wire

import (
	"cmp"
	"context"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

const (
	// An address may take slowConnect times as long to connect as the fastest one did. Then the
	// next one is tried as well, because a connection that is made late gets little of a line that
	// others have filled.
	slowConnect   = 1.5
	leastPatience = 100 * time.Millisecond
	mostPatience  = 300 * time.Millisecond
	// deadFor is how long an address that could not be connected to is tried last.
	deadFor = time.Minute
)

// spread makes connections to all addresses of a name alike. net.Dialer uses the first one that it
// can connect to, so that twelve connections go to one of eight servers of storage.
type spread struct {
	dial   dialFunc
	lookup func(ctx context.Context, host string) ([]netip.Addr, error) // nil: dial takes names

	mu       sync.Mutex
	choices  int                  // so far
	chosen   map[string]int       // number of the latest choice, by address
	dead     map[string]time.Time // until when an address is tried last
	patience time.Duration        // how long an address may take to connect before the next one is tried
}

func newSpread(c Config) *spread {
	lookup := c.Lookup
	if lookup == nil && c.DialContext == nil {
		lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	return &spread{dial: dialer(c), lookup: lookup, chosen: map[string]int{}, dead: map[string]time.Time{}, patience: mostPatience}
}

// DialContext connects to the address of a name that was chosen longest ago, and to none that the
// context avoids or that has failed before, unless there is no other. What is slow to connect is
// overtaken by the next address.
func (s *spread) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if _, err := netip.ParseAddr(host); err == nil || s.lookup == nil {
		return s.connect(ctx, network, address)
	}
	ips, err := s.lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	left := make([]candidate, len(ips))
	for i, ip := range ips {
		left[i].address = net.JoinHostPort(ip.Unmap().String(), port)
		if ip.Unmap().Is4() != ips[0].Unmap().Is4() {
			left[i].rank++ // the system prefers the other family
		}
		if slices.ContainsFunc(retry.Avoided(ctx), func(a net.Addr) bool { return a.String() == left[i].address }) {
			left[i].rank += 4
		}
	}
	rand.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
	return s.first(ctx, network, left)
}

// candidate is an address of a name. One of a higher rank is tried later.
type candidate struct {
	address string
	rank    int
}

// choose returns the address to try now, how long it may take to connect, and what is left.
func (s *spread) choose(left []candidate) (address string, patience time.Duration, others []candidate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	rank := func(c candidate) int {
		if now.Before(s.dead[c.address]) {
			return c.rank + 2
		}
		return c.rank
	}
	best := slices.MinFunc(left, func(a, b candidate) int {
		return cmp.Or(rank(a)-rank(b), s.chosen[a.address]-s.chosen[b.address])
	})
	s.choices++
	s.chosen[best.address] = s.choices
	return best.address, s.patience, slices.DeleteFunc(left, func(c candidate) bool { return c == best })
}

type dialled struct {
	address string
	conn    net.Conn
	err     error
}

// first connects to the first address that answers, each a little later than the one before it. The
// error is that of the first one that fails.
func (s *spread) first(ctx context.Context, network string, left []candidate) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan dialled, len(left))
	var tried []string
	var failed error
	var later <-chan time.Time
	for pending := 0; len(left) > 0 || pending > 0; {
		if len(left) > 0 {
			address, patience, others := s.choose(left)
			go func() {
				conn, err := s.connect(ctx, network, address)
				results <- dialled{address, conn, err}
			}()
			tried, left = append(tried, address), others
			pending, later = pending+1, time.After(patience)
		}
		select {
		case r := <-results:
			pending--
			if r.err == nil {
				go func() { // close connections that are made after this one
					for range pending {
						if r := <-results; r.err == nil {
							_ = r.conn.Close()
						}
					}
				}()
				for _, overtaken := range tried[:slices.Index(tried, r.address)] {
					s.died(overtaken)
				}
				return r.conn, nil
			}
			if failed == nil {
				failed = r.err
			}
			if ctx.Err() == nil { // else it was not tried to the end
				s.died(r.address)
			}
		case <-later:
		}
	}
	return nil, failed
}

// took notes how long a connection took to make.
func (s *spread) took(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.patience = min(s.patience, max(time.Duration(slowConnect*float64(d)), leastPatience))
}

func (s *spread) died(address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dead[address] = time.Now().Add(deadFor)
}

func (s *spread) connect(ctx context.Context, network, address string) (net.Conn, error) {
	began := time.Now()
	conn, err := s.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	s.took(time.Since(began))
	limitUnsent(conn)
	return conn, nil
}
