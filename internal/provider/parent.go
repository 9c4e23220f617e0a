package provider

import (
	"os"
	"time"
)

// saveTime is how long calls under way have to save what they know, such as the record of an upload, when the CLI is
// gone. They are cancelled at once, with the CLI's connection.
const saveTime = 2 * time.Second

// exitAfterParent ends the process soon after the process that started it. The CLI ends its providers by a call; a CLI
// that was killed does not, and go-plugin keeps serving without any client.
func exitAfterParent() {
	awaitParentEnd()
	<-time.After(saveTime)
	os.Exit(1)
}
