package transfer_test

import (
	"context"
	"crypto/md5"
	"errors"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/minio/crc64nvme"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/digest"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// TestSumsOfParts compares the sums of a plan with those of the standard library, for parts that
// fill several batches, and for files around the size of a buffer.
func TestSumsOfParts(t *testing.T) {
	t.Parallel()
	const length = 40*digestPart + 1
	for _, test := range []struct{ length, size int }{
		{1<<20 + 1, 1000},
		{length, digestPart},
		{length, 7*digestPart + 3},
		{length, length},
		{length, 0},
		{1, 0},
		{passBuffer - 1, 0},
		{passBuffer, 0},
	} {
		f, want := newFile(t, test.length)
		d, err := newEngine(&store{}).Hash(t.Context(), f.Path, int64(test.size))
		if err != nil || d.Size != f.Size || d.SHA256 != f.SHA256 || d.Sums.PartSize != int64(test.size) {
			t.Fatalf("parts of %d bytes: %v", test.size, err)
		}
		var sums []transfer.PartSum
		if test.size > 0 {
			for part := range slices.Chunk(want, test.size) {
				sums = append(sums, transfer.PartSum{MD5: md5.Sum(part), CRC: crc64nvme.Update(0, part)})
			}
		}
		if !slices.Equal(d.Sums.Parts, sums) {
			t.Errorf("parts of %d bytes: other sums", test.size)
		}
	}
}

const digestPart = 300 << 10 // large enough for the lanes

// planned has the sums of a file as a plan finds them.
func planned(t *testing.T, f transfer.File, size int64) transfer.File {
	t.Helper()
	d, err := newEngine(&store{}).Hash(t.Context(), f.Path, size)
	must.Succeed(t, err)
	f.Sums = d.Sums
	return f
}

// counting is an engine that counts the bytes that it reads of files.
func counting(s *store) (*transfer.Engine, *atomic.Int64) {
	e, read := newEngine(s), &atomic.Int64{}
	e.OpenWith(func(f *os.File) digest.Handle {
		return &watched{File: f, before: func(p []byte) func() {
			read.Add(int64(len(p)))
			return func() {}
		}}
	}, false)
	return e, read
}

func TestWithSumsOnlyWhatIsSentIsRead(t *testing.T) {
	t.Parallel()
	bubble.Run(t, "parts", func(t *testing.T) {
		f, want := newFile(t, 10*partSize+1)
		s, dst := &store{}, &upload{}
		e, read := counting(s)
		res := uploaded(t, e, s, planned(t, f, partSize), want, nil, dst)
		if read.Load() != f.Size {
			t.Errorf("%d of %d bytes were read", read.Load(), f.Size)
		}
		if known, ok := res.Matches("crc64nvme", checksum("crc64nvme", want)); !known || !ok {
			t.Error("the CRC of the whole is another one")
		}
	})
	bubble.Run(t, "resumed", func(t *testing.T) {
		f, want := newFile(t, 10*partSize+1)
		first, dst := &store{}, &upload{}
		uploaded(t, newEngine(first), first, f, want, nil, dst)
		stored := slices.DeleteFunc(dst.stored, func(p transfer.Part) bool { return p.Number == 3 })
		for i := range stored {
			stored[i].Sent = false
			stored[i].Checksum = "sha256:of storage" // needs a read to be compared
		}
		s := &store{}
		e, read := counting(s)
		res, err := e.UploadParts(t.Context(), planned(t, f, partSize), partSize, stored, &upload{})
		if err != nil || res.Sent != partSize || len(s.seen()) != 1 || read.Load() != partSize {
			t.Errorf("error %v, %d PUTs, %d bytes were read", err, len(s.seen()), read.Load())
		}
		for _, p := range res.Parts {
			if p.Checksum != "" {
				t.Errorf("part %d has a checksum that nobody compared", p.Number)
			}
		}
	})
	bubble.Run(t, "single", func(t *testing.T) {
		f, want := newFile(t, 1<<20)
		s := &store{}
		e, read := counting(s)
		_, err := e.UploadSingle(t.Context(), planned(t, f, f.Size), (&addresses{}).next, "")
		if err != nil || !s.holds(want) || read.Load() != f.Size {
			t.Errorf("error %v, %d bytes were read", err, read.Load())
		}
	})
}

// A file that changed after its plan is found by the CRC, before any object is made of it.
func TestFileThatChangedSinceItsSums(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, _ := newFile(t, 4*partSize)
		for _, size := range []int64{partSize, f.Size} {
			f := planned(t, f, size)
			patch(t, f.Path, 2*partSize+5, []byte("changed"))
			s, dst := &store{}, &upload{}
			_, parts := newEngine(s).UploadParts(t.Context(), f, size, nil, dst)
			_, single := newEngine(s).UploadSingle(t.Context(), f, (&addresses{}).next, "")
			if size != f.Size {
				single = parts // the sums are those of parts, so it is found before
			}
			for _, err := range []error{parts, single} {
				if _, ok := errors.AsType[*transfer.ChangedError](err); !ok {
					t.Errorf("parts of %d bytes: error %v", size, err)
				}
			}
			for _, a := range s.seen() {
				if a.Part == 0 && int64(len(a.Body)) == f.Size || dst.reported()[3] > 0 {
					t.Errorf("parts of %d bytes: changed content was stored", size)
				}
			}
			patch(t, f.Path, 0, content(int(f.Size), uint64(f.Size)))
		}
	})
}

// Sums that are not those of the content are never taken for it: the ETag is another one, and those
// of the parts before are MD5s.
func TestWrongSums(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, _ := newFile(t, 9*partSize)
		f = planned(t, f, partSize)
		f.Sums.Parts[8].MD5[0]++
		_, err := newEngine(&store{}).UploadParts(t.Context(), f, partSize, nil, &upload{})
		if ee, ok := errors.AsType[*transfer.ETagError](err); !ok || ee.Attempts != 4 {
			t.Errorf("error %v", err)
		}
		// Of other parts than those to be sent, they are not used.
		if _, err := newEngine(&store{}).UploadParts(context.WithoutCancel(t.Context()), f, partSize+1, nil, &upload{}); err != nil {
			t.Errorf("error %v", err)
		}
	})
}
