package mediaupload_test

import (
	"net/http"
	"path/filepath"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/stage"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestRecordOfATakenUpload: content that continues the upload of other content of the same size and
// name takes its record. Nobody is told afterwards that the first content is stored there.
func TestRecordOfATakenUpload(t *testing.T) {
	t.Parallel()
	stage.Large(t)
	w, folder := acctest.NewWorld(t, simulator.Options{}), t.TempDir()
	path := filepath.Join(folder, "promo.mp4")
	media(t, path, resumeSize, 1)
	config := inParts.With(acctest.Attrs{"source": path})
	w.Fail(simulator.Fault{Call: simulator.CallMultipartComplete, Status: http.StatusGatewayTimeout, Times: 20})
	first, diags := w.Provider(oneByOne.With(acctest.Attrs{"max_retries": 0})).Create(resourceType, config)
	w.ClearFaults()
	if !diags.Failed() || !first.Exists() {
		t.Fatalf("the first upload is %v: %s", first.Attrs(), diags)
	}

	media(t, path, resumeSize, 2) // the file changes, and its upload goes on under the same id
	p := w.Provider(oneByOne)
	second, diags := p.Change(first.Untainted(), config)
	if diags.Failed() {
		t.Fatal(diags)
	}
	keyPath := second.Text("key_path")

	media(t, path, resumeSize, 1) // another root uploads the first content
	w.Env["TF_WORKSPACE"] = "another"
	p = w.Provider(oneByOne)
	third, diags := p.Create(resourceType, config)
	if diags.Failed() || third.Text("key_path") == keyPath {
		t.Errorf("the first content is stored as %q, the second as %q: %s", third.Text("key_path"), keyPath, diags)
	}
}
