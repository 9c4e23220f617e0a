package provider

import "os"

// awaitParentEnd returns when the process that started this one has ended. It never returns if that cannot be known.
func awaitParentEnd() {
	if parent, err := os.FindProcess(os.Getppid()); err == nil {
		if _, err := parent.Wait(); err == nil {
			return
		}
	}
	select {}
}
