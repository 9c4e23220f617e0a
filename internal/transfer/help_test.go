package transfer_test

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// secret stands for the signature of a presigned address: no error may show it.
const secret = "5ec12e75ec12e75ec12e7"

func content(size int, seed uint64) []byte {
	b := make([]byte, size)
	r := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})
	_, _ = r.Read(b)
	return b
}

// newFile writes a file of random content and describes it.
func newFile(t testing.TB, size int) (transfer.File, []byte) {
	t.Helper()
	b := content(size, uint64(size))
	f := transfer.File{Path: filepath.Join(t.TempDir(), "a.mp4"), Name: "a.mp4", Size: int64(size), SHA256: sha256.Sum256(b)}
	overwrite(t, f.Path, b)
	return f, b
}

func overwrite(t testing.TB, path string, b []byte) {
	t.Helper()
	must.Succeed(t, os.WriteFile(path, b, 0o600))
}

// patch writes into a file and keeps its size and modification time.
func patch(t testing.TB, path string, off int64, b []byte) {
	t.Helper()
	info, err := os.Stat(path)
	must.Succeed(t, err)
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	must.Succeed(t, err)
	if _, err := f.WriteAt(b, off); err != nil {
		t.Fatal(err)
	}
	must.Succeed(t, f.Close())
	must.Succeed(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
}

// attempt is one request as storage saw it.
type attempt struct {
	Part   int // 0: a single PUT
	URL    string
	Nth    int // attempt at this part, from 1
	Header http.Header
	Length int64
	Body   []byte // what arrived
}

// store is storage in memory, as an http.RoundTripper, so that it works in
// virtual time. Without a rule it keeps what arrives whole.
type store struct {
	// rule may answer instead: with an answer, an error, or neither. It is called
	// before the body is read, and reads it or not.
	rule func(a *attempt, req *http.Request) (*http.Response, error)
	etag func(sum string) string // how an ETag is written; nil: quoted
	head http.Header             // sent with each success

	mu       sync.Mutex
	attempts []*attempt
	nth      map[int]int
	parts    map[int][]byte
	now, top int // requests in flight
}

func (s *store) RoundTrip(req *http.Request) (*http.Response, error) {
	a := s.note(req)
	defer func() {
		s.mu.Lock()
		s.now--
		s.mu.Unlock()
		_ = req.Body.Close()
	}()
	if s.rule != nil {
		if resp, err := s.rule(a, req); resp != nil || err != nil {
			return resp, err
		}
	}
	if err := s.read(a, req); err != nil {
		return nil, err
	}
	return s.take(a), nil
}

func (s *store) note(req *http.Request) *attempt {
	part, _ := strconv.Atoi(req.URL.Query().Get("partNumber"))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.nth == nil {
		s.nth, s.parts = make(map[int]int), make(map[int][]byte)
	}
	s.nth[part]++
	s.now++
	s.top = max(s.top, s.now)
	a := &attempt{Part: part, URL: req.URL.String(), Nth: s.nth[part], Header: req.Header.Clone(), Length: req.ContentLength}
	s.attempts = append(s.attempts, a)
	return a
}

// read takes the body in, as far as it comes.
func (s *store) read(a *attempt, req *http.Request) error {
	n, err := a.read(req.Body)
	if err == nil && n != req.ContentLength {
		return fmt.Errorf("%d bytes came, %d were announced", n, req.ContentLength)
	}
	return err
}

// read takes more of the body in.
func (a *attempt) read(r io.Reader) (n int64, err error) {
	if a.Body == nil {
		a.Body = make([]byte, 0, a.Length+bytes.MinRead) // buffers that grow take a third of the time with -race
	}
	b := bytes.NewBuffer(a.Body)
	n, err = b.ReadFrom(r)
	a.Body = b.Bytes()
	return n, err
}

// take keeps what was read and answers.
func (s *store) take(a *attempt) *http.Response {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parts[a.Part] = a.Body
	resp := answer(http.StatusOK, "")
	maps.Copy(resp.Header, s.head)
	sum := md5.Sum(a.Body)
	resp.Header.Set("ETag", s.write(hex.EncodeToString(sum[:])))
	return resp
}

func (s *store) write(sum string) string {
	if s.etag != nil {
		return s.etag(sum)
	}
	return `"` + sum + `"`
}

// holds reports whether the parts make up a content.
func (s *store) holds(want []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range slices.Sorted(maps.Keys(s.parts)) {
		if !bytes.HasPrefix(want, s.parts[n]) {
			return false
		}
		want = want[len(s.parts[n]):]
	}
	return len(want) == 0
}

func (s *store) seen() []*attempt {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*attempt(nil), s.attempts...)
}

func (s *store) count(part int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.nth[part]
}

func answer(status int, body string, headers ...string) *http.Response {
	h := http.Header{}
	for i := 0; i+1 < len(headers); i += 2 {
		h.Set(headers[i], headers[i+1])
	}
	return &http.Response{
		StatusCode: status, Status: strconv.Itoa(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Body: io.NopCloser(strings.NewReader(body)),
	}
}

func refusal(status int, code string) *http.Response {
	return answer(status, `<?xml version="1.0" encoding="UTF-8"?><Error><Code>`+code+`</Code><Message>because of `+code+`</Message></Error>`)
}

// upload is a transfer.Destination.
type upload struct {
	base  string
	onURL func(number, nth int) error // may fail, or do mischief to the file

	mu     sync.Mutex
	asked  map[int]int
	stored []transfer.Part
}

func (u *upload) PartURL(_ context.Context, number int) (string, error) {
	u.mu.Lock()
	if u.asked == nil {
		u.asked = make(map[int]int)
	}
	u.asked[number]++
	nth := u.asked[number]
	u.mu.Unlock()
	if u.onURL != nil {
		if err := u.onURL(number, nth); err != nil {
			return "", err
		}
	}
	base := u.base
	if base == "" {
		base = "https://storage.test"
	}
	return fmt.Sprintf("%s/bucket/key?partNumber=%d&uploadId=u&nth=%d&X-Amz-Signature=%s", base, number, nth, secret), nil
}

func (u *upload) Stored(p transfer.Part) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.stored = append(u.stored, p)
}

func (u *upload) reported() map[int]int {
	u.mu.Lock()
	defer u.mu.Unlock()
	m := make(map[int]int)
	for _, p := range u.stored {
		m[p.Number]++
	}
	return m
}

func newEngine(rt http.RoundTripper, change ...func(*transfer.Config)) *transfer.Engine {
	c := transfer.Config{Transport: rt, Concurrency: 4, MaxRetries: 3}
	for _, f := range change {
		f(&c)
	}
	return transfer.New(c)
}

// mustSend uploads a file in parts of a size, or with one PUT if that is 0, which must succeed.
func mustSend(t testing.TB, e *transfer.Engine, f transfer.File, part int64) {
	t.Helper()
	var err error
	if part > 0 {
		_, err = e.UploadParts(t.Context(), f, part, nil, &upload{})
	} else {
		_, err = e.UploadSingle(t.Context(), f, (&addresses{}).next, "")
	}
	if err != nil {
		t.Error(err)
	}
}

// hidden fails the test if an error shows a secret.
func hidden(t testing.TB, err error) {
	t.Helper()
	if err != nil && strings.Contains(fmt.Sprintf("%+v", err), secret) {
		t.Errorf("the error shows the signature: %v", err)
	}
}
