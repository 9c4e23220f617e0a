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

// TestCustomerThatIsNotAllowed has the ways that no scenario has. None may send file content or
// submit a job.
func TestCustomerThatIsNotAllowed(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]func(p *acctest.Provider, path string) acctest.Diagnostics{
		"in parts": func(p *acctest.Provider, path string) acctest.Diagnostics {
			_, diags := p.Create(resourceType, acctest.Attrs{"source": path}.With(inParts))
			return diags
		},
		"action": func(p *acctest.Provider, path string) acctest.Diagnostics {
			_, diags := p.Invoke("vodlive_process_media", acctest.Attrs{"source": path, "service_modes": []string{"video_optimizer"}})
			return diags
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := acctest.NewWorld(t, simulator.Options{})
			path := filepath.Join(t.TempDir(), "promo.mp4")
			media(t, path, 6*mib, 1)
			diags := run(w.Provider(othersOnly), path)
			for _, part := range []string{"error : The key path is not allowed: File \"promo.mp4\": ", `customer "customer-4821"`, `only ["customer-1" "customer-2"]`, "identity token"} {
				if !strings.Contains(diags.String(), part) {
					t.Errorf("the diagnostics lack %q: %s", part, diags)
				}
			}
			if strings.Contains(diags.String(), "X-Amz") {
				t.Errorf("the diagnostics show a presigned URL: %s", diags)
			}
			if calls := w.Journal(); len(calls) != 1 || len(w.Objects()) > 0 { // the refused call is not repeated
				t.Errorf("content was sent or a job submitted:\n%s", w.JournalText())
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
