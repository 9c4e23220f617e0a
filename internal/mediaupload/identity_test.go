package mediaupload_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestIdentity holds the identity from the create through every change that keeps the stored file,
// and a new one for every replacement.
func TestIdentity(t *testing.T) {
	t.Parallel()
	for _, createBeforeDestroy := range []bool{false, true} {
		t.Run(fmt.Sprintf("create before destroy %v", createBeforeDestroy), func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, 1000)
			m.createBeforeDestroy = createBeforeDestroy
			m.config = acctest.Attrs{"source": m.path}
			m.mustApply()
			m.assertStored()
			first := m.identity()
			m.config["method"] = "multipart"
			m.mustApply()
			want(t, "identity after an update", m.identity(), first)

			m.sum = media(t, m.path, 1000, 2)
			m.config["method"] = "auto"
			m.mustApply()
			want(t, "identity after a replacement", m.identity(), m.state.Text("key_path"))
			if m.identity() == first {
				t.Error("the replacement has the identity of what it replaces")
			}
		})
	}
}

// TestIdentityOfAStateWithout reads states as a CLI without identities keeps them.
func TestIdentityOfAStateWithout(t *testing.T) {
	t.Parallel()
	t.Run("complete", func(t *testing.T) {
		t.Parallel()
		m := newMachine(t, 1000)
		m.mustApply()
		m.state.Identity = nil
		m.mustApply()
		m.state, _ = m.Provider(m.provider).Read(m.state)
		m.assertStored()
	})
	t.Run("unfinished", func(t *testing.T) {
		t.Parallel()
		m := newMachine(t, resumeSize)
		m.breakOff(breaksAt)
		m.state.Identity = nil
		m.mustApply()
		m.assertStored()
	})
	t.Run("nothing stored, nothing to continue", func(t *testing.T) {
		t.Parallel()
		m := newMachine(t, resumeSize)
		m.breakOff(breaksAt)
		m.state = m.state.Untainted()
		m.DropUpload(m.Uploads()[0].UploadID)
		m.Fail(simulator.Fault{Call: simulator.CallPutPart, Status: http.StatusNotFound, Body: "<Error><Code>NoSuchUpload</Code></Error>"})
		m.state.Identity = nil
		if diags := m.apply(); !diags.Failed() || m.state.Attrs()["incomplete_upload"] != nil {
			t.Fatalf("the second upload left %v: %s", m.state.Attrs()["incomplete_upload"], diags)
		}
		m.state.Identity = nil
		m.ClearFaults()
		m.mustApply()
		m.assertStored()
	})
}

// TestUntaintedUploadThatIsRefused uploads the file from its beginning in an update, which changes
// the identity.
func TestUntaintedUploadThatIsRefused(t *testing.T) {
	t.Parallel()
	m := newMachine(t, resumeSize)
	m.breakOff(breaksAt)
	m.state = m.state.Untainted()
	before := m.identity()
	m.DropUpload(m.Uploads()[0].UploadID)
	m.says(m.mustApply(), "An unfinished upload could not be continued")
	m.assertStored()
	if m.identity() == before {
		t.Error("the identity is that of the upload that was given up")
	}
}

func TestImportByIdentity(t *testing.T) {
	t.Parallel()
	m := newMachine(t, 1000)
	keyPath := m.Store(t)
	p := m.Provider(m.provider)
	imported, diags := p.ImportIdentity(resourceType, acctest.Attrs{"key_path": keyPath})
	diags.Must(t)
	want(t, "key_path", imported.Text("key_path"), keyPath)
	want(t, "file_name", imported.Text("file_name"), "stored.mp4")
	m.state = imported
	m.says(m.apply(), "The local file is assumed to be the imported one")
	want(t, "identity", m.identity(), keyPath)
	m.Provider(m.provider).AssertNoChanges(m.state, m.config)

	_, diags = p.ImportIdentity(resourceType, acctest.Attrs{"key_path": "promo.mp4"})
	if !strings.Contains(diags.String(), "The import id is not a key path") {
		t.Error(diags)
	}
}

func TestImportBlockWithIdentity(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1000)
	w.SkipBelow("import by identity", "1.12.0", "1.12.0")
	keyPath := w.server.Store(t)
	w.Config(fmt.Sprintf("resource \"vodlive_media_upload\" \"file\" {\n  source = \"media.mp4\"\n}\n"+
		"import {\n  to = %s\n  identity = { key_path = %q }\n}\n", address, keyPath))
	contains(t, w.apply(), "1 imported, 0 added, 1 changed, 0 destroyed")
	w.AssertNoChanges()
	want(t, "key_path", w.State()[address].Values["key_path"], keyPath)
}
