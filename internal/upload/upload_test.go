package upload_test

import (
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
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire"
)

// partSize keeps the contents of tests small.
const partSize = 64 << 10

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

// world is a simulated service, and a process of the provider.
type world struct {
	*simulator.Service
	*upload.Uploader
	t         *testing.T
	dir       string // of the files
	resumeDir string
}

// play runs a test in a new world in virtual time.
func play(t *testing.T, options simulator.Options, progressFile string, test func(t *testing.T, w *world)) {
	t.Helper()
	dir, resumeDir := t.TempDir(), t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		options.MinPartSize = partSize
		w := &world{Service: simulator.New(options), t: t, dir: dir, resumeDir: resumeDir}
		defer w.Close()
		const base = "http://127.0.0.1"
		client := api.New(api.Config{
			VODBaseURL: base, Token: credential.StaticToken(simulator.DefaultIDToken),
			Config: wire.Config{MaxRetries: 1, RequestTimeout: 30 * time.Second, UserAgent: "test", Transport: inMemory{w.Service}},
		})
		w.Uploader = upload.New(upload.Config{
			API: client, Engine: transfer.New(transfer.Config{Transport: client.StorageTransport(), Concurrency: 1, MaxRetries: 1, StallTimeout: time.Hour}),
			Resume: resume.New(resumeDir), Address: base, ProgressFile: progressFile,
		})
		test(t, w)
	})
}

// file makes a file of a size, which is sent in parts if it is larger than one.
func (w *world) file(name string, size int) upload.File {
	w.t.Helper()
	content := make([]byte, size)
	_, _ = rand.NewChaCha8(sha256.Sum256([]byte(name))).Read(content)
	path := filepath.Join(w.dir, name)
	must.Succeed(w.t, os.WriteFile(path, content, 0o600))
	f := upload.File{Path: path, Upload: api.Upload{Name: name, ContentType: "video/mp4"}, Size: int64(size), SHA256: fmt.Sprintf("%x", sha256.Sum256(content))}
	if size > partSize {
		f.Method, f.PartSize = upload.MethodMultipart, partSize
	}
	return f
}

// upload must succeed.
func (w *world) upload(f upload.File) upload.Result {
	w.t.Helper()
	result, err := w.Upload(w.t.Context(), f, nil)
	must.Succeed(w.t, err)
	return result
}

// replace makes the service give an earlier text again.
func replace(old, with string) func(body []byte) []byte {
	return func(body []byte) []byte { return []byte(strings.ReplaceAll(string(body), old, with)) }
}

func TestNoTwoFilesShareAKeyPathOrAnUploadID(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]string{"key path": simulator.CallPresignURL, "upload id": simulator.CallMultipartCreate} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			play(t, simulator.Options{}, "", func(t *testing.T, w *world) {
				size := 1000
				if call == simulator.CallMultipartCreate {
					size = 2 * partSize
				}
				var first string
				w.Fail(simulator.Fault{Call: call, Times: 1, Rewrite: func(body []byte) []byte { first = string(body); return body }})
				w.upload(w.file("a.mp4", size))
				w.Fail(simulator.Fault{Call: call, Rewrite: func([]byte) []byte { return []byte(first) }})
				_, err := w.Upload(t.Context(), w.file("b.mp4", size), nil)
				shared, ok := errors.AsType[*upload.SharedError](err)
				if !ok || shared.Files != [2]string{"a.mp4", "b.mp4"} || len(w.Objects()) != 1 {
					t.Errorf("%v, with %d objects", err, len(w.Objects()))
				}
			})
		})
	}
}

func TestObjectOfOtherContentIsRefused(t *testing.T) {
	t.Parallel()
	play(t, simulator.Options{}, "", func(t *testing.T, w *world) {
		w.Fail(simulator.Fault{Call: simulator.CallMultipartComplete, Rewrite: replace(`"ChecksumSHA256":null`, `"ChecksumSHA256":"q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s="`)})
		result, err := w.Upload(t.Context(), w.file("a.mp4", 2*partSize), nil)
		if err == nil || !strings.Contains(err.Error(), "is not the file") || result.Left != nil {
			t.Errorf("%v, left %+v", err, result.Left)
		}
	})
}

