package transfer_test

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// addresses hands out upload addresses and counts them.
type addresses struct{ n int }

func (a *addresses) next(context.Context) (string, error) {
	a.n++
	return fmt.Sprintf("https://storage.test/bucket/key-%d?X-Amz-Signature=%s", a.n, secret), nil
}

func TestUploadSingle(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 1000, 3<<20 + 1} {
		bubble.Run(t, fmt.Sprint(size), func(t *testing.T) {
			f, want := newFile(t, size)
			s, urls := &store{etag: func(sum string) string { return sum }}, &addresses{}
			var last transfer.Progress
			f.Progress = func(p transfer.Progress) { last = p }
			part, err := newEngine(s).UploadSingle(t.Context(), f, urls.next, "video/mp4")
			must.Succeed(t, err)
			seen := s.seen()
			if len(seen) != 1 || urls.n != 1 || !bytes.Equal(seen[0].Body, want) {
				t.Fatalf("%d requests, %d addresses", len(seen), urls.n)
			}
			if len(part.ETag) != 32 || seen[0].Length != f.Size {
				t.Errorf("ETag %s, Content-Length %d", part.ETag, seen[0].Length)
			}
			if h := seen[0].Header; h.Get("Content-Type") != "video/mp4" || h.Get("Authorization") != "" || h.Get("Expect") != "" {
				t.Errorf("header %v", h)
			}
			if last.Sent != f.Size || last.Total != f.Size {
				t.Errorf("last progress %+v", last)
			}
		})
	}
}

// Above 64 MiB the MD5 is computed another way. An ETag that is no MD5 is taken with the proof of
// Content-MD5.
func TestUploadSingleOfALargeFile(t *testing.T) {
	t.Parallel()
	const size = 64<<20 + 1
	zeros := make([]byte, size)
	f := transfer.File{Path: sparse(t, size), Name: "sparse", Size: size, SHA256: sha256.Sum256(zeros)}
	for _, c := range []struct {
		etag string
		puts int
	}{{fmt.Sprintf("%x", md5.Sum(zeros)), 1}, {"00000000000000000000000000000000", 2}} {
		rt := &discarding{etag: func(*http.Request) string { return c.etag }}
		e := newEngine(rt, func(c *transfer.Config) { c.MaxRetries = 0 })
		part, err := e.UploadSingle(t.Context(), f, (&addresses{}).next, "")
		if err != nil || part.ETag != c.etag || rt.puts != c.puts || (rt.header.Get("Content-Md5") != "") != (c.puts > 1) {
			t.Errorf("ETag %s, error %v, %d PUTs, header %v", part.ETag, err, rt.puts, rt.header)
		}
		if _, ok := rt.header["Content-Type"]; ok {
			t.Error("a Content-Type was sent")
		}
	}
}

func TestSingleETag(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, etag string
		head       http.Header
		ok         bool
	}{
		{"KMS", `"x"`, http.Header{"X-Amz-Server-Side-Encryption": {"aws:kms"}}, true},
		{"KMS, long", strings.Repeat("x", 1<<20), http.Header{"X-Amz-Server-Side-Encryption": {"aws:kms"}}, false},
		{"KMS, escape sequence", "\x1b[2J", http.Header{"X-Amz-Server-Side-Encryption": {"aws:kms"}}, false},
		{"none", "", nil, true}, // the status alone decides (SERVICE.md, call 2)
		{"no MD5", `"0123-4"`, nil, true},
		{"no MD5, in its form", `"00000000000000000000000000000000"`, nil, true},
	} {
		bubble.Run(t, c.name, func(t *testing.T) {
			f, _ := newFile(t, 1000)
			s, urls := &store{etag: func(string) string { return c.etag }, head: c.head}, &addresses{}
			part, err := newEngine(s).UploadSingle(t.Context(), f, urls.next, "")
			var ee *transfer.ETagError
			if c.ok && (err != nil || part.ETag != c.etag) || !c.ok && (!errors.As(err, &ee) || ee.ETag != c.etag || ee.Attempts != 4) {
				t.Errorf("ETag %s, error %v", part.ETag, err)
			}
		})
	}
}

