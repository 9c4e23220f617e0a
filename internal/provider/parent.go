package provider

import (
	"os"
	"time"
)

// saveTime is how long running calls have to save their results, such as the record of an upload,
// when the CLI has ended. They are cancelled at once, with the connection of the CLI.
const saveTime = 2 * time.Second

// exitAfterParent ends the process soon after the CLI that started it. A killed CLI does not stop
// its providers, and go-plugin would serve forever.
func exitAfterParent() {
	awaitParentEnd()
	<-time.After(saveTime)
	os.Exit(1)
}
