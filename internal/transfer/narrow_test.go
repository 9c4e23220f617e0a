package transfer_test

import (
	"io"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// connections are those of an http.Transport: the one that was used last is used next. The first one is
// slow.
type connections struct {
	store
	slow, fast float64 // bytes per second

	mu   sync.Mutex
	idle []int
	made int
}

func (c *connections) put(a *attempt, req *http.Request) (*http.Response, error) {
	c.mu.Lock()
	n := c.made
	if k := len(c.idle); k > 0 {
		n, c.idle = c.idle[k-1], c.idle[:k-1]
	} else {
		c.made++
	}
	c.mu.Unlock()
	pace := c.fast * (1 + float64(n)/100) // they end one after the other
	if n == 0 {
		pace = c.slow
	}
	for more := true; more; time.Sleep(50 * time.Millisecond) {
		wanted := int64(pace / 20)
		b, err := io.ReadAll(io.LimitReader(req.Body, wanted))
		if a.Body = append(a.Body, b...); err != nil {
			return nil, err
		}
		more = int64(len(b)) == wanted
	}
	c.mu.Lock()
	c.idle = append(c.idle, n)
	c.mu.Unlock()
	return c.take(a), nil
}

// Of 42 parts in 11 slots, 40 take four rounds of 2 seconds, and one takes the slow connection 7. It is
// free while one part waits, which a fast connection ends by 10 seconds, the slow one by 14.
func TestNoLastPartOnASlowConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &connections{slow: partSize / 7, fast: partSize / 2}
		c.rule = c.put
		f, want := newFile(t, 42*partSize)
		begin := time.Now()
		uploaded(t, newEngine(c, func(c *transfer.Config) { c.Concurrency = 0 }), &c.store, f, want, nil, &upload{})
		if took := time.Since(begin); took > 10500*time.Millisecond {
			t.Errorf("it took %s", took)
		}
	})
}
