package provider

import (
	"os"
	"time"
)

// exitAfterParent ends the process soon after the CLI that started it. A killed CLI does not stop
// its providers, and go-plugin would serve forever.
func exitAfterParent() {
	awaitParentEnd()
	// The running calls, which are cancelled with the connection of the CLI, save their results.
	<-time.After(2 * time.Second)
	os.Exit(1)
}
