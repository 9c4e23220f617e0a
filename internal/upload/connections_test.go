package upload_test

import (
	"context"
	"crypto/sha256"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// TestConnectionsForTheFirstParts has a service that answers to the creation of a multipart upload only
// when there is a connection for the address of each part that may be sent at once.
func TestConnectionsForTheFirstParts(t *testing.T) {
	t.Parallel()
	const parts = 3
	service := simulator.New(simulator.Options{MinPartSize: testPartSize})
	t.Cleanup(func() { _ = service.Close() })
	made := make(chan bool, 10*parts)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/multipart/create") {
			for range parts {
				select {
				case <-made:
				case <-r.Context().Done():
					t.Error("there are fewer connections than addresses are asked for")
					return
				}
			}
		}
		service.ServeHTTP(w, r)
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			made <- true
		}
	}
	server.Start()
	t.Cleanup(server.Close)

	client, err := api.New(api.Config{VODBaseURL: server.URL, Token: credential.StaticToken(simulator.DefaultIDToken)})
	if err != nil {
		t.Fatal(err)
	}
	content := make([]byte, parts*testPartSize)
	name := filepath.Join(t.TempDir(), "media.mp4")
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = upload.New(upload.Config{
		API: client, Engine: transfer.New(transfer.Config{Transport: client.StorageTransport(), Concurrency: 2 * parts}),
		Address: server.URL, Resume: resume.New("", nil), Account: func(context.Context) (string, error) { return "test", nil },
	}).Upload(t.Context(), upload.File{
		Path: name, Name: "media.mp4", Size: int64(len(content)), SHA256: sha256.Sum256(content),
		Method: upload.MethodMultipart, PartSize: testPartSize,
	}, nil, nil)
	if err != nil {
		t.Error(err)
	}
}
