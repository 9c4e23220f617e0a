package mediaupload_test

import (
	"fmt"
	"testing"
)

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
