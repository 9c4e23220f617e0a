package transfer_test

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

const partSize = 50_000

// uploaded runs an upload that must succeed, and checks everything about it.
func uploaded(t *testing.T, e *transfer.Engine, s *store, f transfer.File, want []byte, stored []transfer.Part, dst *upload) transfer.Result {
	t.Helper()
	res, err := e.UploadParts(t.Context(), f, partSize, stored, dst)
	if err != nil {
		t.Fatalf("UploadParts: %v", err)
	}
	if len(stored) == 0 && !s.holds(want) {
		t.Errorf("storage holds other content")
	}
	if res.SHA256 != sha256.Sum256(want) || res.Sent+res.Reused != int64(len(want)) {
		t.Errorf("result: %x, %d sent, %d reused", res.SHA256, res.Sent, res.Reused)
	}
	for i, p := range res.Parts {
		lo := min(i*partSize, len(want))
		part := want[lo:min(lo+partSize, len(want))]
		if p.Number != i+1 || p.Size != int64(len(part)) || p.MD5 != md5.Sum(part) {
			t.Errorf("part %d: %+v", i+1, p)
		}
	}
	if n := transfer.PartCount(f.Size, partSize); len(res.Parts) != n {
		t.Errorf("%d parts, %d expected", len(res.Parts), n)
	}
	for n, times := range dst.reported() {
		if times != 1 {
			t.Errorf("part %d was reported %d times", n, times)
		}
	}
	return res
}

func TestUploadParts(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, partSize - 1, partSize, partSize + 1, 40*partSize + 7} {
		bubble.Run(t, fmt.Sprint(size), func(t *testing.T) {
			f, want := newFile(t, size)
			s, dst := &store{}, &upload{}
			res := uploaded(t, newEngine(s), s, f, want, nil, dst)
			if res.Reused != 0 || len(dst.reported()) != len(res.Parts) {
				t.Errorf("%d bytes reused, %d parts reported", res.Reused, len(dst.reported()))
			}
			for _, a := range s.seen() {
				if a.Nth != 1 {
					t.Errorf("part %d was sent more than once", a.Part)
				}
				if a.Length != int64(len(a.Body)) {
					t.Errorf("part %d: Content-Length %d for %d bytes", a.Part, a.Length, len(a.Body))
				}
				for _, h := range []string{"Authorization", "Content-Type", "Cookie", "Expect"} {
					if v := a.Header.Get(h); v != "" {
						t.Errorf("%s: %s", h, v)
					}
				}
			}
		})
	}
}

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

func TestPartETag(t *testing.T) {
	t.Parallel()
	kms := func(v string) http.Header { return http.Header{"X-Amz-Server-Side-Encryption": {v}} }
	for _, c := range []struct {
		name string
		etag func(string) string
		head http.Header
		ok   bool
	}{
		{"quoted", func(s string) string { return `"` + s + `"` }, nil, true},
		{"bare", func(s string) string { return s }, nil, true},
		{"weak", func(s string) string { return `W/"` + s + `"` }, nil, true},
		{"upper case", func(s string) string { return `"` + strings.ToUpper(s) + `"` }, nil, true},
		{"KMS", func(string) string { return `"0123"` }, kms("aws:kms"), true},
		{"customer's key", func(string) string { return `"0123"` }, http.Header{"X-Amz-Server-Side-Encryption-Customer-Algorithm": {"AES256"}}, true},
		{"no MD5s", func(string) string { return `"0123-4"` }, nil, true},
		{"no MD5s with own key", func(string) string { return `"00000000000000000000000000000000"` }, kms("AES256"), true},
		{"none", func(string) string { return "" }, nil, false},
		{"longer with KMS", func(string) string { return strings.Repeat("x", 1<<10+1) }, kms("aws:kms"), false},
		{"escape sequence with KMS", func(string) string { return "\"\x1b[2J\"" }, kms("aws:kms"), false},
	} {
		bubble.Run(t, c.name, func(t *testing.T) {
			f, want := newFile(t, 3*partSize)
			s, dst := &store{etag: c.etag, head: c.head}, &upload{}
			e := newEngine(s)
			if c.ok {
				for _, p := range uploaded(t, e, s, f, want, nil, dst).Parts {
					if sum := fmt.Sprintf("%x", p.MD5); p.ETag != c.etag(sum) {
						t.Errorf("ETag %s became %s", c.etag(sum), p.ETag)
					}
				}
				return
			}
			_, err := e.UploadParts(t.Context(), f, partSize, nil, dst)
			ee, ok := errors.AsType[*transfer.ChecksumError](err)
			if !ok || ee.Attempts != 4 || len(err.Error()) > 300 || !parse.Safe(err.Error()) {
				t.Errorf("error %v", err)
			}
			if len(dst.reported()) != 0 {
				t.Errorf("parts were reported: %v", dst.reported())
			}
		})
	}
}

