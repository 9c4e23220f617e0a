package transfer_test

import (
	"context"
	"crypto/md5"
	"encoding/base64"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

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
// The media type is sent nevertheless.
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
		all := s.seen()
		if last := all[len(all)-1]; last.Part == 0 && (last.Header.Get("Content-Type") != "video/mp4" || len(all) > 4) {
			t.Errorf("the last of %d PUTs has the media type %q", len(all), last.Header.Get("Content-Type"))
		}
	})
}

// TestOtherProofs: where ETags are MD5s, or storage returns a checksum, no PUT is made twice, and
// none has Content-MD5.
func TestOtherProofs(t *testing.T) {
	t.Parallel()
	for name, storage := range map[string]func() *store{
		"MD5": func() *store { return &store{} }, "checksum with KMS": func() *store { return withChecksum("crc64nvme", true) },
		"checksum": func() *store {
			s := withChecksum("crc64nvme", true)
			s.head.Del("X-Amz-Server-Side-Encryption")
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachWay(t, storage, func(t *testing.T, s *store, _ []byte, err error) {
				for _, a := range s.seen() {
					if a.Nth > 1 || a.Header.Get("Content-Md5") != "" {
						t.Errorf("part %d, PUT %d, Content-MD5 %q", a.Part, a.Nth, a.Header.Get("Content-Md5"))
					}
				}
				if err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestProofIsRememberedForOtherFiles: of many files, only the first one is sent twice.
func TestProofIsRememberedForOtherFiles(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, _ := newFile(t, 1000)
		s := encrypting("KMS", nil)
		e := newEngine(s)
		for n := range 5 {
			address := func(context.Context) (string, error) { return "https://storage.test/" + strconv.Itoa(n), nil }
			if _, err := e.UploadSingle(t.Context(), f, address, ""); err != nil {
				t.Fatal(err)
			}
		}
		if n := len(s.seen()); n != 6 {
			t.Errorf("%d PUTs for five files", n)
		}
	})
}
