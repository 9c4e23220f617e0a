package transfer_test

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/minio/crc64nvme"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/digest"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

var checksums = map[string]func() hash.Hash{
	"crc64nvme": func() hash.Hash { return crc64nvme.New() },
	"crc32c":    func() hash.Hash { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) },
	"crc32":     func() hash.Hash { return crc32.NewIEEE() },
	"sha256":    sha256.New,
}

func checksum(algorithm string, content []byte) string {
	h := checksums[algorithm]()
	h.Write(content)
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
}

// withChecksum is storage that returns its checksum of what arrived, or that of other content.
func withChecksum(algorithm string, right bool) *store {
	s := &store{etag: func(string) string { return `"no-MD5"` }, head: http.Header{"X-Amz-Server-Side-Encryption": {"aws:kms"}}}
	s.rule = func(a *attempt, req *http.Request) (*http.Response, error) {
		if err := s.read(a, req); err != nil {
			return nil, err
		}
		resp := s.take(a)
		content := a.Body
		if !right {
			content = append(bytes.Clone(content), 0)
		}
		resp.Header.Set("X-Amz-Checksum-"+algorithm, checksum(algorithm, content))
		return resp, nil
	}
	return s
}

// TestChecksums: a checksum of storage's that is right proves what is stored, and one that is wrong
// is an error, of parts and of single PUTs alike.
func TestChecksums(t *testing.T) {
	t.Parallel()
	for algorithm := range checksums {
		bubble.Run(t, algorithm, func(t *testing.T) {
			f, want := newFile(t, 2*partSize+1)
			s := withChecksum(algorithm, true)
			for _, p := range uploaded(t, newEngine(s), s, f, want, nil, &upload{}).Parts {
				part := want[(p.Number-1)*partSize : min(p.Number*partSize, len(want))]
				if p.Checksum != algorithm+":"+checksum(algorithm, part) || p.Unproved {
					t.Errorf("part %+v", p)
				}
			}
			dst := &upload{}
			_, parts := newEngine(withChecksum(algorithm, false)).UploadParts(t.Context(), f, partSize, nil, dst)
			_, single := newEngine(withChecksum(algorithm, false)).UploadSingle(t.Context(), f, (&addresses{}).next, "")
			for _, err := range []error{parts, single} {
				if ce, ok := errors.AsType[*transfer.ChecksumError](err); !ok || !strings.Contains(err.Error(), strings.ToUpper(algorithm)) || ce.Attempts != 4 || len(dst.reported()) != 0 {
					t.Errorf("error %v, %d parts reported", err, len(dst.reported()))
				}
			}
		})
	}
}

// TestResultMatches: of the whole, the CRC-64/NVME and the SHA-256 are computed, whether the sums
// of the plan are known or not.
func TestResultMatches(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, want := newFile(t, 3*partSize+17)
		for _, f := range []transfer.File{f, planned(t, f, partSize)} {
			s := &store{}
			res := uploaded(t, newEngine(s), s, f, want, nil, &upload{})
			for algorithm := range checksums {
				isComputed := algorithm == "crc64nvme" || algorithm == "sha256"
				for value, isRight := range map[string]bool{checksum(algorithm, want): true, checksum(algorithm, want[1:]): false} {
					if known, equal := res.Matches(algorithm, value); known != isComputed || equal != (isComputed && isRight) {
						t.Errorf("%s: known %v, equal %v", algorithm, known, equal)
					}
				}
				if known, _ := res.Matches(algorithm, "AAAA-4"); known {
					t.Errorf("a composite %s is known", algorithm)
				}
			}
		}
	})
}

