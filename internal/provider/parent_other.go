//go:build !windows

package provider

import (
	"os"
	"time"
)

// awaitParentEnd returns when the process that started this one has ended. It watches the parent's
// id, because no system call waits for that. Linux can send a signal, but does so when the thread
// that started this process ends.
func awaitParentEnd() {
	parent := os.Getppid()
	for range time.Tick(time.Second) {
		if os.Getppid() != parent {
			return
		}
	}
}
