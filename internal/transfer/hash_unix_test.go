//go:build unix

package transfer_test

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/digest"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// Opening a pipe that nobody writes to would wait for ever.
func TestPipeIsNotOpened(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	_, err := newEngine(&store{}).Hash(t.Context(), path, 0)
	var fe *transfer.FileError
	if !errors.As(err, &fe) || fe.Problem != digest.FileIsPipe {
		t.Errorf("error %v", err)
	}
}
