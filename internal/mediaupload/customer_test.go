package mediaupload_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

var (
	othersOnly = acctest.Attrs{"allowed_customer_ids": []string{"customer-1", "customer-2"}}
	ownOnly    = acctest.Attrs{"allowed_customer_ids": []string{simulator.DefaultCustomerID}}
)

// TestCustomerThatIsNotAllowed tries each way by which a key path comes in. None may send file
// content or submit a job.
func TestCustomerThatIsNotAllowed(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		run  func(w *acctest.World, p *acctest.Provider, path string) acctest.Diagnostics
		more []string // that the text must have
	}{
		"one PUT": {run: func(_ *acctest.World, p *acctest.Provider, path string) acctest.Diagnostics {
			_, diags := p.Create(resourceType, acctest.Attrs{"source": path})
			return diags
		}, more: []string{"The key path is not allowed: File \"promo.mp4\": "}},
		"in parts": {run: func(_ *acctest.World, p *acctest.Provider, path string) acctest.Diagnostics {
			_, diags := p.Create(resourceType, acctest.Attrs{"source": path}.With(inParts))
			return diags
		}, more: []string{"The key path is not allowed: File \"promo.mp4\": "}},
		"action": {run: func(_ *acctest.World, p *acctest.Provider, path string) acctest.Diagnostics {
			_, diags := p.Invoke("vodlive_process_media", acctest.Attrs{"source": path, "service_modes": []string{"video_optimizer"}})
			return diags
		}, more: []string{"The key path is not allowed: File \"promo.mp4\": "}},
		"upload URL": {run: func(_ *acctest.World, p *acctest.Provider, _ string) acctest.Diagnostics {
			opened, diags := p.Open("vodlive_upload_url", acctest.Attrs{"file_name": "a.mp4"})
			if opened != nil {
				t.Errorf("the upload URL was opened: %v", opened)
			}
			return diags
		}, more: []string{"The key path is not allowed: The key path"}},
		"import": {run: func(w *acctest.World, p *acctest.Provider, _ string) acctest.Diagnostics {
			_, diags := p.Import(resourceType, w.Store(t))
			return diags
		}, more: []string{"The key path is not allowed"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := acctest.NewWorld(t, simulator.Options{})
			path := filepath.Join(t.TempDir(), "promo.mp4")
			media(t, path, 6*mib, 1)
			stored := len(w.Objects())
			diags := tc.run(w, w.Provider(othersOnly), path)
			if name == "import" {
				stored = 1 // by the test
			}
			if !diags.Failed() {
				t.Fatalf("no error: %s", diags)
			}
			for _, part := range append(tc.more, `customer "customer-4821"`, `only ["customer-1" "customer-2"]`, "identity token") {
				if !strings.Contains(diags.String(), part) {
					t.Errorf("the diagnostics lack %q: %s", part, diags)
				}
			}
			if strings.Contains(diags.String(), "X-Amz") {
				t.Errorf("the diagnostics show a presigned URL: %s", diags)
			}
			if len(w.Objects()) != stored || w.Count(simulator.CallPutPart) > 0 || w.Count(simulator.CallPutObject) != stored || len(w.Batches()) > 0 {
				t.Errorf("content was sent or a job submitted:\n%s", w.JournalText())
			}
			w.AssertCalls(t, simulator.CallMultipartURL, 0)
			if n := w.Count(simulator.CallMultipartCreate) + w.Count(simulator.CallPresignURL); n > 1 {
				t.Errorf("the refused call was repeated:\n%s", w.JournalText())
			}
		})
	}
}

func TestCustomerThatIsAllowed(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	path := filepath.Join(t.TempDir(), "promo.mp4")
	media(t, path, 1000, 1)
	p := w.Provider(ownOnly)
	created, diags := p.Create(resourceType, acctest.Attrs{"source": path})
	diags.Must(t)
	_, diags = p.Import(resourceType, created.Text("key_path"))
	diags.Must(t)
	_, diags = p.Open("vodlive_upload_url", acctest.Attrs{"file_name": "a.mp4"})
	diags.Must(t)
	if _, diags := invoke(p, path, nil); diags != "" {
		t.Error(diags)
	}
}

func TestImportWhileTheCustomersAreUnknown(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	imported, diags := w.Provider(acctest.Attrs{"allowed_customer_ids": acctest.Unknown}).Import(resourceType, w.Store(t))
	if !diags.Failed() || !strings.Contains(diags.String(), "The provider configuration is not known yet") || imported.Exists() {
		t.Errorf("imported %v: %s", imported, diags)
	}
}

// TestUnfinishedUploadOfAnotherCustomer finds an unfinished upload under a customer that is not
// allowed, in the record or in the state. It sends no part of it, and uploads the file from its
// beginning.
func TestUnfinishedUploadOfAnotherCustomer(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(*machine){"record": (*machine).loseState, "state": (*machine).loseRecords} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, resumeSize)
			m.breakOff(breaksAt)
			before := m.Uploads()[0].UploadID
			lose(m)
			m.provider = m.provider.With(ownOnly)
			if name == "state" {
				m.editIncomplete("key_path", func(s string) string { return strings.Replace(s, simulator.DefaultCustomerID, "customer-1", 1) })
			} else {
				editFile(t, m.records()[0], regexp.MustCompile(`"vod/input/[^/]*`), `"vod/input/customer-1`)
			}
			since := len(m.Journal())
			m.says(m.mustApply(), "An unfinished upload could not be continued", `customer "customer-1"`, "from its beginning")
			m.assertStored()
			for _, r := range m.Journal()[since:] {
				if r.Query.Get("uploadId") == before || strings.Contains(string(r.Body), before) {
					t.Errorf("the unfinished upload was touched: %s %s", r.Method, r.Path)
				}
			}
		})
	}
}

// TestUnfinishedUploadUnderTheWrongAccount has a state of an allowed customer continued with the
// token of another one. What is stored is not lost.
func TestUnfinishedUploadUnderTheWrongAccount(t *testing.T) {
	t.Parallel()
	m := newMachine(t, resumeSize)
	m.breakOff(breaksAt)
	m.provider = m.provider.With(ownOnly)
	right := m.state
	m.Fail(simulator.Fault{Call: simulator.CallMultipartURL, Status: 403})
	m.Fail(simulator.Fault{Call: simulator.CallMultipartCreate, Status: 200, Body: `{"data":{"upload_id":"u","key_path":"vod/input/customer-1/u/media.mp4"},"message":"ok"}`})
	m.says(m.apply(), "2 of 4 parts are stored", `customer "customer-1"`)
	want(t, "the key path kept", m.state.Attrs()["incomplete_upload"].(acctest.Attrs)["key_path"], right.Attrs()["incomplete_upload"].(acctest.Attrs)["key_path"])
	m.ClearFaults()
	since := m.Count(simulator.CallPutPart)
	m.mustApply()
	m.assertStored()
	if sent := m.Count(simulator.CallPutPart) - since; sent != rest {
		t.Errorf("%d parts were sent, want %d", sent, rest)
	}
}