func TestOtherKeyPathIsAWarning(t *testing.T) {
	t.Parallel()
	play(t, simulator.Options{}, "", func(t *testing.T, w *world) {
		w.Fail(simulator.Fault{Call: simulator.CallMultipartComplete, Rewrite: replace("a.mp4", "b.mp4")})
		result := w.upload(w.file("a.mp4", 2*partSize))
		if len(result.Warnings) != 1 || result.Warnings[0].Kind != upload.OtherKeyPath || !strings.HasSuffix(result.Warnings[0].Found, "b.mp4") {
			t.Errorf("warnings %+v", result.Warnings)
		}
	})
}

func TestHeadersThatTheAddressAsksForAreNamed(t *testing.T) {
	t.Parallel()
	play(t, simulator.Options{}, "", func(t *testing.T, w *world) {
		w.Fail(simulator.Fault{Call: simulator.CallPresignURL, Rewrite: replace("SignedHeaders=content-type%3Bhost", "SignedHeaders=content-type%3Bhost%3Bx-amz-acl\\u0026x-amz-checksum-crc32=AAAAAA%3D%3D")})
		_, err := w.Upload(t.Context(), w.file("a.mp4", 1000), nil)
		if err == nil || !strings.Contains(err.Error(), "signed for x-amz-acl, x-amz-checksum-crc32") {
			t.Errorf("the error is %v", err)
		}
	})
}

func TestOneFailingFileStopsNoOther(t *testing.T) {
	t.Parallel()
	play(t, simulator.Options{}, "", func(t *testing.T, w *world) {
		files := []upload.File{w.file("a.mp4", 1000), w.file("b.mp4", 2*partSize), w.file("c.mp4", 2000)}
		must.Succeed(t, os.Remove(files[1].Path))
		outcomes := w.UploadFolder(t.Context(), "folder", files, nil)
		if outcomes[0].Err != nil || !upload.IsMissing(outcomes[1].Err) || outcomes[2].Err != nil {
			t.Errorf("outcomes %+v", outcomes)
		}
	})
}

func TestProgress(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "progress")
	play(t, simulator.Options{}, path, func(t *testing.T, w *world) {
		w.Fail(simulator.Fault{Call: simulator.CallPutPart, Delay: 6 * time.Second})
		var shown []string
		_, err := w.Upload(t.Context(), w.file("a.mp4", 4*partSize), func(line string) { shown = append(shown, line) })
		must.Succeed(t, err)
		synctest.Wait()
		content, err := os.ReadFile(path)
		must.Succeed(t, err)
		lines := strings.Split(strings.TrimSpace(string(content)), "\n")
		if len(lines) < 4 || len(lines) > 7 || lines[len(lines)-1] != "100 %, 262.1 kB of 262.1 kB" {
			t.Errorf("the file has %q", lines)
		}
		for _, line := range lines[:len(lines)-1] {
			if !strings.Contains(line, " of 262.1 kB") || strings.Contains(line, "100 %") {
				t.Errorf("the file has the line %q", line)
			}
		}
		if len(shown) != len(lines) || shown[len(shown)-1] != "a.mp4: 100 %, 262.1 kB of 262.1 kB" {
			t.Errorf("shown was %q", shown)
		}
	})
}

func TestInspectionEndsWithTheRun(t *testing.T) {
	t.Parallel()
	play(t, simulator.Options{}, "", func(t *testing.T, w *world) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		files := []upload.Inspection{{File: upload.File{Path: w.file("a.mp4", 1000).Path}}}
		w.InspectFiles(ctx, "folder", files, nil)
		w.InspectFiles(t.Context(), "folder", files, nil)
		if files[0].Err != nil || files[0].SHA256 != w.file("a.mp4", 1000).SHA256 || files[0].Name != "a.mp4" || files[0].ContentType != "video/mp4" {
			t.Errorf("the inspection is %+v", files[0])
		}
	})
}

// TestRecordIsWholeBeforeComplete: a process that is killed while it completes an upload leaves a
// record of all parts.
func TestRecordIsWholeBeforeComplete(t *testing.T) {
	t.Parallel()
	play(t, simulator.Options{}, "", func(t *testing.T, w *world) {
		recorded := 0
		w.Hook(simulator.CallMultipartComplete, func(*http.Request) {
			names, _ := filepath.Glob(filepath.Join(w.resumeDir, "*", "upload-*.json"))
			for _, name := range names {
				content, _ := os.ReadFile(name)
				recorded = strings.Count(string(content), `"number":`)
			}
		})
		w.upload(w.file("a.mp4", 4*partSize))
		if recorded != 4 {
			t.Errorf("the record had %d of 4 parts", recorded)
		}
	})
}
