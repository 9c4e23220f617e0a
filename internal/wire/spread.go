package wire

import (
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

	mu      sync.Mutex
	open    map[string]int       // connections by address
	dead    map[string]time.Time // until when an address is tried last
	fastest time.Duration        // that a connection took; 0: there was none
}

func newSpread(c Config) *spread {
	lookup := c.Lookup
	if lookup == nil && c.DialContext == nil {
		lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	return &spread{dial: dialer(c), lookup: lookup, open: map[string]int{}, dead: map[string]time.Time{}}
}

// DialContext connects to the address of a name that has the fewest connections, and to none that
// the context avoids or that has failed before, unless there is no other. What is slow to connect
// is overtaken by the next address.
func (s *spread) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if _, err := netip.ParseAddr(host); err == nil || s.lookup == nil {
		s.count(address, 1)
		return s.connect(ctx, network, address)
	}
	ips, err := s.lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	return s.first(ctx, network, s.order(ips, port, retry.Avoided(ctx)))
}

// order sorts the addresses of a name, and counts a connection to the first one.
func (s *spread) order(ips []netip.Addr, port string, avoid []net.Addr) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	type candidate struct {
		address string
		rank    int
	}
	candidates := make([]candidate, 0, len(ips))
	for _, ip := range ips {
		c := candidate{address: net.JoinHostPort(ip.Unmap().String(), port)}
		c.rank = s.open[c.address]
		if ip.Unmap().Is4() != ips[0].Unmap().Is4() {
			c.rank += 1 << 10 // the system prefers the other family
		}
		if now.Before(s.dead[c.address]) {
			c.rank += 1 << 20
		}
		if slices.ContainsFunc(avoid, func(a net.Addr) bool { return a.String() == c.address }) {
			c.rank += 1 << 21
		}
		candidates = append(candidates, c)
	}
	rand.Shuffle(len(candidates), func(i, j int) { candidates[i], candidates[j] = candidates[j], candidates[i] })
	slices.SortStableFunc(candidates, func(a, b candidate) int { return a.rank - b.rank })
	ordered := make([]string, len(candidates))
	for i, c := range candidates {
		ordered[i] = c.address
	}
	if len(ordered) > 0 {
		s.open[ordered[0]]++
	}
	return ordered
}

type dialled struct {
	address string
	conn    net.Conn
	err     error
}

// first connects to the first address that answers, each a little later than the one before it. The
// error is that of the first one that fails.
func (s *spread) first(ctx context.Context, network string, addresses []string) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan dialled, len(addresses))
	var failed error
	later := time.NewTimer(s.patience())
	defer later.Stop()
	for pending, next := 0, 0; next < len(addresses) || pending > 0; {
		if next < len(addresses) {
			address := addresses[next]
			if next > 0 {
				s.count(address, 1)
			}
			go func() {
				conn, err := s.connect(ctx, network, address)
				results <- dialled{address, conn, err}
			}()
			next, pending = next+1, pending+1
			later.Reset(s.patience())
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
				for _, overtaken := range addresses[:slices.Index(addresses, r.address)] {
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
		case <-later.C:
		}
	}
	return nil, failed
}

// took notes how long a connection took to make.
func (s *spread) took(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fastest == 0 || d < s.fastest {
		s.fastest = d
	}
}

// patience is how long an address may take to connect.
func (s *spread) patience() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fastest == 0 {
		return mostPatience
	}
	return min(max(time.Duration(slowConnect*float64(s.fastest)), leastPatience), mostPatience)
}

func (s *spread) died(address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dead[address] = time.Now().Add(deadFor)
}

// connect makes a connection that is counted already, until it is closed.
func (s *spread) connect(ctx context.Context, network, address string) (net.Conn, error) {
	began := time.Now()
	conn, err := s.dial(ctx, network, address)
	if err != nil {
		s.count(address, -1)
		return nil, err
	}
	s.took(time.Since(began))
	limitUnsent(conn)
	return &counted{Conn: conn, closed: sync.OnceFunc(func() { s.count(address, -1) })}, nil
}

func (s *spread) count(address string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[address] += n; s.open[address] == 0 {
		delete(s.open, address)
	}
}

// counted is a connection that spread counts.
type counted struct {
	net.Conn
	closed func()
}

func (c *counted) Close() error {
	c.closed()
	return c.Conn.Close()
}