// failure is what becomes of the first attempts at part 2.
type failure struct {
	name   string
	read   int64                 // bytes of the content before
	answer func() *http.Response // nil: none
	err    error                 // of the connection; nil without an answer: it stalls
}

func (c failure) do(req *http.Request) (*http.Response, error) {
	_, _ = io.CopyN(io.Discard, req.Body, c.read)
	switch {
	case c.answer != nil:
		return c.answer(), nil
	case c.err != nil:
		return nil, c.err
	}
	<-req.Context().Done()
	return nil, req.Context().Err()
}

const whole = math.MaxInt64

func status(code int, s3 string) failure {
	return failure{fmt.Sprintf("%d %s", code, s3), whole, func() *http.Response { return refusal(code, s3) }, nil}
}

func with(code int, body string, headers ...string) func() *http.Response {
	return func() *http.Response { return answer(code, body, headers...) }
}

var passing = []failure{
	status(500, "InternalError"), status(502, ""), status(503, "SlowDown"), status(504, ""),
	status(408, ""), status(429, ""), status(400, "RequestTimeout"), status(400, "IncompleteBody"), status(204, ""), status(409, "OperationAborted"),
	{"200 with an error document", whole, with(200, "\n<?xml version=\"1.0\"?><Error><Code>InternalError</Code></Error>", "ETag", `"x"`), nil},
	{"200 with a page", whole, with(200, "Blocked", "Content-Type", "text/html"), nil},
	{"broken before", 0, nil, errors.New("connection refused")},
	{"broken in the middle", 1000, nil, io.ErrUnexpectedEOF},
	{"broken after", whole, nil, io.ErrUnexpectedEOF},
	{"answered early", 0, with(200, "", "ETag", `"x"`), nil},
	{"wrong ETag", whole, with(200, "", "ETag", `"00000000000000000000000000000000"`), nil},
	{"no ETag", whole, with(200, ""), nil},
	{"stalled body", 1000, nil, nil},
	{"stalled answer", whole, nil, nil},
	{"stalled connection", 0, nil, nil},
}

// after has part 2 sent when part 1 has shown that ETags are MD5s, where that decides: before, a
// part whose ETag is none is sent again with its MD5 as the proof (see proof_test.go).
func (c failure) after(dst *upload) {
	if c.name != "wrong ETag" {
		return
	}
	dst.onURL = func(number, _ int) error {
		for number == 2 && dst.reported()[1] == 0 {
			time.Sleep(time.Millisecond) // of the bubble
		}
		return nil
	}
}

func stallAfter(d time.Duration) func(*transfer.Config) {
	return func(c *transfer.Config) { c.StallTimeout = d }
}

func TestPartIsSentAgain(t *testing.T) {
	t.Parallel()
	for _, c := range passing {
		bubble.Run(t, c.name, func(t *testing.T) {
			f, want := newFile(t, 5*partSize)
			s, dst := &store{}, &upload{}
			c.after(dst)
			s.rule = func(a *attempt, req *http.Request) (*http.Response, error) {
				if a.Part == 2 && a.Nth <= 2 {
					return c.do(req)
				}
				return nil, nil
			}
			start := time.Now()
			uploaded(t, newEngine(s, stallAfter(time.Minute)), s, f, want, nil, dst)
			waited := time.Since(start)
			// Two waits of 0.5 s and 1 s, each half as much more or less.
			least, most := 750*time.Millisecond, 3500*time.Millisecond
			switch {
			case strings.HasPrefix(c.name, "stalled"): // a second PUT may begin meanwhile
				least, most = time.Minute, most+2*time.Minute
			case c.name == "broken in the middle": // the same, while a response may be on its way
				most += 4 * time.Second
			}
			if waited < least || waited > most {
				t.Errorf("waited %s", waited)
			}
			urls := make(map[string]bool)
			for _, a := range s.seen() {
				if a.Part == 2 {
					urls[a.URL] = true
				}
			}
			if len(urls) != 3 || s.count(1) != 1 {
				t.Errorf("%d addresses for part 2, %d attempts at part 1", len(urls), s.count(1))
			}
		})
	}
}

