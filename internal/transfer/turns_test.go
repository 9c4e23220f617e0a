package transfer_test

import (
	"errors"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/digest"
)

// Parts that have begun are stored although the service refuses the address of a later one, which
// is not asked for again.
func TestPartsBeforeARefusedAddressAreStored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, _ := newFile(t, 20*partSize)
		broken := errors.New("the service is down")
		var isAskedTwice atomic.Bool
		dst := &upload{onURL: func(number, nth int) error {
			if nth > 1 {
				isAskedTwice.Store(true)
			}
			if number <= 4 {
				return nil
			}
			return broken
		}}
		s := &store{rule: func(*attempt, *http.Request) (*http.Response, error) {
			time.Sleep(30 * time.Second)
			return nil, nil
		}}
		_, err := newEngine(s).UploadParts(t.Context(), f, partSize, nil, dst)
		if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "address for part ") || isAskedTwice.Load() {
			t.Errorf("error %v, asked twice: %v", err, isAskedTwice.Load())
		}
		if len(s.seen()) != 4 || len(dst.reported()) != 4 {
			t.Errorf("%d parts sent, %d stored", len(s.seen()), len(dst.reported()))
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
