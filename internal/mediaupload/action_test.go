package mediaupload_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// invoke runs vodlive_process_media on a file.
func invoke(p *acctest.Provider, path string, more acctest.Attrs) ([]string, string) {
	progress, diags := p.Invoke("vodlive_process_media", acctest.Attrs{"source": path, "service_modes": []string{"video_optimizer"}}.With(more))
	return progress, diags.String()
}

// TestActionWhoseUploadMayBeComplete: what the text advises must be possible without a resource.
func TestActionWhoseUploadMayBeComplete(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	path := filepath.Join(t.TempDir(), "promo.mp4")
	media(t, path, resumeSize, 1)
	hold := w.Hold(simulator.CallMultipartComplete, nil)
	p, cancel := w.Provider(nil).WithCancel()
	go func() {
		_ = hold.Arrived(t.Context(), 1)
		cancel()
	}()
	if _, diags := invoke(p, path, inParts); !strings.Contains(diags, "4 of 4 parts are stored and are not lost: the action only completes the upload when") {
		t.Fatal(diags)
	}
	hold.Release()
	w.Fail(simulator.Fault{Call: simulator.CallMultipartComplete, Status: http.StatusNotFound, Body: `{"message":"NoSuchUpload"}`})
	_, diags := invoke(w.Provider(nil), path, inParts)
	for _, part := range []string{"may be complete", "stored as vod/input/", "submit a job on this key path", "invoke the action again"} {
		if !strings.Contains(diags, part) {
			t.Errorf("the diagnostics lack %q: %s", part, diags)
		}
	}
	if strings.Contains(diags, "terraform") {
		t.Errorf("no resource has this upload: %s", diags)
	}
}

func TestUploadURLIsForAnotherTool(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	got, diags := w.Provider(nil).Open("vodlive_upload_url", acctest.Attrs{"file_name": "promo.mp4"})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, fmt.Sprint(got["presigned_url"]), strings.NewReader("the file"))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", fmt.Sprint(got["content_type"]))
	answer, err := w.Client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	objects := w.Objects()
	if answer.StatusCode != http.StatusOK || len(objects) != 1 || objects[0].KeyPath != got["key_path"] || objects[0].ContentType != "video/mp4" {
		t.Errorf("status %d, objects %+v, %v", answer.StatusCode, objects, got["key_path"])
	}
}

// TestUploadURLIsNotKept runs the documented use with a real CLI and searches plan and state for
// the address.
func TestUploadURLIsNotKept(t *testing.T) {
	t.Parallel()
	server := acctest.Start(t, simulator.Options{})
	cli := acctest.NewCLI(t, server)
	cli.SkipBelow("ephemeral resources", "1.10.0", "1.11.0")
	cli.Write("media.mp4", "the file")
	// The address goes to another tool through the environment of a provisioner; the "tool" is the
	// shell that keeps it.
	cli.Config(`
ephemeral "vodlive_upload_url" "promo" {
  file_name = "media.mp4"
}
resource "terraform_data" "send" {
  provisioner "local-exec" {
    command     = "printf '%s' \"$UPLOAD_URL\" > address"
    environment = { UPLOAD_URL = ephemeral.vodlive_upload_url.promo.presigned_url }
  }
}`)
	cli.Must("plan", "-out=saved.plan")
	plan := cli.Must("show", "-json", "saved.plan").Output
	cli.Must("apply", "saved.plan")
	address, err := os.ReadFile(filepath.Join(cli.Dir, "address"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(address), "X-Amz-Signature=") {
		t.Fatalf("the tool got %q", address)
	}
	state, err := os.ReadFile(filepath.Join(cli.Dir, "terraform.tfstate"))
	if err != nil {
		t.Fatal(err)
	}
	for where, content := range map[string]string{"the plan": plan, "the state": string(state)} {
		if strings.Contains(content, "X-Amz-Signature") {
			t.Errorf("%s holds the address", where)
		}
	}
}
