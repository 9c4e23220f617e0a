package simulator

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// maxBody is the maximum size of a JSON request, in bytes.
const maxBody = 16 << 20

// Service is the simulated service. It is safe for concurrent use.
type Service struct {
	o       Options
	own     *ownStorage
	storage Storage

	closing sync.Once
	closed  chan struct{}

	mu         sync.Mutex
	storageURL string
	idToken    string
	sessions   sessions
	batches    []Batch
	journal    journal

	interference interference
}

// New returns a service without sessions, objects or faults. It panics if an option has an unknown
// shape.
func New(o Options) *Service {
	o = o.withDefaults()
	o.check()
	s := &Service{
		o: o, own: newOwnStorage(o), closed: make(chan struct{}), idToken: o.IDToken,
		sessions: newSessions(o), journal: journal{arrived: map[string]int{}},
	}
	s.storage = s.own
	if o.Storage != nil {
		s.storage = o.Storage
	}
	return s
}

// Close breaks delayed requests and all later ones. Call it before httptest.Server.Close,
// which waits for requests to end.
func (s *Service) Close() error {
	s.closing.Do(func() { close(s.closed) })
	return nil
}

// SetStorageURL sets the base of presigned URLs, such as "http://127.0.0.1:8080/storage". PUTs must
// arrive with its host and path, because both are signed. By default the base has the host of the
// request for the presigned URL.
func (s *Service) SetStorageURL(base string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.storageURL = strings.TrimSuffix(base, "/")
}

func (s *Service) storageBase(r *http.Request) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.storageURL != "":
		return s.storageURL
	case r.TLS != nil:
		return "https://" + r.Host + "/storage"
	}
	return "http://" + r.Host + "/storage"
}

// SetIDToken replaces the identity token that the upload and batch API accepts.
func (s *Service) SetIDToken(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idToken = token
}

// SetCustomerID makes key paths those of another customer from now on.
func (s *Service) SetCustomerID(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.o.CustomerID = id
}

func (s *Service) allocated() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.o.Regions
}

// answer is the response to a request.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func jsonAnswer(status int, value any) answer {
	body, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	header := http.Header{}
	header.Set("Content-Type", "application/json")
	header.Set("X-Request-Id", newUUID())
	return answer{status, header, body}
}

// success is the response to a call that was processed.
func success(status int, message string, data any) answer {
	return jsonAnswer(status, map[string]any{"data": data, "message": message})
}

func refusal(status int, format string, args ...any) answer {
	return jsonAnswer(status, map[string]any{"message": fmt.Sprintf(format, args...)})
}

// route is the target of a request.
type route struct {
	call string
	// id is the session's id, bucket and key are the object's.
	id, bucket, key string
}

func routeOf(r *http.Request) route {
	switch r.Method + " " + r.URL.Path {
	case "GET /live/v1/regions":
		return route{call: CallRegions}
	case "POST /live/v1/live-streams/session":
		return route{call: CallCreateSession}
	case "GET /live/v1/live-streams/session":
		return route{call: CallListSessions}
	case "POST /vod/v1/customer/presign-url":
		return route{call: CallPresignURL}
	case "POST /vod/v1/customer/multipart/create":
		return route{call: CallMultipartCreate}
	case "POST /vod/v1/customer/multipart/generate-url":
		return route{call: CallMultipartURL}
	case "POST /vod/v1/customer/multipart/complete":
		return route{call: CallMultipartComplete}
	case "POST /v1/local/batch":
		return route{call: CallBatch}
	}
	if escaped, ok := strings.CutPrefix(r.URL.EscapedPath(), "/live/v1/live-streams/session/"); ok && r.Method == http.MethodGet && escaped != "" && !strings.Contains(escaped, "/") {
		id, _ := url.PathUnescape(escaped) // the path was valid
		return route{call: CallGetSession, id: id}
	}
	if path, ok := strings.CutPrefix(r.URL.Path, "/storage/"); ok && r.Method == http.MethodPut {
		bucket, key, _ := strings.Cut(path, "/")
		if key != "" && isPart(r.URL.Query()) {
			return route{call: CallPutPart, bucket: bucket, key: key}
		}
		if key != "" {
			return route{call: CallPutObject, bucket: bucket, key: key}
		}
	}
	return route{}
}

func (rt route) toStorage() bool { return rt.call == CallPutObject || rt.call == CallPutPart }

