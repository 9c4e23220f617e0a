//go:build unix

package credential_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
)

// TestFileTokenOfAPipe: it is not opened, because nobody may write to it.
func TestFileTokenOfAPipe(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := credential.FileToken(path, nil).Token(t.Context(), "")
	if want := "the path " + path + " is not a regular file, so it could not be read again"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
