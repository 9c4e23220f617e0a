package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/digest"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// ledger hands out addresses and accounts for them. Each takes a second.
type ledger struct {
	mu           sync.Mutex
	fresh        map[string]time.Time // handed out, not used yet
	asking, most int
	handedOut    int
	usedTwice    bool
	refuse       func(n int) error
}

func (l *ledger) address(ctx context.Context, part int) (string, error) {
	l.mu.Lock()
	l.asking++
	l.note()
	l.mu.Unlock()
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asking--
	if l.refuse != nil {
		if err := l.refuse(part); err != nil {
			return "", err
		}
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	l.handedOut++
	url := fmt.Sprintf("https://storage.test/k?partNumber=%d&nth=%d", part, l.handedOut)
	if l.fresh == nil {
		l.fresh = map[string]time.Time{}
	}
	l.fresh[url] = time.Now()
	return url, nil
}

func (l *ledger) note() { l.most = max(l.most, l.asking+len(l.fresh)) }

// use takes an address for a PUT.
func (l *ledger) use(url string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := l.fresh[url]
	l.usedTwice = l.usedTwice || !ok
	delete(l.fresh, url)
}

func (l *ledger) PartURL(ctx context.Context, part int) (string, error) { return l.address(ctx, part) }
func (l *ledger) Stored(transfer.Part)                                  {}

// taking is a store whose every PUT takes some time. It ends the use of its address.
func (l *ledger) taking(d time.Duration) *store {
	return &store{rule: func(_ *attempt, req *http.Request) (*http.Response, error) {
		l.use(req.URL.String())
		select {
		case <-time.After(d):
			return nil, nil
		case <-req.Context().Done():
			return nil, req.Context().Err()
		}
	}}
}

// Each round of PUTs takes a second, and so does each address: only the first round waits for its
// own.
func TestAddressesAreAskedForAhead(t *testing.T) {
	t.Parallel()
	bubble.Run(t, "parts", func(t *testing.T) {
		f, want := newFile(t, 40*partSize)
		var l ledger
		s := l.taking(time.Second)
		start := time.Now()
		res, err := newEngine(s).UploadParts(t.Context(), f, partSize, nil, &l)
		if err != nil || len(res.Parts) != 40 || !s.holds(want) {
			t.Fatalf("error %v", err)
		}
		if d := time.Since(start); d > 12*time.Second {
			t.Errorf("ten rounds took %s", d)
		}
		if l.handedOut != 40 || len(l.fresh) != 0 || l.usedTwice || l.most > 8 {
			t.Errorf("%d addresses were handed out, %d not used, at most %d at once; used twice: %v", l.handedOut, len(l.fresh), l.most, l.usedTwice)
		}
	})
	bubble.Run(t, "single PUTs", func(t *testing.T) {
		f, _ := newFile(t, 1000)
		var l ledger
		e := newEngine(l.taking(time.Second))
		start := time.Now()
		var uploads sync.WaitGroup
		for range 40 {
			uploads.Go(func() {
				address := func(ctx context.Context) (string, error) { return l.address(ctx, 0) }
				if _, err := e.UploadSingle(t.Context(), f, address, ""); err != nil {
					t.Error(err)
				}
			})
		}
		uploads.Wait()
		if d := time.Since(start); d > 12*time.Second {
			t.Errorf("ten rounds took %s", d)
		}
		if l.handedOut != 40 || len(l.fresh) != 0 || l.usedTwice || l.most > 8 {
			t.Errorf("%d addresses were handed out, %d not used, at most %d at once; used twice: %v", l.handedOut, len(l.fresh), l.most, l.usedTwice)
		}
	})
}

// Parts that have begun are stored although the service refuses the address of a later one, which
// is not asked for again.
func TestPartsBeforeARefusedAddressAreStored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, _ := newFile(t, 20*partSize)
		broken, refused, twice := errors.New("the service is down"), map[int]bool{}, false
		l := &ledger{refuse: func(part int) error {
			if part <= 4 {
				return nil
			}
			twice, refused[part] = twice || refused[part], true
			return broken
		}}
		s := l.taking(30 * time.Second)
		_, err := newEngine(s).UploadParts(t.Context(), f, partSize, nil, l)
		var part int
		if _, _ = fmt.Sscanf(fmt.Sprint(err), "address for part %d:", &part); !errors.Is(err, broken) || !refused[part] || twice {
			t.Errorf("error %v, refused %v, twice: %v", err, refused, twice)
		}
		if len(s.seen()) != 4 || len(s.parts) == 0 {
			t.Errorf("%d parts sent, %d stored", len(s.seen()), len(s.parts))
		}
	})
}

