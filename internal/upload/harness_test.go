package upload_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
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
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
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

// bench is a simulated service and one file to upload to it. Each run is one process of the
// provider.
type bench struct {
	*simulator.Service
	t       *testing.T
	dir     string // of the records; "": none
	content []byte
	file    upload.File
	limit   time.Duration // of one run; 0: none
	account error         // of reading the token

	warnings []string // of the last run
}

// inBench runs a test on a new bench in virtual time.
func inBench(t *testing.T, options simulator.Options, test func(t *testing.T, b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		options.MinPartSize = testPartSize
		b := &bench{Service: simulator.New(options), t: t, dir: t.TempDir(), limit: time.Hour}
		defer b.Close()
		b.content = make([]byte, (testParts-1)*testPartSize+1000)
		_, _ = rand.NewChaCha8([32]byte{1}).Read(b.content)
		name := filepath.Join(t.TempDir(), "media.mp4")
		if err := os.WriteFile(name, b.content, 0o600); err != nil {
			t.Fatal(err)
		}
		b.file = upload.File{
			Path: name, Name: "media.mp4", Size: int64(len(b.content)), SHA256: sha256.Sum256(b.content),
			Method: upload.MethodMultipart, PartSize: testPartSize,
		}
		test(t, b)
	})
}

// uploader is the one of a new process.
func (b *bench) uploader() *upload.Uploader {
	b.t.Helper()
	const base = "http://127.0.0.1"
	client, err := api.New(api.Config{
		VODBaseURL: base, Token: credential.StaticToken(simulator.DefaultIDToken),
		Config: wire.Config{MaxRetries: 1, RequestTimeout: requestLimit, UserAgent: "test", Transport: inMemory{b.Service}},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return upload.New(upload.Config{
		API: client, Engine: transfer.New(transfer.Config{Transport: client.StorageTransport(), Concurrency: 1, MaxRetries: 1, StallTimeout: 2 * requestLimit}),
		Address: base, Resume: resume.New(b.dir, nil), Account: func(context.Context) (string, error) { return "test", b.account },
	})
}

// run uploads the file, as Create (earlier is nil) or as the continuation of what a state holds.
func (b *bench) run(earlier *resume.Upload) (upload.Result, error) {
	b.t.Helper()
	ctx := b.t.Context()
	if b.limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, b.limit)
		defer cancel()
	}
	result, err := b.uploader().Upload(ctx, b.file, earlier, nil)
	b.warnings = nil
	for _, w := range result.Warnings {
		b.warnings = append(b.warnings, w.Summary+": "+w.Detail)
	}
	return result, err
}

// mustFail runs an upload that must fail, and returns what it leaves.
func (b *bench) mustFail(earlier *resume.Upload) (*resume.Upload, error) {
	b.t.Helper()
	result, err := b.run(earlier)
	if err == nil {
		b.t.Fatalf("the upload did not fail: %+v", result)
	}
	return result.Left, err
}

// interrupted runs an upload whose last part storage refuses, and returns what it leaves.
func (b *bench) interrupted() *resume.Upload {
	b.t.Helper()
	last := transfer.PartCount(b.file.Size, b.file.PartSize)
	b.Fail(simulator.Fault{Call: simulator.CallPutPart, Match: partNumber(last), Status: http.StatusInternalServerError})
	left, err := b.mustFail(nil)
	b.ClearFaults()
	if left == nil || len(left.Parts) != last-1 {
		b.t.Fatalf("the interrupted upload left %+v, error %v", left, err)
	}
	return left
}

// interruptedByFormer is interrupted with a file of two parts of 16 MiB, as an earlier version of the
// provider sent it. Now it would have three parts.
func (b *bench) interruptedByFormer() *resume.Upload {
	b.t.Helper()
	b.content = make([]byte, 17<<20)
	if err := os.WriteFile(b.file.Path, b.content, 0o600); err != nil {
		b.t.Fatal(err)
	}
	b.file.Size, b.file.SHA256, b.file.PartSize = int64(len(b.content)), sha256.Sum256(b.content), 16<<20
	left := b.interrupted()
	b.file.PartSize = 0
	return left
}

func partNumber(n int) func(*http.Request) bool {
	return func(r *http.Request) bool { return r.URL.Query().Get("partNumber") == fmt.Sprint(n) }
}

// state is what a state keeps of an unfinished upload: neither checksums nor trust.
func state(left *resume.Upload) *resume.Upload {
	kept := *left
	kept.Parts = slices.Clone(left.Parts)
	for i := range kept.Parts {
		kept.Parts[i].Checksum, kept.Parts[i].Trusted = "", false
	}
	return &kept
}

