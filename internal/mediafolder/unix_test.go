//go:build unix

package mediafolder_test

import (
	"os"
	"syscall"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestPipesAndDevices: each is named, and none of them is read.
func TestPipesAndDevices(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a.mp4")
	if err := syscall.Mkfifo(w.path("pipe.mp4"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, device := range map[string]string{"null.mp4": "/dev/null", "endless.mp4": "/dev/zero"} {
		if err := os.Symlink(device, w.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	pl := w.plan()
	says(t, pl.Diags, w.path("pipe.mp4")+" is a pipe, not a file", w.path("null.mp4")+" is a device, not a file", w.path("endless.mp4")+" is a device, not a file")
	want(t, "calls", w.Counts(), map[string]int{})

	w.config["exclude"] = []string{"{pipe,null,endless}.mp4"}
	w.mustApply()
	want(t, "files", w.names(), []string{"a.mp4"})
	want(t, "PUTs", w.Count(simulator.CallPutObject), 1)
}