// An upload that fails asks for no more addresses, and uses none that it has.
func TestFailedUploadLeavesNoAddressInUse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, _ := newFile(t, 40*partSize)
		var l ledger
		s := l.taking(30 * time.Second)
		take := s.rule
		s.rule = func(a *attempt, req *http.Request) (*http.Response, error) {
			resp, err := take(a, req)
			if a.Part == 6 {
				return refusal(400, "EntityTooLarge"), nil
			}
			return resp, err
		}
		_, err := newEngine(s).UploadParts(t.Context(), f, partSize, nil, &l)
		if err == nil || !strings.Contains(err.Error(), "part 6") {
			t.Fatalf("error %v", err)
		}
		sent, handedOut := len(s.seen()), l.handedOut
		time.Sleep(time.Hour)
		if s.now != 0 || l.asking != 0 || len(s.seen()) != sent || l.handedOut != handedOut || handedOut != sent+len(l.fresh) || len(l.fresh) > 4 {
			t.Errorf("%d addresses were handed out, %d used, %d left; %d PUTs are in flight", l.handedOut, len(s.seen()), len(l.fresh), s.now)
		}
	})
}

// Storage refuses addresses that are older than a second, more of them than a part has retries.
func TestExpiredAddressCostsNoRetry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, want := newFile(t, 12*partSize)
		var l ledger
		s := &store{}
		s.rule = func(a *attempt, req *http.Request) (*http.Response, error) {
			l.mu.Lock()
			age := time.Since(l.fresh[req.URL.String()])
			l.mu.Unlock()
			l.use(req.URL.String())
			if age > time.Second {
				return refusal(403, "AccessDenied"), nil
			}
			_, err := io.CopyN(io.Discard, req.Body, 0)
			time.Sleep(30 * time.Second)
			return nil, err
		}
		e := newEngine(s, func(c *transfer.Config) { c.MaxRetries = 0; c.Concurrency = 2 })
		if _, err := e.UploadParts(t.Context(), f, partSize, nil, &l); err != nil || !s.holds(want) {
			t.Errorf("error %v", err)
		}
		if l.usedTwice || len(l.fresh) != 0 || l.handedOut <= 12 {
			t.Errorf("%d addresses were handed out, %d not used; used twice: %v", l.handedOut, len(l.fresh), l.usedTwice)
		}
	})
}

// Parts are sent in order, however the addresses come in.
func TestPartsAreSentInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, _ := newFile(t, 400*partSize/100)
		s := &store{rule: func(*attempt, *http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			return nil, nil
		}}
		mustSend(t, newEngine(s), f, partSize/100)
		for i, a := range s.seen() {
			if (a.Part-1)/4 != i/4 {
				t.Fatalf("part %d was sent as number %d", a.Part, i+1)
			}
		}
	})
}

// slowHandle is a file of which each read takes a second.
type slowHandle struct{ *os.File }

func (h slowHandle) ReadAt(p []byte, off int64) (int, error) {
	time.Sleep(time.Second)
	return h.File.ReadAt(p, off)
}

// TestAddressesAreAskedForWhileTheFileIsRead: the addresses of all PUTs that have a slot, so that
// they begin together.
func TestAddressesAreAskedForWhileTheFileIsRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, want := newFile(t, 6*partSize)
		begun := time.Now()
		var mu sync.Mutex
		asked := map[int]time.Duration{}
		s := &store{}
		e := newEngine(s)
		e.OpenWith(func(f *os.File) digest.Handle { return slowHandle{f} })
		uploaded(t, e, s, f, want, nil, &upload{onURL: func(number, _ int) error {
			mu.Lock()
			defer mu.Unlock()
			asked[number] = time.Since(begun)
			return nil
		}})
		for number := 1; number <= 4; number++ {
			if asked[number] >= time.Second {
				t.Errorf("the address of part %d was asked for after %s", number, asked[number])
			}
		}
	})
}