// The last bytes of content that is not the planned one never leave.
func TestNoObjectFromOtherContent(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 1000, 3 << 20} {
		for _, kind := range []string{"planned otherwise", "rewritten while sent", "shorter while sent"} {
			bubble.Run(t, fmt.Sprint(size, " ", kind), func(t *testing.T) {
				f, _ := newFile(t, size)
				s, urls := &store{}, &addresses{}
				if kind == "planned otherwise" {
					f.SHA256[0]++
				}
				address := func(ctx context.Context) (string, error) {
					time.Sleep(time.Second) // the pass is through
					switch kind {
					case "rewritten while sent":
						patch(t, f.Path, 0, []byte{0xff})
						patch(t, f.Path, int64(size/2), []byte{0xff, 0xfe, 0xfd}[:min(size, 3)])
					case "shorter while sent":
						overwrite(t, f.Path, nil)
					}
					return urls.next(ctx)
				}
				_, err := newEngine(s).UploadSingle(t.Context(), f, address, "")
				if _, ok := errors.AsType[*transfer.ChangedError](err); !ok {
					t.Errorf("error %v", err)
				}
				for _, a := range s.seen() {
					if int64(len(a.Body)) >= a.Length {
						t.Errorf("all of %d bytes were sent", a.Length)
					}
				}
			})
		}
	}
}

func TestContentTypeThatWasNotSigned(t *testing.T) {
	t.Parallel()
	const mismatch, expired = "SignatureDoesNotMatch", "AccessDenied"
	for _, c := range []struct {
		name      string
		refuses   func(a *attempt, typed bool) string // the code of a 403; "": the PUT is accepted
		addresses int
		want      string // the Content-Types sent
	}{
		{"not signed", func(_ *attempt, typed bool) string {
			if typed {
				return mismatch
			}
			return ""
		}, 1, "a/b,"},
		{"not signed, then expired", func(a *attempt, typed bool) string {
			switch {
			case typed:
				return mismatch
			case strings.Contains(a.URL, "key-1"):
				return expired
			}
			return ""
		}, 2, "a/b,,"},
		{"other credentials", func(a *attempt, _ bool) string {
			if strings.Contains(a.URL, "key-1") {
				return mismatch
			}
			return ""
		}, 2, "a/b,,a/b"},
		{"never", func(*attempt, bool) string { return mismatch }, 3, "a/b,,a/b,a/b"},
	} {
		bubble.Run(t, c.name, func(t *testing.T) {
			f, want := newFile(t, 5000)
			s, urls := &store{}, &addresses{}
			s.rule = func(a *attempt, _ *http.Request) (*http.Response, error) {
				if code := c.refuses(a, a.Header.Get("Content-Type") != ""); code != "" {
					return refusal(403, code), nil
				}
				return nil, nil
			}
			start := time.Now()
			_, err := newEngine(s).UploadSingle(t.Context(), f, urls.next, "a/b")
			var types []string
			for _, a := range s.seen() {
				types = append(types, a.Header.Get("Content-Type"))
			}
			if got := strings.Join(types, ","); got != c.want || urls.n != c.addresses {
				t.Errorf("Content-Types %s, %d addresses", got, urls.n)
			}
			if d := time.Since(start); d > 100*time.Millisecond {
				t.Errorf("waited %s", d)
			}
			if c.name != "never" && (err != nil || !s.holds(want)) {
				t.Errorf("error %v", err)
			}
			var se *transfer.StatusError
			if c.name == "never" && (!errors.As(err, &se) || se.Code != mismatch || se.Attempts != len(types)) {
				t.Errorf("error %v", err)
			}
		})
	}
}
