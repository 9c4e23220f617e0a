// Command terraform-provider-vodlive is a plugin that Terraform and OpenTofu start; it is not run by hand.
package main

import (
	"cmp"
	"flag"
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
	logs := provider.Logged
	if !*debug { // then nothing stands between the log and who started it
		logs = provider.Unlogged
		for name, level := range logLevels(os.Getenv) {
			if err := os.Setenv(name, level); err != nil {
				log.Fatal(err)
			}
			if !strings.EqualFold(level, "OFF") {
				logs = provider.Logged
			}
		}
	}

	build := version
	if commit != "" {
		build += "+" + commit
	}
	if err := provider.Serve(build, logs, *debug); err != nil {
		log.Fatal(err)
	}
}

// logLevels are the variables that make the SDK log what the CLI will show, and no more. Without them it logs every
// step at TRACE, and the CLI parses each line before it drops it: more than half of what validating many resources
// takes. What is set already stays.
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
