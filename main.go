// Command terraform-provider-vodlive is a plugin that Terraform and OpenTofu start; it is not run by hand.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

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

	build := version
	if commit != "" {
		build += "+" + commit
	}
	err := providerserver.Serve(context.Background(), provider.New(build), providerserver.ServeOpts{
		Address: "registry.terraform.io/vodlive/vodlive",
		Debug:   *debug,
	})
	if err != nil {
		log.Fatal(err)
	}
}
