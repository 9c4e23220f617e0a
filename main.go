// Command terraform-provider-vodlive is a plugin of Terraform and OpenTofu, which start it.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/provider"
)

// version and commit are set by the release's linker flags.
var (
	version = "dev"
	commit  = ""
)

func main() {
	debug := flag.Bool("debug", false, "run the provider so that a debugger can be attached")
	flag.Parse()
	logged := true
	if !*debug { // with -debug, the log goes to the terminal and not through a CLI
		logged = false
		for name, level := range logLevels(os.Getenv) {
			if err := os.Setenv(name, level); err != nil {
				log.Fatal(err)
			}
			logged = logged || !strings.EqualFold(level, "OFF")
		}
	}

	build := version
	if commit != "" {
		build += "+" + commit
	}
	if err := provider.Serve(build, logged, *debug); err != nil {
		fmt.Fprintln(os.Stderr, err) // the standard logger is off
		os.Exit(1)
	}
}

// logLevels returns the variables with which the SDK logs only what the CLI shows, unless they are
// set already. By default the SDK logs at TRACE, and the CLI parses every line before it drops it,
// which takes more than half of the time of validating many resources.
func logLevels(getenv func(string) string) map[string]string {
	shown := cmp.Or(getenv("TF_LOG_PROVIDER"), getenv("TF_LOG"), "OFF")
	if strings.EqualFold(shown, "JSON") {
		shown = "TRACE"
	}
	sdk := cmp.Or(getenv("TF_LOG_SDK"), shown)
	return map[string]string{
		"TF_LOG_PROVIDER_VODLIVE": cmp.Or(getenv("TF_LOG_PROVIDER_VODLIVE"), shown),
		"TF_LOG_SDK":              sdk,
		"TF_LOG_SDK_PROTO":        cmp.Or(getenv("TF_LOG_SDK_PROTO"), sdk),
		"TF_LOG_SDK_FRAMEWORK":    cmp.Or(getenv("TF_LOG_SDK_FRAMEWORK"), sdk),
	}
}