// A record says what it likes of the MD5: the ETag is what complete names, so it decides. Where
// ETags are no MD5s a checksum decides, in a record that nobody else can write.
func TestWhichStoredPartsAreReused(t *testing.T) {
	t.Parallel()
	f, want := newFile(t, partSize)
	sum := md5.Sum(want)
	etag := fmt.Sprintf(`"%x"`, sum)
	for _, c := range []struct {
		name     string
		part     transfer.Part
		reused   bool
		checksum string
	}{
		{name: "the ETag is the MD5", part: transfer.Part{ETag: etag}, reused: true},
		{name: "foreign content under our MD5", part: transfer.Part{ETag: `"00000000000000000000000000000000"`, MD5: sum}},
		{name: "no MD5, no checksum", part: transfer.Part{ETag: `"kms"`, MD5: sum}},
		{name: "checksum of other content", part: transfer.Part{ETag: `"kms"`, MD5: sum, Checksum: "crc32c:" + checksum("crc32c", want[1:])}},
		{name: "unknown algorithm", part: transfer.Part{ETag: `"kms"`, MD5: sum, Checksum: "md2:x"}},
		{name: "no algorithm", part: transfer.Part{ETag: `"kms"`, MD5: sum, Checksum: "x"}},
		{name: "the MD5 beside a wrong checksum", part: transfer.Part{ETag: etag, Checksum: "crc32:" + checksum("crc32", want[1:])}, reused: true},
		{name: "the MD5 beside a wrong checksum without a read", part: transfer.Part{ETag: etag, Checksum: "crc64nvme:" + checksum("crc64nvme", want[1:])}, reused: true},
		{name: "crc64nvme", part: transfer.Part{ETag: `"kms"`, Checksum: "crc64nvme:" + checksum("crc64nvme", want)}, reused: true},
		{name: "crc32c", part: transfer.Part{ETag: `"kms"`, Checksum: "crc32c:" + checksum("crc32c", want)}, reused: true},
		{name: "sha256", part: transfer.Part{ETag: `"kms"`, Checksum: "sha256:" + checksum("sha256", want)}, reused: true},
	} {
		bubble.Run(t, c.name, func(t *testing.T) {
			c.part.Number, c.part.Size = 1, partSize
			s := &store{}
			res, err := newEngine(s).UploadParts(t.Context(), f, partSize, []transfer.Part{c.part}, &upload{})
			must.Succeed(t, err)
			if reused := len(s.seen()) == 0; reused != c.reused {
				t.Errorf("reused: %v", reused)
			}
			p := res.Parts[0]
			if p.MD5 != sum || c.reused && p.ETag != c.part.ETag {
				t.Errorf("part %+v", p)
			}
			if strings.Contains(c.name, "wrong") && p.Checksum != "" {
				t.Errorf("a wrong checksum was kept: %s", p.Checksum)
			}
		})
	}
}

// noMD5s are stores whose ETags are no MD5s, and which return no checksum.
var noMD5s = map[string]struct {
	etag func(sum string) string
	head http.Header
}{
	"KMS":                {func(sum string) string { return `"no-MD5-` + sum[:8] + `"` }, http.Header{"X-Amz-Server-Side-Encryption": {"aws:kms"}}},
	"no KMS":             {func(sum string) string { return `"no-MD5-` + sum[:8] + `"` }, nil},
	"in the form of one": {func(sum string) string { return `"` + sum[16:] + sum[:16] + `"` }, http.Header{"X-Amz-Server-Side-Encryption": {"AES256"}}},
}

// encrypting is one of noMD5s. It flips a bit in what it takes of a
// part if damage says so, and refuses what has another Content-MD5.
func encrypting(kind string, damage func(a *attempt) bool) *store {
	s := &store{etag: noMD5s[kind].etag, head: noMD5s[kind].head}
	s.rule = func(a *attempt, req *http.Request) (*http.Response, error) {
		if err := s.read(a, req); err != nil {
			return nil, err
		}
		if damage != nil && damage(a) {
			a.Body[0] ^= 1
		}
		sum := md5.Sum(a.Body)
		if want := req.Header.Get("Content-Md5"); want != "" && want != base64.StdEncoding.EncodeToString(sum[:]) {
			return refusal(http.StatusBadRequest, "BadDigest"), nil
		}
		return s.take(a), nil
	}
	return s
}

// eachKind is eachWay with each of noMD5s.
func eachKind(t *testing.T, storage func(kind string) *store, test func(t *testing.T, s *store, want []byte, err error)) {
	t.Helper()
	for kind := range noMD5s {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			eachWay(t, func() *store { return storage(kind) }, test)
		})
	}
}

// eachWay uploads a file in parts, and with one PUT.
func eachWay(t *testing.T, storage func() *store, test func(t *testing.T, s *store, want []byte, err error)) {
	t.Helper()
	for _, way := range []string{"parts", "parts with known sums", "single"} {
		bubble.Run(t, way, func(t *testing.T) {
			f, want := newFile(t, 9*partSize+1)
			s := storage()
			if way == "parts with known sums" {
				f = planned(t, f, partSize)
			}
			var err error
			if way == "single" {
				_, err = newEngine(s).UploadSingle(t.Context(), f, (&addresses{}).next, "video/mp4")
			} else {
				_, err = newEngine(s).UploadParts(t.Context(), f, partSize, nil, &upload{})
			}
			test(t, s, want, err)
		})
	}
}

