//go:build !windows

package provider

import (
	"os"
	"time"
)

// awaitParentEnd returns when the process that started this one has ended: another process then becomes the parent.
// No system call waits for that. Linux has a signal for it, but sends it when the thread that started the process ends.
func awaitParentEnd() {
	parent := os.Getppid()
	for range time.Tick(time.Second) {
		if os.Getppid() != parent {
			return
		}
	}
}
