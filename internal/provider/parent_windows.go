package provider

import "os"

// awaitParentEnd returns when the process that started this one has ended. It never returns if it
// cannot watch that process.
func awaitParentEnd() {
	if parent, err := os.FindProcess(os.Getppid()); err == nil {
		if _, err := parent.Wait(); err == nil {
			return
		}
	}
	select {}
}
