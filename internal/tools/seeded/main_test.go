package main

import (
	"path/filepath"
	"runtime"
	"testing"
)

// TestChangesFit: the standard library of this Go has the lines that change.
func TestChangesFit(t *testing.T) {
	t.Parallel()
	files, err := changed(filepath.Join(runtime.GOROOT(), "src")) //nolint:staticcheck // the Go that has built this test
	if err != nil || len(files) == 0 {
		t.Error(err)
	}
}