func TestRefusalEndsTheUpload(t *testing.T) {
	t.Parallel()
	for _, c := range []failure{
		status(400, "InvalidRequest"), status(411, "MissingContentLength"), status(413, "EntityTooLarge"), status(501, "NotImplemented"), status(302, ""),
	} {
		bubble.Run(t, c.name, func(t *testing.T) {
			f, _ := newFile(t, 100*partSize)
			s, dst := &store{}, &upload{}
			s.rule = func(a *attempt, req *http.Request) (*http.Response, error) {
				switch a.Part {
				case 1:
					return nil, nil
				case 2:
					time.Sleep(time.Second) // until part 1 is stored
					return c.do(req)
				default:
					<-req.Context().Done()
					return nil, req.Context().Err()
				}
			}
			start := time.Now()
			_, err := newEngine(s).UploadParts(t.Context(), f, partSize, nil, dst)
			var se *transfer.StatusError
			if !errors.As(err, &se) || se.Part != 2 || se.Attempts != 1 || fmt.Sprintf("%d %s", se.Status, se.Code) != c.name {
				t.Fatalf("error %#v", err)
			}
			if se.Code != "" && se.Message != "because of "+se.Code {
				t.Errorf("message %q", se.Message)
			}
			if n, took := len(s.seen()), time.Since(start); n > 6 || took > 5*time.Second {
				t.Errorf("%d requests were made in %s", n, took)
			}
			if got := dst.reported(); len(got) != 1 || got[1] != 1 {
				t.Errorf("reported: %v", got)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, want := newFile(t, partSize)
		s := &store{rule: func(a *attempt, _ *http.Request) (*http.Response, error) {
			if a.Nth == 1 {
				return answer(503, "", "Retry-After", "20"), nil
			}
			return nil, nil
		}}
		start := time.Now()
		uploaded(t, newEngine(s), s, f, want, nil, &upload{})
		if d := time.Since(start); d < 20*time.Second || d > 21*time.Second {
			t.Errorf("waited %s", d)
		}
	})
}

func TestBadAddress(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"ftp://storage.test", "storage.test", "https://", "https://storage.test:x"} {
		t.Run(base, func(t *testing.T) {
			t.Parallel()
			f, _ := newFile(t, partSize)
			s := &store{}
			_, err := newEngine(s).UploadParts(t.Context(), f, partSize, nil, &upload{base: base})
			if err == nil || !strings.Contains(err.Error(), "address") || len(s.seen()) != 0 {
				t.Errorf("error %v", err)
			}
			hidden(t, err)
		})
	}
}

func TestAddressWithUserGetsNoAuthorization(t *testing.T) {
	t.Parallel()
	f, want := newFile(t, partSize)
	s := &store{}
	uploaded(t, newEngine(s), s, f, want, nil, &upload{base: "https://user:password@storage.test"})
	if h := s.seen()[0].Header; h.Get("Authorization") != "" {
		t.Errorf("Authorization: %s", h.Get("Authorization"))
	}
}

// TestCancel: no PUT begins after a cancellation. What storage takes in the next four seconds is
// stored and reported, the rest is cut off.
func TestCancel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, _ := newFile(t, 100*partSize)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		s, dst := &store{}, &upload{}
		s.rule = func(a *attempt, req *http.Request) (*http.Response, error) {
			select {
			case <-time.After(time.Duration(a.Part) * 2 * time.Second):
				return nil, nil
			case <-req.Context().Done():
				return nil, req.Context().Err()
			}
		}
		start := time.Now()
		_, err := newEngine(s).UploadParts(ctx, f, partSize, nil, dst)
		if took := time.Since(start); !errors.Is(err, context.Canceled) || took != 5*time.Second {
			t.Errorf("error %v after %s", err, took)
		}
		if got := dst.reported(); len(s.seen()) != 4 || len(got) != 2 || got[1] != 1 || got[2] != 1 {
			t.Errorf("%d PUTs, reported: %v", len(s.seen()), got)
		}
	})
}

func TestStoredPartsAreNotSentAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, want := newFile(t, 10*partSize)
		part := func(n int) transfer.Part {
			return transfer.Part{Number: n, Size: partSize, ETag: fmt.Sprintf(`"%X"`, md5.Sum(want[(n-1)*partSize:n*partSize]))}
		}
		other := part(2)
		other.ETag = part(3).ETag
		short := part(3)
		short.Size--
		bare := part(4)
		bare.ETag = ""
		beyond := part(10)
		beyond.Number = 11
		stored := []transfer.Part{part(1), other, short, bare, beyond, part(7), part(9)}
		s, dst := &store{}, &upload{}
		var last transfer.Progress
		f.Progress = func(p transfer.Progress) { last = p }
		res := uploaded(t, newEngine(s), s, f, want, stored, dst)
		for n, sent := range map[int]int{1: 0, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1, 7: 0, 8: 1, 9: 0, 10: 1} {
			if s.count(n) != sent || dst.reported()[n] != sent {
				t.Errorf("part %d: sent %d times, reported %d times, expected %d", n, s.count(n), dst.reported()[n], sent)
			}
		}
		if res.Reused != 3*partSize || res.Parts[6].ETag != part(7).ETag {
			t.Errorf("%d bytes reused, part 7 is %+v", res.Reused, res.Parts[6])
		}
		if last.Reused != res.Reused || last.Sent != res.Sent || last.Total != f.Size {
			t.Errorf("last progress %+v", last)
		}
	})
}

