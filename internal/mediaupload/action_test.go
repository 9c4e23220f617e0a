package mediaupload_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// invoke runs vodlive_process_media on a file.
func invoke(ctx context.Context, p *acctest.Protocol, path string, more map[string]tftypes.Value) ([]string, string) {
	config := map[string]tftypes.Value{"source": acctest.Text(path), "service_modes": acctest.Texts("video_optimizer")}
	maps.Copy(config, more)
	progress, diags := p.Invoke(ctx, "vodlive_process_media", config)
	return progress, acctest.Diagnostics(diags)
}

func TestActionUploadsAndSubmits(t *testing.T) {
	t.Parallel()
	server := acctest.Start(t, simulator.Options{})
	path := filepath.Join(t.TempDir(), "promo.mp4")
	sum := media(t, path, 6*mib, 1)
	progress, diags := invoke(t.Context(), server.Protocol(t), path, map[string]tftypes.Value{"method": acctest.Text("multipart")})
	if diags != "" {
		t.Fatal(diags)
	}
	objects, batches := server.Objects(), server.Batches()
	if len(objects) != 1 || objects[0].SHA256 != sum || len(batches) != 1 || fmt.Sprint(batches[0].Paths) != fmt.Sprint([]string{objects[0].KeyPath}) {
		t.Errorf("objects %+v, batches %+v", objects, batches)
	}
	text := strings.Join(progress, "\n")
	for _, part := range []string{"promo.mp4 100 %, 6.3 of 6.3 MB", "submitted " + objects[0].KeyPath} {
		if !strings.Contains(text, part) {
			t.Errorf("the progress lacks %q:\n%s", part, text)
		}
	}
}

func TestActionContinuesFromItsRecord(t *testing.T) {
	t.Parallel()
	server := acctest.Start(t, simulator.Options{})
	env := map[string]string{"VODLIVE_RESUME_DIR": t.TempDir(), "VODLIVE_UPLOAD_CONCURRENCY": "1"}
	path := filepath.Join(t.TempDir(), "promo.mp4")
	sum := media(t, path, resumeSize, 1)
	more := map[string]tftypes.Value{"method": acctest.Text("multipart"), "part_size": tftypes.NewValue(tftypes.Number, 5*mib)}

	server.Fail(simulator.Fault{Call: simulator.CallPutPart, Match: isPart(breaksAt), Status: http.StatusBadRequest})
	_, diags := invoke(t.Context(), server.Protocol(t, env), path, more)
	if !strings.Contains(diags, "2 of 4 parts are stored") || !strings.Contains(diags, "invoked again on this machine") {
		t.Errorf("diagnostics: %s", diags)
	}
	if len(server.Batches()) > 0 {
		t.Error("a batch job was submitted on a file that is not stored")
	}
	server.ClearFaults()
	since := len(server.Journal())
	if _, diags = invoke(t.Context(), server.Protocol(t, env), path, more); diags != "" {
		t.Fatal(diags)
	}
	sent := 0
	for _, r := range server.Journal()[since:] {
		if r.Call == simulator.CallPutPart {
			sent++
		}
	}
	objects := server.Objects()
	if sent != resumeParts-breaksAt+1 || len(objects) != 1 || objects[0].SHA256 != sum || len(server.Batches()) != 1 {
		t.Errorf("%d parts sent, objects %+v, batches %+v", sent, objects, server.Batches())
	}
}