// TestProofWithKMS: what is stored was announced with its MD5, and only the PUTs before storage has
// shown that its ETags are no MD5s are made once more.
func TestProofWithKMS(t *testing.T) {
	t.Parallel()
	eachKind(t, func(kind string) *store {
		s := encrypting(kind, nil)
		accept := s.rule
		s.rule = func(a *attempt, req *http.Request) (*http.Response, error) {
			time.Sleep(time.Second) // in virtual time: before the next PUTs end, the last ones are verified
			return accept(a, req)
		}
		return s
	}, func(t *testing.T, s *store, want []byte, err error) {
		if err != nil || !s.holds(want) {
			t.Fatalf("error %v", err)
		}
		last := map[int]string{}
		for _, a := range s.seen() {
			last[a.Part] = a.Header.Get("Content-Md5")
		}
		for part, sum := range last {
			if sum == "" {
				t.Errorf("nothing proves part %d", part)
			}
		}
		if again := len(s.seen()) - len(last); again < 1 || again > 8 {
			t.Errorf("%d PUTs were made once more; four are in flight, and four more begin while the first are verified", again)
		}
	})
}

// TestDamageWithKMS: storage, or what is before it, damages what it gets the first times, or
// always.
func TestDamageWithKMS(t *testing.T) {
	t.Parallel()
	t.Run("at first", func(t *testing.T) {
		t.Parallel()
		eachKind(t, func(kind string) *store { return encrypting(kind, func(a *attempt) bool { return a.Nth <= 2 }) }, func(t *testing.T, s *store, want []byte, err error) {
			if err != nil || !s.holds(want) {
				t.Errorf("error %v", err)
			}
		})
	})
	t.Run("always", func(t *testing.T) {
		t.Parallel()
		eachKind(t, func(kind string) *store { return encrypting(kind, func(*attempt) bool { return true }) }, func(t *testing.T, _ *store, _ []byte, err error) {
			if se, ok := errors.AsType[*transfer.StatusError](err); !ok || se.Code != "BadDigest" || se.Attempts != 4 {
				t.Errorf("error %v", err)
			}
		})
	})
}

// TestProofThatTheSignatureRefuses: the header is tried once, or as often as parts are in flight.
func TestProofThatTheSignatureRefuses(t *testing.T) {
	t.Parallel()
	eachKind(t, func(kind string) *store {
		s := encrypting(kind, nil)
		accept := s.rule
		s.rule = func(a *attempt, req *http.Request) (*http.Response, error) {
			if req.Header.Get("Content-Md5") != "" {
				return refusal(http.StatusForbidden, "SignatureDoesNotMatch"), nil
			}
			return accept(a, req)
		}
		return s
	}, func(t *testing.T, s *store, want []byte, err error) {
		if err != nil || !s.holds(want) {
			t.Fatalf("error %v", err)
		}
		refused := slices.DeleteFunc(s.seen(), func(a *attempt) bool { return a.Header.Get("Content-Md5") == "" })
		if len(refused) < 1 || len(refused) > 8 {
			t.Errorf("%d PUTs had the header", len(refused))
		}
	})
}

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
	e.OpenWith(func(f *os.File) digest.Handle { return countedHandle{f, read} })
	return e, read
}

type countedHandle struct {
	*os.File
	read *atomic.Int64
}

func (h countedHandle) ReadAt(p []byte, off int64) (int, error) {
	h.read.Add(int64(len(p)))
	return h.File.ReadAt(p, off)
}

func TestWithSumsOnlyWhatIsSentIsRead(t *testing.T) {
	t.Parallel()
	bubble.Run(t, "parts", func(t *testing.T) {
		f, want := newFile(t, 10*partSize+1)
		s, dst := &store{}, &upload{}
		e, read := counting(s)
		uploaded(t, e, s, planned(t, f, partSize), want, nil, dst)
		if read.Load() != f.Size {
			t.Errorf("%d of %d bytes were read", read.Load(), f.Size)
		}
	})
	bubble.Run(t, "resumed", func(t *testing.T) {
		f, want := newFile(t, 10*partSize+1)
		first, dst := &store{}, &upload{}
		uploaded(t, newEngine(first), first, f, want, nil, dst)
		stored := slices.DeleteFunc(dst.stored, func(p transfer.Part) bool { return p.Number == 3 })
		for i := range stored {
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
		if ee, ok := errors.AsType[*transfer.ChecksumError](err); !ok || ee.Attempts != 4 {
			t.Errorf("error %v", err)
		}
		// Of other parts than those to be sent, they are not used.
		if _, err := newEngine(&store{}).UploadParts(context.WithoutCancel(t.Context()), f, partSize+1, nil, &upload{}); err != nil {
			t.Errorf("error %v", err)
		}
	})
}
