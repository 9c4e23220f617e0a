package upload_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
	"github.com/vodlive/terraform-provider-vodlive/internal/disk"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire"
)

const (
	// Too small for the multi-lane MD5, which waits on channels of its own.
	testPartSize = 64 << 10
	testParts    = 3
	requestLimit = 30 * time.Second
)

// inMemory calls a handler without a connection, so that all waits are virtual.
type inMemory struct{ handler http.Handler }

func (m inMemory) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	if req.Body != nil {
		defer req.Body.Close()
	}
	r := req.Clone(req.Context())
	r.URL = &url.URL{Path: req.URL.Path, RawPath: req.URL.RawPath, RawQuery: req.URL.RawQuery}
	r.RequestURI, r.Host = req.URL.RequestURI(), req.URL.Host
	recorder := httptest.NewRecorder()
	defer func() {
		if recover() != nil { // the handler breaks the connection
			resp, err = nil, errors.New("connection broken")
		}
	}()
	m.handler.ServeHTTP(recorder, r)
	if req.Body != nil {
		_, _ = io.Copy(io.Discard, req.Body) // to its end, as a connection does
	}
	return recorder.Result(), nil
}

// world is a simulated service and one file to upload to it. Each run is one process of the
// provider.
type world struct {
	*simulator.Service
	t       *testing.T
	dir     string // of the records; "": none
	content []byte
	file    upload.File
	limit   time.Duration // of one run; 0: none
	account error         // of reading the token
	reads   atomic.Int64  // of files that are sent

	warnings []upload.Warning // of the last run
}

// inWorld runs a test in a new world in virtual time.
func inWorld(t *testing.T, options simulator.Options, test func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		options.MinPartSize = testPartSize
		w := &world{Service: simulator.New(options), t: t, dir: t.TempDir(), limit: time.Hour}
		defer w.Close()
		w.content = make([]byte, (testParts-1)*testPartSize+1000)
		_, _ = rand.NewChaCha8([32]byte{1}).Read(w.content)
		name := filepath.Join(t.TempDir(), "media.mp4")
		must.Succeed(t, os.WriteFile(name, w.content, 0o600))
		w.file = upload.File{
			Path: name, Upload: api.Upload{Name: "media.mp4", ContentType: "video/mp4"}, Size: int64(len(w.content)), SHA256: hexSHA256(w.content),
			Method: upload.MethodMultipart, PartSize: testPartSize,
		}
		test(t, w)
	})
}

// runInWorld is a subtest in a world of its own.
func runInWorld(t *testing.T, name string, options simulator.Options, test func(t *testing.T, w *world)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Helper()
		t.Parallel()
		inWorld(t, options, test)
	})
}

// uploader is the one of a new process.
func (w *world) uploader() *upload.Uploader {
	w.t.Helper()
	const base = "http://127.0.0.1"
	client := api.New(api.Config{
		VODBaseURL: base, Token: credential.StaticToken(simulator.DefaultIDToken),
		Config: wire.Config{MaxRetries: 1, RequestTimeout: requestLimit, UserAgent: "test", Transport: inMemory{w.Service}},
	})
	return upload.New(upload.Config{
		API: client, Engine: transfer.New(transfer.Config{Transport: client.StorageTransport(), Concurrency: 1, MaxRetries: 1, StallTimeout: 2 * requestLimit, Files: w.countReads}),
		Address: base, Resume: resume.New(w.dir, nil), Account: func(context.Context) (string, error) { return "test", w.account },
	})
}

func (w *world) countReads(op disk.Op, _ string, n int) (int, error) {
	if op == disk.OpRead {
		w.reads.Add(1)
	}
	return n, nil
}

// run uploads the file, as Create (earlier is nil) or as the continuation of what a state holds.
func (w *world) run(earlier *resume.Unfinished) (upload.Result, error) {
	w.t.Helper()
	ctx := w.t.Context()
	if w.limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, w.limit)
		defer cancel()
	}
	u := w.uploader()
	if earlier != nil {
		if err := u.LeaveUnfinished(ctx, w.file, earlier); err != nil {
			return upload.Result{Left: earlier}, err // the state stays as it is
		}
	}
	result, err := u.Upload(ctx, w.file, nil)
	w.warnings = result.Warnings
	return result, err
}

// mustFail runs an upload that must fail, and returns what it leaves.
func (w *world) mustFail(earlier *resume.Unfinished) (*resume.Unfinished, error) {
	w.t.Helper()
	result, err := w.run(earlier)
	if err == nil {
		w.t.Fatalf("the upload did not fail: %+v", result)
	}
	return result.Left, err
}

// interrupted runs an upload whose last part storage refuses, and returns what it leaves.
func (w *world) interrupted() *resume.Unfinished {
	w.t.Helper()
	last := transfer.PartCount(w.file.Size, w.file.PartSize)
	w.Fail(simulator.Fault{Call: simulator.CallPutPart, Match: partNumber(last), Status: http.StatusInternalServerError})
	left, err := w.mustFail(nil)
	w.ClearFaults()
	if left == nil || len(left.Parts) != last-1 {
		w.t.Fatalf("the interrupted upload left %+v, error %v", left, err)
	}
	return left
}