// sent are the numbers of the parts that storage took since a point in the journal, in order.
func (b *bench) sent(since int) []string {
	var numbers []string
	for _, r := range b.Journal()[since:] {
		if r.Call == simulator.CallPutPart && r.Status == http.StatusOK {
			numbers = append(numbers, r.Query.Get("partNumber"))
		}
	}
	slices.Sort(numbers)
	return numbers
}

// mustStore runs the upload to its end, which must send the parts given, and checks the object.
func (b *bench) mustStore(earlier *resume.Upload, sends ...string) upload.StoredFile {
	b.t.Helper()
	since := len(b.Journal())
	result, err := b.run(earlier)
	if err != nil || result.Left != nil {
		b.t.Fatalf("the upload failed with %v and left %+v", err, result.Left)
	}
	if got := b.sent(since); !slices.Equal(got, sends) {
		b.t.Errorf("the run sent parts %v, want %v", got, sends)
	}
	object := b.onlyObject()
	if object.SHA256 != hex.EncodeToString(b.file.SHA256[:]) {
		b.t.Errorf("the object has other content than the file: %+v", object)
	}
	if result.KeyPath != object.KeyPath {
		b.t.Errorf("key path %q, the object has %q", result.KeyPath, object.KeyPath)
	}
	b.mustHaveNoRecord()
	return result.StoredFile
}

func (b *bench) onlyObject() simulator.Object {
	b.t.Helper()
	objects := b.Objects()
	if len(objects) != 1 {
		b.t.Fatalf("%d objects, want 1: %+v", len(objects), objects)
	}
	return objects[0]
}

func (b *bench) mustWarn(part string) {
	b.t.Helper()
	if len(b.warnings) != 1 || !strings.Contains(b.warnings[0], part) {
		b.t.Errorf("warnings %q, want one with %q", b.warnings, part)
	}
}

func (b *bench) records() []string {
	var names []string
	_ = filepath.WalkDir(b.dir, func(name string, _ os.DirEntry, _ error) error {
		if base := filepath.Base(name); strings.HasPrefix(base, "upload-") && strings.HasSuffix(base, ".json") {
			names = append(names, name)
		}
		return nil
	})
	return names
}

func (b *bench) mustHaveNoRecord() {
	b.t.Helper()
	if names := b.records(); len(names) > 0 {
		b.t.Errorf("records are left: %v", names)
	}
}

// editRecord replaces a text in the record of the upload.
func (b *bench) editRecord(old, with string) {
	b.t.Helper()
	names := b.records()
	if len(names) != 1 {
		b.t.Fatalf("records: %v", names)
	}
	content, err := os.ReadFile(names[0])
	if err != nil || !strings.Contains(string(content), old) {
		b.t.Fatalf("the record has no %q (%v): %s", old, err, content)
	}
	if err := os.WriteFile(names[0], []byte(strings.ReplaceAll(string(content), old, with)), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// arriveLate has storage take the first PUT of a part, once more, at the first call of complete.
func (b *bench) arriveLate(part int) {
	var first *url.URL
	b.Hook(simulator.CallPutPart, func(r *http.Request) {
		if first == nil && partNumber(part)(r) {
			first = r.URL
		}
	})
	var once sync.Once
	b.Hook(simulator.CallMultipartComplete, func(r *http.Request) {
		once.Do(func() {
			content := b.content[(part-1)*testPartSize:][:testPartSize]
			req, err := http.NewRequestWithContext(r.Context(), http.MethodPut, "http://127.0.0.1"+first.String(), bytes.NewReader(content))
			if err != nil {
				b.t.Error(err)
				return
			}
			resp, err := inMemory{b.Service}.RoundTrip(req)
			if err != nil || resp.StatusCode != http.StatusOK {
				b.t.Errorf("the late PUT: %v %v", resp, err)
			}
		})
	})
}

// putForeign stores other content as part 1 of an unfinished upload, and returns its ETag.
func (b *bench) putForeign(left *resume.Upload) (etag string) {
	b.t.Helper()
	client, err := api.New(api.Config{
		VODBaseURL: "http://127.0.0.1", Token: credential.StaticToken(simulator.DefaultIDToken),
		Config: wire.Config{UserAgent: "test", Transport: inMemory{b.Service}},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	address, err := client.PresignPart(b.t.Context(), left.KeyPath, left.UploadID, 1)
	if err != nil {
		b.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodPut, address, io.LimitReader(rand.NewChaCha8([32]byte{9}), testPartSize))
	if err != nil {
		b.t.Fatal(err)
	}
	req.ContentLength = testPartSize
	resp, err := inMemory{b.Service}.RoundTrip(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		b.t.Fatalf("storing a foreign part: %v %v", resp, err)
	}
	defer resp.Body.Close()
	return resp.Header.Get("ETag")
}
