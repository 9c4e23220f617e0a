package transfer_test

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/minio/crc64nvme"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

var checksums = map[string]func() hash.Hash{
	"crc64nvme": func() hash.Hash { return crc64nvme.New() },
	"crc32c":    func() hash.Hash { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) },
	"crc32":     func() hash.Hash { return crc32.NewIEEE() },
	"sha1":      sha1.New,
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

func eachChecksum(t *testing.T, test func(t *testing.T, algorithm string, right bool)) {
	t.Helper()
	for algorithm := range checksums {
		for _, right := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/right=%v", algorithm, right), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { test(t, algorithm, right) })
			})
		}
	}
}

func TestPartChecksum(t *testing.T) {
	t.Parallel()
	eachChecksum(t, func(t *testing.T, algorithm string, right bool) {
		f, want := newFile(t, 2*partSize+1)
		s, dst := withChecksum(algorithm, right), &upload{}
		if right {
			uploaded(t, newEngine(s), s, f, want, nil, dst)
			for _, p := range dst.stored {
				part := want[(p.Number-1)*partSize : min(p.Number*partSize, len(want))]
				if p.Checksum != algorithm+":"+checksum(algorithm, part) {
					t.Errorf("part %d has the checksum %q", p.Number, p.Checksum)
				}
			}
			return
		}
		_, err := newEngine(s).UploadParts(t.Context(), f, partSize, nil, dst)
		var ce *transfer.ChecksumError
		if !errors.As(err, &ce) || ce.Algorithm != algorithm || ce.Attempts != 4 || len(dst.reported()) != 0 {
			t.Errorf("error %v, %d parts reported", err, len(dst.reported()))
		}
	})
}

func TestSingleChecksum(t *testing.T) {
	t.Parallel()
	eachChecksum(t, func(t *testing.T, algorithm string, right bool) {
		f, _ := newFile(t, 1000)
		_, err := newEngine(withChecksum(algorithm, right)).UploadSingle(t.Context(), f, (&addresses{}).next, "")
		var ce *transfer.ChecksumError
		if right && err != nil || !right && (!errors.As(err, &ce) || ce.Attempts != 4) {
			t.Errorf("error %v", err)
		}
	})
}

func TestResultMatches(t *testing.T) {
	t.Parallel()
	for algorithm := range checksums {
		bubble.Run(t, algorithm, func(t *testing.T) {
			f, want := newFile(t, 3*partSize+17)
			s := withChecksum(algorithm, true)
			res := uploaded(t, newEngine(s), s, f, want, nil, &upload{})
			composite := checksums[algorithm]()
			for part := range slices.Chunk(want, partSize) {
				raw, _ := base64.StdEncoding.DecodeString(checksum(algorithm, part))
				composite.Write(raw)
			}
			ofParts := base64.StdEncoding.EncodeToString(composite.Sum(nil))
			whole := algorithm == "sha256" || strings.HasPrefix(algorithm, "crc") // others are not computed, and cannot be made of those of the parts
			for _, c := range []struct {
				value     string
				known, ok bool
			}{
				{checksum(algorithm, want), whole, whole},
				{checksum(algorithm, want[1:]), whole, false},
				{"nonsense", whole, false},
				{ofParts + "-4", true, true},
				{ofParts + "-5", true, false},
				{checksum(algorithm, want) + "-4", true, false},
			} {
				if known, ok := res.Matches(algorithm, c.value); known != c.known || ok != c.ok {
					t.Errorf("%s: known %v, ok %v", c.value, known, ok)
				}
			}
			if known, _ := res.Matches("md5", "x"); known {
				t.Error("an unknown algorithm was compared")
			}
		})
	}
}

