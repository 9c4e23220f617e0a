package provider

import (
	"os"
	"runtime"
	"time"
)

// exitAfterParent ends the process soon after the CLI that started it. A killed CLI does not stop
// its providers, and go-plugin would serve forever.
func exitAfterParent() {
	awaitParentEnd()
	// The running calls, which are cancelled with the connection of the CLI, save their results. A
	// request that must not be repeated may wait four seconds for its response.
	<-time.After(5 * time.Second)
	os.Exit(1)
}

// awaitParentEnd returns when the process that started this one has ended. On Windows it waits for
// that process, and never returns if it cannot. Elsewhere it watches the parent's id, because no
// system call waits for that. Linux can send a signal, but does so when the thread that started
// this process ends.
func awaitParentEnd() {
	if runtime.GOOS == "windows" {
		if parent, err := os.FindProcess(os.Getppid()); err == nil {
			if _, err := parent.Wait(); err == nil {
				return
			}
		}
		select {}
	}
	parent := os.Getppid()
	for range time.Tick(time.Second) {
		if os.Getppid() != parent {
			return
		}
	}
}