func TestActionEndsWhenCancelled(t *testing.T) {
	t.Parallel()
	server := acctest.Start(t, simulator.Options{})
	path := filepath.Join(t.TempDir(), "promo.mp4")
	media(t, path, resumeSize, 1)
	hold := server.Hold(simulator.CallPutPart, nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_ = hold.Arrived(t.Context(), 1)
		cancel()
	}()
	_, diags := invoke(ctx, server.Protocol(t), path, map[string]tftypes.Value{"method": acctest.Text("multipart")})
	if !strings.Contains(diags, "The run was interrupted") {
		t.Errorf("diagnostics: %s", diags)
	}
	if len(server.Objects())+len(server.Batches()) > 0 {
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
		more  map[string]tftypes.Value
		fault simulator.Fault
		text  []string
	}{
		"missing file":   {path: filepath.Join(folder, "none.mp4"), text: []string{"none.mp4 does not exist"}},
		"folder":         {path: folder, text: []string{"is a folder, not a file"}},
		"other content":  {more: map[string]tftypes.Value{"sha256": acctest.Text(strings.Repeat("ab", 32))}, text: []string{"promo.mp4 has changed"}},
		"file name":      {more: map[string]tftypes.Value{"file_name": acctest.Text("a/b")}, text: []string{"which holds a slash"}},
		"no modes":       {more: map[string]tftypes.Value{"service_modes": acctest.Texts()}, text: []string{"at least 1"}},
		"batch refused":  {fault: simulator.Fault{Call: simulator.CallBatch, Status: http.StatusBadRequest, Body: `{"message":"no such mode"}`}, text: []string{"no such mode", "The file itself is stored as vod/input/"}},
		"batch lost":     {fault: simulator.Fault{Call: simulator.CallBatch, BreakAfter: true}, text: []string{"may have been submitted", "The file itself is stored as vod/input/"}},
		"upload refused": {fault: simulator.Fault{Call: simulator.CallPresignURL, Status: http.StatusForbidden}, text: []string{"403"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := acctest.Start(t, simulator.Options{})
			if tc.fault.Call != "" {
				server.Fail(tc.fault)
			}
			source := tc.path
			if source == "" {
				source = path
			}
			_, diags := invoke(t.Context(), server.Protocol(t), source, tc.more)
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
	server := acctest.Start(t, simulator.Options{})
	path := filepath.Join(t.TempDir(), "promo.mp4")
	media(t, path, 10, 1)
	if err := os.Truncate(path, 5<<30+1); err != nil {
		t.Fatal(err)
	}
	// Without content: the hash is given, so the file is not read.
	more := map[string]tftypes.Value{"method": acctest.Text("single"), "sha256": acctest.Text(strings.Repeat("ab", 32))}
	_, diags := invoke(t.Context(), server.Protocol(t), path, more)
	for _, part := range []string{"The file is too large for one PUT", "has 5368709121 bytes", `"multipart"`} {
		if !strings.Contains(diags, part) {
			t.Errorf("the diagnostics lack %q: %s", part, diags)
		}
	}
}

func TestActionWritesItsProgressForUsersToWatch(t *testing.T) {
	t.Parallel()
	server := acctest.Start(t, simulator.Options{})
	folder := t.TempDir()
	path, lines := filepath.Join(folder, "promo.mp4"), filepath.Join(folder, "progress")
	media(t, path, 6*mib, 1)
	progress, diags := invoke(t.Context(), server.Protocol(t, map[string]string{"VODLIVE_PROGRESS": lines}), path, inParts)
	if diags != "" {
		t.Fatal(diags)
	}
	written, err := os.ReadFile(lines)
	const last = "promo.mp4 100 %, 6.3 of 6.3 MB"
	if err != nil || !strings.Contains(string(written), last) || !strings.Contains(strings.Join(progress, "\n"), last) {
		t.Errorf("VODLIVE_PROGRESS has %q (%v), Terraform shows %q", written, err, progress)
	}
}

// TestActionWhoseUploadMayBeComplete: what the text advises must be possible without a resource.
func TestActionWhoseUploadMayBeComplete(t *testing.T) {
	t.Parallel()
	server := acctest.Start(t, simulator.Options{})
	env := map[string]string{"VODLIVE_RESUME_DIR": t.TempDir()}
	path := filepath.Join(t.TempDir(), "promo.mp4")
	media(t, path, resumeSize, 1)
	hold := server.Hold(simulator.CallMultipartComplete, nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_ = hold.Arrived(t.Context(), 1)
		cancel()
	}()
	if _, diags := invoke(ctx, server.Protocol(t, env), path, inParts); !strings.Contains(diags, "4 of 4 parts are stored") {
		t.Fatal(diags)
	}
	hold.Release()
	server.Fail(simulator.Fault{Call: simulator.CallMultipartComplete, Status: http.StatusNotFound, Body: `{"message":"NoSuchUpload"}`})
	_, diags := invoke(t.Context(), server.Protocol(t, env), path, inParts)
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
	server := acctest.Start(t, simulator.Options{})
	p := server.Protocol(t, map[string]string{"VODLIVE_ID_TOKEN": "", "VODLIVE_VOD_BASE_URL": ""})
	_, diags := invoke(t.Context(), p, "promo.mp4", nil)
	if !strings.Contains(diags, "`vod_base_url` (or VODLIVE_VOD_BASE_URL, which is set but empty) and `id_token`, `id_token_file` or `id_token_command`") {
		t.Errorf("diagnostics: %s", diags)
	}
}

func TestUploadURLIsForAnotherTool(t *testing.T) {
	t.Parallel()
	server := acctest.Start(t, simulator.Options{})
	got, diags := server.Protocol(t).Open(t.Context(), "vodlive_upload_url", map[string]tftypes.Value{"file_name": acctest.Text("promo.mp4")})
	if len(diags) > 0 {
		t.Fatal(acctest.Diagnostics(diags))
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, got["presigned_url"], strings.NewReader("the file"))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", got["content_type"])
	answer, err := new(http.Client).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	objects := server.Objects()
	if answer.StatusCode != http.StatusOK || len(objects) != 1 || objects[0].KeyPath != got["key_path"] || objects[0].ContentType != "video/mp4" {
		t.Errorf("status %d, objects %+v, %v", answer.StatusCode, objects, got["key_path"])
	}
}

func TestUploadURLRefuses(t *testing.T) {
	t.Parallel()
	server := acctest.Start(t, simulator.Options{})
	for value, text := range map[string]string{"a/b.mp4": "which holds a slash", " ": "is blank"} {
		_, diags := server.Protocol(t).Open(t.Context(), "vodlive_upload_url", map[string]tftypes.Value{"file_name": acctest.Text(value)})
		if !strings.Contains(acctest.Diagnostics(diags), text) {
			t.Errorf("%q: %s", value, acctest.Diagnostics(diags))
		}
	}
	server.Fail(simulator.Fault{Call: simulator.CallPresignURL, Status: http.StatusUnauthorized})
	_, diags := server.Protocol(t).Open(t.Context(), "vodlive_upload_url", map[string]tftypes.Value{"file_name": acctest.Text("a.mp4")})
	if !strings.Contains(acctest.Diagnostics(diags), "did not accept the identity token") {
		t.Error(acctest.Diagnostics(diags))
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