// ServeHTTP serves the live API, the upload and batch API, and storage.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rt := routeOf(r)
	counted := &countingBody{ReadCloser: r.Body}
	// A copy of the request, because Go's server checks the type of the body of its own request to
	// handle "Expect: 100-continue".
	r = r.WithContext(r.Context())
	r.Body = counted
	var fault *Fault
	if rt.call != "" {
		fault = s.interference.take(rt.call, r)
	}
	entry := s.begin(rt.call, r, fault)
	status := 0
	defer func() {
		s.end(entry, status, counted.count())
		breakConnection(w, recover())
	}()
	if rt.call == "" {
		if s.o.UnknownRoute != nil {
			s.o.UnknownRoute(r.Method, r.URL.Path)
		}
		status = http.StatusNotFound
		s.write(w, refusal(status, "there is no %s %s", r.Method, r.URL.Path), false)
		return
	}
	if !rt.toStorage() {
		body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		s.setBody(entry, body)
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	s.callHooks(rt.call, r)
	s.pause(r.Context(), s.o.Latency)
	result := s.process(rt, r, fault)
	status = result.status
	if rt.toStorage() && counted.count() < r.ContentLength {
		// Otherwise Go's server would read the rest of the body, up to a limit, before it responds.
		// S3 does not.
		result.header.Set("Connection", "close")
	}
	s.write(w, result, fault != nil && fault.Truncate)
}

// process runs the call, with the fault unless nil.
func (s *Service) process(rt route, r *http.Request, fault *Fault) answer {
	if fault == nil {
		return s.dispatch(rt, r)
	}
	s.pause(r.Context(), fault.Delay)
	if fault.BreakBefore {
		panic(http.ErrAbortHandler)
	}
	var result answer
	if fault.Status == 0 || fault.Processed {
		result = s.dispatch(rt, r)
	} else if _, err := io.Copy(io.Discard, r.Body); err != nil {
		panic(http.ErrAbortHandler)
	}
	if fault.BreakAfter {
		panic(http.ErrAbortHandler)
	}
	return fault.apply(result)
}

func (s *Service) dispatch(rt route, r *http.Request) answer {
	switch rt.call {
	case CallPutObject, CallPutPart:
		return s.own.servePut(r, rt.bucket, rt.key)
	case CallRegions, CallCreateSession, CallGetSession, CallListSessions:
		return s.live(rt, r)
	}
	return s.vod(rt, r)
}

func (s *Service) write(w http.ResponseWriter, result answer, truncate bool) {
	maps.Copy(w.Header(), result.header)
	body := result.body
	if truncate {
		w.Header().Set("Content-Length", strconv.Itoa(max(len(body), 2)))
		body = body[:len(body)/2]
	} else {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	w.WriteHeader(result.status)
	if _, err := w.Write(body); err != nil {
		panic(http.ErrAbortHandler)
	}
	if truncate {
		// Without the flush the client would see no response at all.
		if err := http.NewResponseController(w).Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
			panic(http.ErrAbortHandler)
		}
		panic(http.ErrAbortHandler)
	}
}

// breakConnection ends a request that panicked with http.ErrAbortHandler. It hijacks the
// connection, because Go's server would first wait for the rest of the request's body. If it cannot
// hijack, it panics again.
func breakConnection(w http.ResponseWriter, cause any) {
	if cause == nil {
		return
	}
	if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = conn.Close() // an error leaves it broken, too
			return
		}
	}
	panic(cause)
}

// pause waits for d. It breaks the connection if the client disconnects or the Service is closed.
func (s *Service) pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		panic(http.ErrAbortHandler)
	case <-s.closed:
		panic(http.ErrAbortHandler)
	}
}

// countingBody counts the bytes read from a request's body.
type countingBody struct {
	io.ReadCloser
	mu sync.Mutex
	n  int64
}

func (b *countingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.mu.Lock()
	b.n += int64(n)
	b.mu.Unlock()
	return n, err
}

func (b *countingBody) count() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.n
}

func rawID() string {
	var raw [16]byte
	rand.Read(raw[:]) // never fails
	return hex.EncodeToString(raw[:])
}

func newUUID() string {
	id := rawID()
	return id[:8] + "-" + id[8:12] + "-4" + id[13:16] + "-a" + id[17:20] + "-" + id[20:]
}
