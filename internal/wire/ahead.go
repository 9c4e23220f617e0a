package wire

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// keptAhead is how long a connection may wait for its request. Servers close one that carries none.
const keptAhead = 5 * time.Second

// ahead makes connections before they are asked for. Requests that begin together know their
// addresses one after another. So when the first one to a server connects, those of the others are
// begun with it, which saves each of them a round trip.
type ahead struct {
	dial dialFunc

	mu    sync.Mutex
	begun map[string][]chan net.Conn // by address, those not taken; each gets one connection, nil if it failed
}

func newAhead(dial dialFunc) *ahead {
	return &ahead{dial: dial, begun: map[string][]chan net.Conn{}}
}

// DialContext returns a connection that was begun ahead, or else makes one. With the first one to a
// server, it begins as many as the context says will be used beside it.
func (a *ahead) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if begun := a.take(ctx, network, address); begun != nil {
		select {
		case conn := <-begun:
			if conn != nil {
				return conn, nil
			}
		case <-ctx.Done():
			go discard(begun)
			return nil, context.Cause(ctx)
		}
	}
	return a.dial(ctx, network, address)
}

// take returns a connection that was begun, nil if there is none.
func (a *ahead) take(ctx context.Context, network, address string) chan net.Conn {
	a.mu.Lock()
	defer a.mu.Unlock()
	left, known := a.begun[address]
	if len(left) > 0 {
		a.begun[address] = left[1:]
		return left[0]
	}
	if !known {
		a.begun[address] = nil
		for range retry.BesideOf(ctx) {
			a.begun[address] = append(a.begun[address], a.begin(ctx, network, address))
		}
		time.AfterFunc(keptAhead, func() { a.end(address) })
	}
	return nil
}

// begin begins a connection.
func (a *ahead) begin(ctx context.Context, network, address string) chan net.Conn {
	begun := make(chan net.Conn, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dialTimeout)
		defer cancel()
		conn, _ := a.dial(ctx, network, address)
		begun <- conn
	}()
	return begun
}

// end closes connections that nobody has taken.
func (a *ahead) end(address string) {
	a.mu.Lock()
	left := a.begun[address]
	a.begun[address] = nil
	a.mu.Unlock()
	for _, begun := range left {
		discard(begun)
	}
}

func discard(begun chan net.Conn) {
	if conn := <-begun; conn != nil {
		_ = conn.Close()
	}
}
