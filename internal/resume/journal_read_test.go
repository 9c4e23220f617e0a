package resume

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/regularfile"
)

// TestJournalThatCannotBeRead has reading fail, which must not pass for a journal without files.
func TestJournalThatCannotBeRead(t *testing.T) {
	t.Parallel()
	file, err := os.Create(filepath.Join(t.TempDir(), "journal"))
	if err != nil {
		t.Fatal(err)
	}
	_ = file.Close()
	j := &Journal{file: regularfile.Hook(nil).File(file)}
	if usable, err := j.read(); err == nil {
		t.Errorf("no error; usable: %t", usable)
	}
}
