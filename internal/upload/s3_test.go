package upload_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator/storagetest"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire"
)

// puts passes requests on, counts PUTs, and fails those after the first few.
type puts struct {
	http.Transport

	count atomic.Int32
	most  int32 // that may succeed
}

func (p *puts) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodPut && p.count.Add(1) > p.most {
		return nil, errors.New("connection lost")
	}
	return p.Transport.RoundTrip(req)
}

// TestUploadsOnAnS3Server uploads with one PUT and in parts to versitygw. The upload in parts loses
// its connection, and another process continues it.
func TestUploadsOnAnS3Server(t *testing.T) {
	t.Parallel()
	storage, err := storagetest.NewS3(t.Context(), storagetest.Versitygw(t))
	must.Succeed(t, err)
	service := simulator.New(simulator.Options{Storage: storage})
	defer service.Close()
	server := httptest.NewServer(service)
	defer server.Close()
	resumeDir := t.TempDir()
	process := func(transport http.RoundTripper) *upload.Uploader {
		client := api.New(api.Config{
			VODBaseURL: server.URL, Token: credential.StaticToken(simulator.DefaultIDToken),
			Config: wire.Config{UserAgent: "test", Transport: transport},
		})
		engine := transfer.New(transfer.Config{Transport: client.StorageTransport(), Concurrency: 1, StallTimeout: time.Minute})
		return upload.New(upload.Config{API: client, Engine: engine, Resume: resume.New(resumeDir), Address: server.URL})
	}
	w := &world{Service: service, t: t, dir: t.TempDir()}

	whole := w.file("whole.mp4", 1<<20)
	whole.Method, whole.PartSize = upload.MethodSingle, 0
	w.Uploader = process(&puts{most: 1})
	if result := w.upload(whole); len(result.Warnings) > 0 {
		t.Errorf("one PUT: %v", result.Warnings)
	}

	inParts := w.file("parts.mp4", 17<<20)
	inParts.PartSize = 5 << 20
	if _, err := process(&puts{most: 2}).Upload(t.Context(), inParts, nil); err == nil {
		t.Fatal("an upload without its last parts succeeded")
	}
	rest := &puts{most: 4}
	w.Uploader = process(rest)
	if result := w.upload(inParts); len(result.Warnings) > 0 {
		t.Errorf("in parts: %v", result.Warnings)
	}
	if sent := rest.count.Load(); sent != 2 {
		t.Errorf("the second process sent %d parts, of which 2 were missing", sent)
	}

	objects, err := storage.Objects(t.Context())
	must.Succeed(t, err)
	for _, f := range []upload.File{whole, inParts} {
		found := 0
		for _, o := range objects {
			if strings.HasSuffix(o.KeyPath, "/"+f.Name) && o.SHA256 == f.SHA256 && o.Size == f.Size {
				found++
			}
		}
		if found != 1 {
			t.Errorf("%d objects have the content of %s", found, f.Name)
		}
	}
}