// interruptedByFormer is interrupted with a file of two parts of 16 MiB, as an earlier version of
// the provider sent it. Now it would have four parts.
func (w *world) interruptedByFormer() *resume.Unfinished {
	w.t.Helper()
	w.content = make([]byte, 17<<20)
	must.Succeed(w.t, os.WriteFile(w.file.Path, w.content, 0o600))
	w.file.Size, w.file.SHA256, w.file.PartSize = int64(len(w.content)), hexSHA256(w.content), 16<<20
	left := w.interrupted()
	w.file.PartSize = 0
	return left
}

func partNumber(n int) func(*http.Request) bool {
	return func(r *http.Request) bool { return r.URL.Query().Get("partNumber") == fmt.Sprint(n) }
}

// state is what a state keeps of an unfinished upload: neither checksums nor trust.
func state(left *resume.Unfinished) *resume.Unfinished {
	kept := *left
	kept.Parts = slices.Clone(left.Parts)
	for i := range kept.Parts {
		kept.Parts[i].Checksum, kept.Parts[i].Trusted = "", false
	}
	return &kept
}

// sent are the numbers of the parts that storage took since a point in the journal, in order.
func (w *world) sent(since int) []string {
	var numbers []string
	for _, r := range w.Journal()[since:] {
		if r.Call == simulator.CallPutPart && r.Status == http.StatusOK {
			numbers = append(numbers, r.Query.Get("partNumber"))
		}
	}
	slices.Sort(numbers)
	return numbers
}

// mustStore runs the upload to its end, which must send the parts given, and checks the object.
func (w *world) mustStore(earlier *resume.Unfinished, sends ...string) upload.StoredFile {
	w.t.Helper()
	since := len(w.Journal())
	result, err := w.run(earlier)
	if err != nil || result.Left != nil {
		w.t.Fatalf("the upload failed with %v and left %+v", err, result.Left)
	}
	if got := w.sent(since); !slices.Equal(got, sends) {
		w.t.Errorf("the run sent parts %v, want %v", got, sends)
	}
	object := w.onlyObject()
	if object.SHA256 != w.file.SHA256 {
		w.t.Errorf("the object has other content than the file: %+v", object)
	}
	if result.KeyPath != object.KeyPath {
		w.t.Errorf("key path %q, the object has %q", result.KeyPath, object.KeyPath)
	}
	w.mustHaveNoRecord()
	return result.StoredFile
}

func (w *world) onlyObject() simulator.Object {
	w.t.Helper()
	objects := w.Objects()
	if len(objects) != 1 {
		w.t.Fatalf("%d objects, want 1: %+v", len(objects), objects)
	}
	return objects[0]
}

func (w *world) mustWarn(kind upload.WarningKind) {
	w.t.Helper()
	if len(w.warnings) != 1 || w.warnings[0].Kind != kind {
		w.t.Errorf("warnings %+v, want one of kind %s", w.warnings, kind)
	}
}

func (w *world) records() []string {
	var names []string
	_ = filepath.WalkDir(w.dir, func(name string, _ os.DirEntry, _ error) error {
		if base := filepath.Base(name); strings.HasPrefix(base, "upload-") && strings.HasSuffix(base, ".json") {
			names = append(names, name)
		}
		return nil
	})
	return names
}

func (w *world) mustHaveNoRecord() {
	w.t.Helper()
	if names := w.records(); len(names) > 0 {
		w.t.Errorf("records are left: %v", names)
	}
}

// editRecord replaces a text in the record of the upload.
func (w *world) editRecord(old, with string) {
	w.t.Helper()
	names := w.records()
	if len(names) != 1 {
		w.t.Fatalf("records: %v", names)
	}
	content, err := os.ReadFile(names[0])
	if err != nil || !strings.Contains(string(content), old) {
		w.t.Fatalf("the record has no %q (%v): %s", old, err, content)
	}
	must.Succeed(w.t, os.WriteFile(names[0], []byte(strings.ReplaceAll(string(content), old, with)), 0o600))
}

// arriveLate has storage take the first PUT of a part, once more, at the first call of complete.
func (w *world) arriveLate(part int) {
	var first *url.URL
	w.Hook(simulator.CallPutPart, func(r *http.Request) {
		if first == nil && partNumber(part)(r) {
			first = r.URL
		}
	})
	var once sync.Once
	w.Hook(simulator.CallMultipartComplete, func(r *http.Request) {
		once.Do(func() {
			content := w.content[(part-1)*testPartSize:][:testPartSize]
			req, err := http.NewRequestWithContext(r.Context(), http.MethodPut, "http://127.0.0.1"+first.String(), bytes.NewReader(content))
			if err != nil {
				w.t.Error(err)
				return
			}
			resp, err := inMemory{w.Service}.RoundTrip(req)
			if err != nil || resp.StatusCode != http.StatusOK {
				w.t.Errorf("the late PUT: %v %v", resp, err)
			}
		})
	})
}

func hexSHA256(content []byte) string { return fmt.Sprintf("%x", sha256.Sum256(content)) }
