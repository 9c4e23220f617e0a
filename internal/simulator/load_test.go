package simulator_test

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"sync"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// zeros is a body of n zero bytes that costs no memory.
func zeros(n int64) io.ReadCloser { return io.NopCloser(io.LimitReader(zeroReader{}, n)) }

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func (w *world) putZeros(address string, size int64) reply {
	w.t.Helper()
	r := w.request(http.MethodPut, address, zeros(size))
	r.ContentLength = size
	return w.mustDo(r)
}

// Not parallel: it looks at the memory of the whole process.
func TestLargePartsAreNotHeld(t *testing.T) { //nolint:paralleltest // see above
	w := newWorld(t, simulator.Options{})
	m := w.begin("large.mov")
	const parts, size = 4, 64 * mib
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var numbers []int
	for number := 1; number <= parts; number++ {
		got := w.putZeros(m.partURL(number), size)
		wantStatus(t, got, 200, "")
		m.etags[number] = got.header.Get("Etag")
		numbers = append(numbers, number)
	}
	runtime.ReadMemStats(&after)
	// What was allocated in all, given back or not: far less than one part.
	if took := after.TotalAlloc - before.TotalAlloc; took > 8*mib {
		t.Errorf("%d MiB allocated for %d MiB received", took/mib, parts*size/mib)
	}
	wantStatus(t, m.complete(numbers...), 200, "")
	if got := w.Objects()[0]; got.Size != parts*size || got.SHA256 != "a6d72ac7690f53be6ae46ba88506bd97302a093f7108472bd9efc3cefda06484" {
		t.Errorf("%+v", got)
	}
}

func TestParallelUse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Options{})
	w.Fail(simulator.Fault{Call: simulator.CallRegions, After: 10, Times: 5, Status: 500})
	const users = 16
	var group sync.WaitGroup
	for user := range users {
		group.Go(func() {
			content := random(uint64(user), 1000)
			for i := range 5 {
				id := w.create(map[string]any{"name": fmt.Sprint(user, i)})
				w.statusOf(id)
				w.all()
				_ = w.mustDo(w.live(http.MethodGet, regionsPath, nil))
				address, key := w.presign("a.mp4", "video/mp4")
				wantStatus(t, w.mustDo(w.put(address, "video/mp4", content)), 200, "")
				m := w.begin("b.mov")
				m.part(1, content)
				wantStatus(t, m.complete(1), 200, "")
				wantStatus(t, w.mustDo(w.vod("/v1/local/batch", map[string]any{"paths": []string{key, m.key}, "service_modes": []string{"x"}})), 200, "")
				_, _, _, _, _ = w.Journal(), w.Sessions(), w.Objects(), w.Uploads(), w.Report()
			}
		})
	}
	group.Wait()
	if got := len(w.Sessions()); got != users*5 {
		t.Errorf("%d sessions", got)
	}
	if got := len(w.Objects()); got != users*10 {
		t.Errorf("%d objects", got)
	}
	if got := len(w.Batches()); got != users*5 {
		t.Errorf("%d batches", got)
	}
	refused := 0
	for _, r := range w.Journal() {
		if r.Status == 500 {
			refused++
		}
	}
	if refused != 5 || w.Count(simulator.CallRegions) != users*5 {
		t.Errorf("%d of %d calls met the fault", refused, w.Count(simulator.CallRegions))
	}
}

func TestUnknownShapePanics(t *testing.T) {
	t.Parallel()
	for _, o := range []simulator.Options{
		{RegionShape: "x"}, {OutputModeShape: "x"}, {Absent: "x"}, {ListOrder: "x"}, {Encryption: "x"},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v was taken", o)
				}
			}()
			simulator.New(o)
		}()
	}
}
