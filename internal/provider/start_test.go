package provider

import (
	"os"
	"runtime"
	"slices"
	"testing"
)

// TestStartOf: a process has the same start whenever it is asked for, and none that is not there.
func TestStartOf(t *testing.T) {
	t.Parallel()
	if told := slices.Contains([]string{"linux", "darwin", "windows"}, runtime.GOOS); (startOf(os.Getpid()) != "") != told {
		t.Errorf("this process was started at %q", startOf(os.Getpid()))
	}
	if first, second := startOf(os.Getppid()), startOf(os.Getppid()); first != second {
		t.Errorf("the parent was started at %q and %q", first, second)
	}
	const none = 1 << 30
	if started := startOf(none); started != "" {
		t.Errorf("no process was started at %q", started)
	}
}
