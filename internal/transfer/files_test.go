package transfer_test

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/digest"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// Who reads a file is told by the size of its buffer.
const (
	passBuffer = 256 << 10
	md5Buffer  = 64 << 10
)

// watched is a file whose reads are shown to a function first.
type watched struct {
	*os.File
	before func(p []byte) (after func())
	closed func()
}

func (w *watched) ReadAt(p []byte, off int64) (int, error) {
	defer w.before(p)()
	return w.File.ReadAt(p, off)
}

func (w *watched) Close() error {
	if w.closed != nil {
		w.closed()
	}
	return w.File.Close()
}

// watchMD5 calls a function before each read for an MD5.
func watchMD5(before func()) func(*os.File) digest.Handle {
	return func(f *os.File) digest.Handle {
		return &watched{File: f, before: func(p []byte) func() {
			if cap(p) == md5Buffer {
				before()
			}
			return func() {}
		}}
	}
}

// A part that storage holds is verified and reported after a cancellation, but not for longer than
// four seconds: parts may have 5 GiB.
func TestCancelDoesNotWaitForLargeSums(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		read     time.Duration // of each of 50 reads for the MD5
		reported int
	}{{20 * time.Millisecond, 1}, {time.Second, 0}} {
		bubble.Run(t, c.read.String(), func(t *testing.T) {
			const size = 50 * md5Buffer
			f, _ := newFile(t, size)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var cancelled time.Time
			s, dst := &store{}, &upload{}
			s.rule = func(a *attempt, req *http.Request) (*http.Response, error) {
				if err := s.read(a, req); err != nil {
					return nil, err
				}
				cancelled = time.Now()
				cancel()
				return s.take(a), nil
			}
			e := newEngine(s)
			e.OpenWith(watchMD5(func() { time.Sleep(c.read) }), false)
			_, err := e.UploadParts(ctx, f, size, nil, dst)
			if waited := time.Since(cancelled); waited > 5*time.Second {
				t.Errorf("it ended %s after the cancellation", waited)
			}
			if !errors.Is(err, context.Canceled) || dst.reported()[1] != c.reported {
				t.Errorf("error %v, reported %v", err, dst.reported())
			}
		})
	}
}

// Two stored parts cannot be verified in time after a third one has failed with 500, and then with
// 400. The error stays the third one's, with its number of attempts.
func TestPartsAreNotVerifiedInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, _ := newFile(t, 3*partSize)
		s := &store{}
		s.rule = func(a *attempt, req *http.Request) (*http.Response, error) {
			if err := s.read(a, req); err != nil || a.Part < 3 {
				return s.take(a), err
			}
			return refusal(500-100*(a.Nth-1), "InternalError"), nil
		}
		e := newEngine(s, func(c *transfer.Config) { c.Concurrency = 3 })
		e.OpenWith(watchMD5(func() { time.Sleep(time.Minute) }), false)
		dst := &upload{}
		_, err := e.UploadParts(t.Context(), f, partSize, nil, dst)
		if se, ok := errors.AsType[*transfer.StatusError](err); !ok || se.Part != 3 || se.Attempts != 2 || len(dst.reported()) != 0 {
			t.Errorf("error %v, reported %v", err, dst.reported())
		}
	})
}

// holding is storage that takes no byte before it is let go.
type holding struct {
	open chan struct{}
	etag string // of all content
}

func (h holding) RoundTrip(req *http.Request) (*http.Response, error) {
	<-h.open
	defer req.Body.Close()
	if _, err := io.Copy(io.Discard, req.Body); err != nil {
		return nil, err
	}
	return answer(http.StatusOK, "", "ETag", h.etag), nil
}

// Ten uploads that wait for storage have read no more of their files together than the parts and
// the files in flight, as many that wait for their slots, and one file that passes those.
func TestReadAheadIsBoundedOverAllUploads(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("reads 650 MiB twice")
	}
	const (
		// Too large for one batch of MD5s, the parts too small: md5-simd shares channels between
		// bubbles.
		uploads, size, part = 10, 65 << 20, 128 << 10
		slots               = 4
	)
	zeros := make([]byte, size)
	whole, partMD5 := sha256.Sum256(zeros), fmt.Sprintf("%x", md5.Sum(zeros[:part]))
	path := sparse(t, size)
	small := transfer.File{Path: sparse(t, part), Name: "small", Size: part, SHA256: sha256.Sum256(zeros[:part])}
	synctest.Test(t, func(t *testing.T) {
		storage := holding{make(chan struct{}), partMD5}
		e := newEngine(storage)
		var ahead [uploads]atomic.Int64
		var opened atomic.Int64
		e.OpenWith(func(f *os.File) digest.Handle {
			mine := &ahead[opened.Add(1)-1]
			return &watched{File: f, before: func(p []byte) func() {
				if cap(p) == passBuffer {
					mine.Add(int64(len(p)))
				}
				return func() {}
			}}
		}, false)
		f := transfer.File{Path: path, Name: "sparse", Size: size, SHA256: whole}
		var group sync.WaitGroup
		for i := range uploads {
			group.Go(func() {
				var err error
				if i%2 == 0 {
					_, err = e.UploadParts(t.Context(), f, part, nil, &upload{})
				} else {
					_, err = e.UploadSingle(t.Context(), small, (&addresses{}).next, "")
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		var sum int64
		for i := range ahead {
			sum += ahead[i].Load()
		}
		if sum > (2*slots+1)*part {
			t.Errorf("%d KiB were read ahead", sum>>10)
		}
		close(storage.open)
		group.Wait()
	})
}

// On Windows, reads through one handle wait for each other.
func TestEachReaderHasAHandle(t *testing.T) {
	t.Parallel()
	f, want := newFile(t, 40*partSize)
	s, dst := &store{}, &upload{}
	e := newEngine(s)
	var opened, open, shared atomic.Int64
	e.OpenWith(func(f *os.File) digest.Handle {
		opened.Add(1)
		open.Add(1)
		var readers atomic.Int64
		return &watched{File: f, closed: func() { open.Add(-1) }, before: func([]byte) func() {
			if readers.Add(1) > 1 {
				shared.Add(1)
			}
			return func() { readers.Add(-1) }
		}}
	}, true)
	uploaded(t, e, s, f, want, nil, dst)
	mustSend(t, e, f, 0)
	// One for each first read, one for each part sent, one for each MD5.
	if opened.Load() != 1+40+40+1+1+1 || open.Load() != 0 || shared.Load() != 0 {
		t.Errorf("%d handles, %d left open, %d reads at once through one", opened.Load(), open.Load(), shared.Load())
	}
}

// A handle opened later must be the same file's.
func TestFileThatAnotherOneReplaces(t *testing.T) {
	t.Parallel()
	f, want := newFile(t, 3*partSize)
	s, dst := &store{}, &upload{}
	dst.onURL = func(number, nth int) error {
		if number == 2 && nth == 1 {
			overwrite(t, f.Path+".new", want)
			return os.Rename(f.Path+".new", f.Path)
		}
		return nil
	}
	e := newEngine(s)
	e.OpenWith(func(f *os.File) digest.Handle { return f }, true)
	_, err := e.UploadParts(t.Context(), f, partSize, nil, dst)
	if _, ok := errors.AsType[*transfer.ChangedError](err); !ok {
		t.Errorf("error %v", err)
	}
}
