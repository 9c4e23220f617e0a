package mediaupload_test

import (
	"path/filepath"
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

// TestCustomerThatIsAllowedInAnAction is for what no scenario has.
func TestCustomerThatIsAllowedInAnAction(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	path := filepath.Join(t.TempDir(), "promo.mp4")
	media(t, path, 1000, 1)
	p := w.Provider(ownOnly)
	if _, diags := invoke(p, path, nil); diags != "" {
		t.Error(diags)
	}
}