// Without checksums of the parts only the two that the first read computes are known.
func TestResultMatchesWithoutChecksumsOfParts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, want := newFile(t, 3*partSize)
		s := &store{}
		res := uploaded(t, newEngine(s), s, f, want, nil, &upload{})
		for algorithm := range checksums {
			first := algorithm == "crc64nvme" || algorithm == "sha256"
			if known, ok := res.Matches(algorithm, checksum(algorithm, want)); known != first || ok != first {
				t.Errorf("%s: known %v, ok %v", algorithm, known, ok)
			}
			if known, _ := res.Matches(algorithm, "AAAA-3"); known {
				t.Errorf("a composite %s is known", algorithm)
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
		{name: "foreign content under our MD5", part: transfer.Part{ETag: `"00000000000000000000000000000000"`, MD5: sum, Trusted: true}},
		{name: "no MD5, no checksum", part: transfer.Part{ETag: `"kms"`, MD5: sum, Trusted: true}},
		{name: "checksum of anybody", part: transfer.Part{ETag: `"kms"`, MD5: sum, Checksum: "crc64nvme:" + checksum("crc64nvme", want)}},
		{name: "trusted checksum of other content", part: transfer.Part{ETag: `"kms"`, MD5: sum, Trusted: true, Checksum: "crc32c:" + checksum("crc32c", want[1:])}},
		{name: "unknown algorithm", part: transfer.Part{ETag: `"kms"`, MD5: sum, Trusted: true, Checksum: "md2:x"}},
		{name: "no algorithm", part: transfer.Part{ETag: `"kms"`, MD5: sum, Trusted: true, Checksum: "x"}},
		{name: "the MD5 beside a wrong checksum", part: transfer.Part{ETag: etag, Checksum: "crc32:" + checksum("crc32", want[1:])}, reused: true},
		{name: "crc64nvme", part: transfer.Part{ETag: `"kms"`, Trusted: true, Checksum: "crc64nvme:" + checksum("crc64nvme", want)}, reused: true},
		{name: "crc32c", part: transfer.Part{ETag: `"kms"`, Trusted: true, Checksum: "crc32c:" + checksum("crc32c", want)}, reused: true},
		{name: "sha256", part: transfer.Part{ETag: `"kms"`, Trusted: true, Checksum: "sha256:" + checksum("sha256", want)}, reused: true},
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

// The MD5 of a part is computed later than the part is read for sending. Where the ETag does not
// show it, the MD5 of bytes that were written in between must not become the part's.
func TestMD5IsThatOfTheBytesSent(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"parts", "single"} {
		bubble.Run(t, kind, func(t *testing.T) {
			f, _ := newFile(t, partSize)
			rewritten := make(chan struct{})
			s := &store{}
			s.rule = func(a *attempt, req *http.Request) (*http.Response, error) {
				if err := s.read(a, req); err != nil {
					return nil, err
				}
				patch(t, f.Path, 0, []byte("other"))
				close(rewritten)
				resp := s.take(a)
				if kind == "parts" {
					resp.Header.Set("X-Amz-Server-Side-Encryption", "aws:kms")
				}
				return resp, nil
			}
			e := newEngine(s)
			e.OpenWith(watchMD5(func() { <-rewritten }), false)
			dst := &upload{}
			var err error
			if kind == "parts" {
				_, err = e.UploadParts(t.Context(), f, partSize, nil, dst)
			} else {
				_, err = e.UploadSingle(t.Context(), f, (&addresses{}).next, "")
			}
			var ce *transfer.ChangedError
			if !errors.As(err, &ce) || len(dst.reported()) != 0 {
				t.Errorf("error %v, reported %v", err, dst.reported())
			}
		})
	}
}

// A checksum that needs another read is that of the bytes sent, too.
func TestChecksumIsThatOfTheBytesSent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, want := newFile(t, partSize)
		changed := append([]byte("other"), want[5:]...)
		s := &store{}
		s.rule = func(a *attempt, req *http.Request) (*http.Response, error) {
			_, _ = io.Copy(io.Discard, req.Body)
			patch(t, f.Path, 0, changed[:5])
			// The ETag is no MD5, so only the checksum can show the change.
			return answer(200, "", "ETag", `"x"`, "X-Amz-Server-Side-Encryption", "aws:kms", "X-Amz-Checksum-Crc32c", checksum("crc32c", changed)), nil
		}
		_, err := newEngine(s).UploadSingle(t.Context(), f, func(context.Context) (string, error) { return "https://storage.test/k", nil }, "")
		if _, ok := errors.AsType[*transfer.ChangedError](err); !ok {
			t.Errorf("error %v", err)
		}
	})
}
