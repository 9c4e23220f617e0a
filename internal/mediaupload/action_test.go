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
	progress, diags := p.Invoke("vodlive_process_media", processing(path, more))
	return progress, diags.String()
}

func processing(path string, more acctest.Attrs) acctest.Attrs {
	return acctest.Attrs{"source": path, "service_modes": []string{"video_optimizer"}}.With(more)
}

func TestActionUploadsAndSubmits(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	path := filepath.Join(t.TempDir(), "promo.mp4")
	sum := media(t, path, 6*mib, 1)
	progress, diags := invoke(w.Provider(nil), path, acctest.Attrs{"method": "multipart"})
	if diags != "" {
		t.Fatal(diags)
	}
	objects, batches := w.Objects(), w.Batches()
	if len(objects) != 1 || objects[0].SHA256 != sum || len(batches) != 1 || fmt.Sprint(batches[0].Paths) != fmt.Sprint([]string{objects[0].KeyPath}) {
		t.Errorf("objects %+v, batches %+v", objects, batches)
	}
	text := strings.Join(progress, "\n")
	for _, part := range []string{"promo.mp4: 100 %, 6.3 MB of 6.3 MB", "submitted " + objects[0].KeyPath} {
		if !strings.Contains(text, part) {
			t.Errorf("the progress lacks %q:\n%s", part, text)
		}
	}
}

// TestActionMasksItsProgress: a name may have a secret of the provider.
func TestActionMasksItsProgress(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	path := filepath.Join(t.TempDir(), simulator.DefaultSecretKey+".mp4")
	media(t, path, 1000, 1)
	progress, diags := invoke(w.Provider(nil), path, nil)
	if text := strings.Join(progress, "\n") + diags; !strings.Contains(text, "***.mp4: 100 %") || strings.Contains(text, simulator.DefaultSecretKey) {
		t.Errorf("the progress:\n%s", text)
	}
}

func TestActionContinuesFromItsRecord(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	path := filepath.Join(t.TempDir(), "promo.mp4")
	sum := media(t, path, resumeSize, 1)
	more := acctest.Attrs{"method": "multipart", "part_size": 5 * mib}

	w.Fail(simulator.Fault{Call: simulator.CallPutPart, Match: isPart(breaksAt), Status: http.StatusNotImplemented})
	_, diags := invoke(w.Provider(acctest.Attrs{"upload_concurrency": 1}), path, more)
	if !strings.Contains(diags, "2 of 4 parts are stored") || !strings.Contains(diags, "invoked again on this machine") {
		t.Errorf("diagnostics: %s", diags)
	}
	if len(w.Batches()) > 0 {
		t.Error("a batch job was submitted on a file that is not stored")
	}
	w.ClearFaults()
	since := len(w.Journal())
	if _, diags = invoke(w.Provider(acctest.Attrs{"upload_concurrency": 1}), path, more); diags != "" {
		t.Fatal(diags)
	}
	sent := 0
	for _, r := range w.Journal()[since:] {
		if r.Call == simulator.CallPutPart {
			sent++
		}
	}
	objects := w.Objects()
	if sent != resumeParts-breaksAt+1 || len(objects) != 1 || objects[0].SHA256 != sum || len(w.Batches()) != 1 {
		t.Errorf("%d parts sent, objects %+v, batches %+v", sent, objects, w.Batches())
	}
}

func TestActionEndsWhenCancelled(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	path := filepath.Join(t.TempDir(), "promo.mp4")
	media(t, path, resumeSize, 1)
	hold := w.Hold(simulator.CallPutPart, nil)
	p, cancel := w.Provider(nil).WithCancel()
	defer cancel()
	go func() {
		_ = hold.Arrived(t.Context(), 1)
		cancel()
	}()
	_, diags := invoke(p, path, acctest.Attrs{"method": "multipart"})
	if !strings.Contains(diags, "Terraform interrupted this call") {
		t.Errorf("diagnostics: %s", diags)
	}
	if len(w.Objects())+len(w.Batches()) > 0 {
		t.Error("something was made after all")
	}
}

