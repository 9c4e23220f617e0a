package provider

import (
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/vodlive/terraform-provider-vodlive/internal/edge"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

// address is the full source address of the provider.
const address = "registry.terraform.io/vodlive/vodlive"

// Serve runs the provider as a plugin until the CLI stops it or has ended. With debug, it prints
// how to attach a CLI, and continues when the CLI has ended. See NewServer.
func Serve(version string, logged, debug bool) error {
	log.SetOutput(io.Discard) // net/http writes there what a server sends unasked, which may be secret
	var options []tf6server.ServeOpt
	if debug {
		options = append(options, tf6server.WithManagedDebug())
	} else {
		go exitAfterParent()
		// The CLI gets the signal, too, and tells the provider to stop. A signal to the process
		// group, as of timeout and systemd, must not end the provider before that: it saves what it
		// has made.
		signal.Notify(make(chan os.Signal, 1), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	}
	server := NewServer(version, Machine{Env: os.LookupEnv}, logged)
	return tf6server.Serve(address, func() tfprotov6.ProviderServer { return server }, options...)
}

// NewServer returns the provider as a protocol server. logged says that the SDK gets loggers.
func NewServer(version string, machine Machine, logged bool) tfprotov6.ProviderServer {
	p := &vodlive{version: version, machine: machine, redactor: redact.New()}
	return edge.New(p, p.redactor, logged)
}

// Schemas returns those of every provider, which are made once.
var Schemas = sync.OnceValue(func() *tfprotov6.GetProviderSchemaResponse {
	all, err := providerserver.NewProtocol6(&vodlive{})().GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil { // the framework never has one
		panic(err)
	}
	return all
})

// exitAfterParent ends the process soon after the CLI that started it. A killed CLI does not stop
// its providers, and go-plugin would serve forever.
func exitAfterParent() {
	parent := os.Getppid()
	if runtime.GOOS == "windows" { // where a process keeps the id of a parent that has ended
		if cli, err := os.FindProcess(parent); err == nil {
			_, _ = cli.Wait()
		}
	} else {
		for os.Getppid() == parent {
			time.Sleep(time.Second) //nolint:forbidigo // nothing tells of the end of another process
		}
	}
	// The running calls, which are cancelled with the connection of the CLI, save their results. A
	// request that must not be repeated may wait four seconds for its response.
	time.Sleep(5 * time.Second) //nolint:forbidigo // nothing is left that could be waited for
	os.Exit(1)
}
