package mediaupload_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

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