func TestActionFailures(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "promo.mp4")
	media(t, path, 1000, 1)
	for name, tc := range map[string]struct {
		path  string
		more  acctest.Attrs
		fault simulator.Fault
		text  []string
		early bool // its plan fails
	}{
		"missing file":   {path: filepath.Join(folder, "none.mp4"), text: []string{"none.mp4 does not exist"}}, // the plan may make it
		"folder":         {path: folder, text: []string{"is a folder, not a file"}, early: true},
		"other content":  {more: acctest.Attrs{"sha256": strings.Repeat("ab", 32)}, text: []string{"has another SHA-256"}},
		"file name":      {more: acctest.Attrs{"file_name": "a/b"}, text: []string{"which holds a slash"}, early: true},
		"no modes":       {more: acctest.Attrs{"service_modes": []string{}}, text: []string{"at least 1"}, early: true},
		"batch refused":  {fault: simulator.Fault{Call: simulator.CallBatch, Status: http.StatusBadRequest, Body: `{"message":"no such mode"}`}, text: []string{"no such mode", "The file itself is stored as vod/input/"}},
		"batch lost":     {fault: simulator.Fault{Call: simulator.CallBatch, BreakAfter: true}, text: []string{"may have been submitted", "The file itself is stored as vod/input/"}},
		"upload refused": {fault: simulator.Fault{Call: simulator.CallPresignURL, Status: http.StatusForbidden}, text: []string{"403"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := acctest.NewWorld(t, simulator.Options{})
			if tc.fault.Call != "" {
				w.Fail(tc.fault)
			}
			source := tc.path
			if source == "" {
				source = path
			}
			p := w.Provider(nil)
			if planned := p.PlanAction("vodlive_process_media", processing(source, tc.more)); planned.Failed() != tc.early {
				t.Errorf("the plan: %s", planned)
			}
			_, diags := invoke(p, source, tc.more)
			for _, part := range tc.text {
				if !strings.Contains(diags, part) {
					t.Errorf("the diagnostics lack %q: %s", part, diags)
				}
			}
		})
	}
}

// TestActionThatPlansTooLargeAPut: the plan knows the size of the file, so nothing else of it is
// applied.
func TestActionThatPlansTooLargeAPut(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	path := filepath.Join(t.TempDir(), "promo.mp4")
	media(t, path, 10, 1)
	if err := os.Truncate(path, 5<<30+1); err != nil {
		t.Fatal(err)
	}
	// Without content: the hash is given, so the file is not read.
	_, diags := invoke(w.Provider(nil), path, acctest.Attrs{"method": "single", "sha256": strings.Repeat("ab", 32)})
	for _, part := range []string{"The file is too large for one PUT", "has 5368709121 bytes", `"multipart"`} {
		if !strings.Contains(diags, part) {
			t.Errorf("the diagnostics lack %q: %s", part, diags)
		}
	}
}

func TestActionWritesItsProgressForUsersToWatch(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	folder := t.TempDir()
	path, lines := filepath.Join(folder, "promo.mp4"), filepath.Join(folder, "progress")
	media(t, path, 6*mib, 1)
	w.Env["VODLIVE_PROGRESS"] = lines
	progress, diags := invoke(w.Provider(nil), path, inParts)
	if diags != "" {
		t.Fatal(diags)
	}
	written, err := os.ReadFile(lines)
	const last = "promo.mp4: 100 %, 6.3 MB of 6.3 MB"
	if err != nil || !strings.Contains(string(written), "promo.mp4: stored, 6.3 MB in ") || !strings.Contains(strings.Join(progress, "\n"), last) {
		t.Errorf("VODLIVE_PROGRESS has %q (%v), Terraform shows %q", written, err, progress)
	}
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

func TestActionNeedsTheUploadHalf(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	w.Env["VODLIVE_ID_TOKEN"], w.Env["VODLIVE_VOD_BASE_URL"] = "", ""
	_, diags := invoke(w.Provider(nil), "promo.mp4", nil)
	if !strings.Contains(diags, "`vod_base_url` (or VODLIVE_VOD_BASE_URL, which is set but empty) and `id_token`, `id_token_file` or `id_token_command` (or VODLIVE_ID_TOKEN_FILE, or VODLIVE_ID_TOKEN, which is set but empty)") {
		t.Errorf("diagnostics: %s", diags)
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

func TestUploadURLRefuses(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	for value, text := range map[string]string{"a/b.mp4": "which holds a slash", " ": "is blank"} {
		_, diags := w.Provider(nil).Open("vodlive_upload_url", acctest.Attrs{"file_name": value})
		if !strings.Contains(diags.String(), text) {
			t.Errorf("%q: %s", value, diags.String())
		}
	}
	w.Fail(simulator.Fault{Call: simulator.CallPresignURL, Status: http.StatusUnauthorized})
	_, diags := w.Provider(nil).Open("vodlive_upload_url", acctest.Attrs{"file_name": "a.mp4"})
	if !strings.Contains(diags.String(), "did not accept the identity token") {
		t.Error(diags.String())
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