func TestChangedFile(t *testing.T) {
	t.Parallel()
	const size = 30 * partSize
	for _, c := range []struct {
		name   string
		before func(t *testing.T, f transfer.File)
		// during is called before there is an address for part 2: the pass has gone through it, its
		// sender has not read it.
		during func(t *testing.T, f transfer.File)
		detail string
	}{
		{name: "before, longer", detail: "bytes", before: func(t *testing.T, f transfer.File) {
			overwrite(t, f.Path, content(size+1, 1))
		}},
		{name: "before, size and time kept", detail: "SHA-256", before: func(t *testing.T, f transfer.File) {
			patch(t, f.Path, 29*partSize, []byte("other"))
		}},
		{name: "during, the part at hand", detail: "bytes 50000 to", during: func(t *testing.T, f transfer.File) {
			patch(t, f.Path, 2*partSize-5, []byte("other"))
		}},
		{name: "during, shorter", detail: fmt.Sprintf("it has %d bytes, but had %d before", partSize, size), during: func(t *testing.T, f transfer.File) {
			if err := os.Truncate(f.Path, partSize); err != nil {
				t.Error(err)
			}
		}},
	} {
		bubble.Run(t, c.name, func(t *testing.T) {
			f, want := newFile(t, size)
			if c.before != nil {
				c.before(t, f)
			}
			s, dst := &store{}, &upload{}
			dst.onURL = func(number, nth int) error {
				if number == 2 && nth == 1 && c.during != nil {
					time.Sleep(time.Second) // in virtual time: until no other part can go on
					c.during(t, f)
				}
				return nil
			}
			_, err := newEngine(s).UploadParts(t.Context(), f, partSize, nil, dst)
			var ce *transfer.ChangedError
			if !errors.As(err, &ce) || ce.Path != f.Path || !strings.Contains(ce.Detail, c.detail) {
				t.Fatalf("error %v", err)
			}
			if strings.HasPrefix(c.name, "before, ") && c.detail == "bytes" && len(s.seen()) != 0 {
				t.Errorf("%d requests were made", len(s.seen()))
			}
			for _, a := range s.seen() {
				whole := int64(len(a.Body)) == a.Length
				lo := (a.Part - 1) * partSize
				if c.during != nil && whole && !bytes.Equal(a.Body, want[lo:lo+partSize]) {
					t.Errorf("part %d was sent whole with other content", a.Part)
				}
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

// TestContentTypeThatIsNotSigned: an address may be signed without Content-Type. It is left out
// once, unless the address says that it is signed. Then fresh addresses are tried, twice.
func TestContentTypeThatIsNotSigned(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		refuses func(a *attempt) bool
		query   string // of the addresses
		want    string // the Content-Types sent
		fails   bool
	}{
		"not signed":        {func(a *attempt) bool { return a.Header.Get("Content-Type") != "" }, "", "a/b,", false},
		"never accepted":    {func(*attempt) bool { return true }, "", "a/b,,,", true},
		"signed":            {func(a *attempt) bool { return !strings.Contains(a.URL, "n=3") }, "&X-Amz-SignedHeaders=content-type%3Bhost", "a/b,a/b,a/b", false},
		"other one missing": {func(*attempt) bool { return true }, "&X-Amz-SignedHeaders=content-type%3Bhost%3Bx-amz-acl", "a/b,a/b,a/b", true},
	} {
		bubble.Run(t, name, func(t *testing.T) {
			f, want := newFile(t, 5000)
			s := &store{}
			s.rule = func(a *attempt, _ *http.Request) (*http.Response, error) {
				if c.refuses(a) {
					return refusal(403, "SignatureDoesNotMatch"), nil
				}
				return nil, nil
			}
			n, start := 0, time.Now()
			_, err := newEngine(s).UploadSingle(t.Context(), f, func(context.Context) (string, error) {
				n++
				return fmt.Sprintf("https://storage.test/key?n=%d%s", n, c.query), nil
			}, "a/b")
			var types []string
			for _, a := range s.seen() {
				types = append(types, a.Header.Get("Content-Type"))
			}
			if got := strings.Join(types, ","); got != c.want || time.Since(start) > 100*time.Millisecond {
				t.Errorf("Content-Types %s in %s", got, time.Since(start))
			}
			if !c.fails && (err != nil || !s.holds(want)) {
				t.Errorf("error %v", err)
			}
			if se, ok := errors.AsType[*transfer.StatusError](err); c.fails && (!ok || se.Attempts != len(types) || strings.Contains(err.Error(), "x-amz-acl") != (name == "other one missing")) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const rate = 1_000_000
		f, want := newFile(t, 20*rate)
		var got []transfer.Progress
		f.Progress = func(p transfer.Progress) {
			got = append(got, p)
		}
		s := &store{rule: func(a *attempt, _ *http.Request) (*http.Response, error) {
			if a.Part == 3 && a.Nth == 1 {
				return answer(500, ""), nil
			}
			return nil, nil
		}}
		e := newEngine(s, func(c *transfer.Config) { c.Bandwidth = rate })
		start := time.Now()
		uploaded(t, e, s, f, want, nil, &upload{})
		if most := int(time.Since(start)/(100*time.Millisecond)) + 2; len(got) > most || len(got) < most/3 {
			t.Errorf("%d reports in %s", len(got), time.Since(start))
		}
		last := got[len(got)-1]
		if last.Name != f.Name || last.Sent != f.Size || last.Total != f.Size {
			t.Errorf("last: %+v", last)
		}
	})
}

func TestBandwidth(t *testing.T) {
	t.Parallel()
	for _, rate := range []int64{1_000, 333_333} {
		bubble.Run(t, fmt.Sprint(rate), func(t *testing.T) {
			s := &store{}
			e := newEngine(s, func(c *transfer.Config) { c.Bandwidth = rate })
			start := time.Now()
			var uploads sync.WaitGroup
			for _, part := range []int64{0, partSize, partSize} {
				f, _ := newFile(t, int(20*rate))
				uploads.Go(func() { mustSend(t, e, f, part) })
			}
			uploads.Wait()
			if d := time.Since(start); d < 57*time.Second || d > 63*time.Second {
				t.Errorf("a minute's worth took %s", d)
			}
		})
	}
}
