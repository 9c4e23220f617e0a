// Command cmd runs the simulated service in the foreground, on loopback only, and prints the
// environment variables for a configuration. It ends on SIGINT or SIGTERM.
//
// GET /_simulator/report on the same address returns what the service has received, as JSON.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "simulator:", err)
		os.Exit(1)
	}
}

const usage = `Runs the simulated service in the foreground and prints the environment variables for a configuration.
Ctrl-C ends it. GET /_simulator/report shows what it has received. Durations are such as 1m30s.

`

type settings struct {
	listen   string
	sessions int
	options  simulator.Options
}

func parse(args []string, stderr io.Writer) (settings, error) {
	var c settings
	flags := flag.NewFlagSet("simulator", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	flags.StringVar(&c.listen, "listen", "127.0.0.1:8080", "loopback `address` to listen on; port 0 chooses a free port")
	flags.IntVar(&c.sessions, "sessions", 0, "`number` of live sessions at the start")
	flags.DurationVar(&c.options.ReadyAfter, "ready-after", 5*time.Second, "time from the creation of a session to READY; with 0, each read advances the status")
	flags.BoolVar(&c.options.LateAllocation, "late-allocation", false, "show endpoints, addresses and ports only from ALLOCATED on; those of a scheduled session are always late")
	flags.DurationVar(&c.options.ListAfter, "list-after", 0, "time from the creation of a session until the listing shows it")
	flags.DurationVar(&c.options.GetAfter, "get-after", 0, "time from the creation of a session until GET shows it")
	flags.DurationVar(&c.options.Latency, "latency", 0, "minimum duration of each call")
	flags.DurationVar(&c.options.PresignLifetime, "presign-lifetime", 15*time.Minute, "lifetime of presigned URLs")
	flags.BoolVar(&c.options.DiscardContent, "discard-content", false, "keep no parts in memory, and compute no SHA-256")
	if err := flags.Parse(args); err != nil {
		return c, err
	}
	if flags.NArg() > 0 {
		return c, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return c, loopback(c.listen)
}

// loopback rejects an address that others could reach, because the credentials are public.
func loopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("%q is not a loopback address; the simulator listens on loopback only", address)
	}
	return nil
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	c, err := parse(args, stderr)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.listen)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%w: another program listens there. Stop it, or choose another address: make simulator ARGS='-listen 127.0.0.1:0' takes a free port", err)
	}
	if err != nil {
		return err
	}
	if addr, ok := listener.Addr().(*net.TCPAddr); !ok || !addr.IP.IsLoopback() {
		return errors.Join(fmt.Errorf("%s is not a loopback address", listener.Addr()), listener.Close())
	}
	service := simulator.New(c.options)
	for i := range c.sessions {
		service.AddSession(simulator.SessionRecord{Name: fmt.Sprintf("preloaded-%05d", i)})
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /_simulator/report", service.ServeReport)
	mux.Handle("/", service)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 30 * time.Second}
	serving := make(chan error, 1)
	go func() { serving <- server.Serve(listener) }()
	if err := printExports(stdout, "http://"+listener.Addr().String()); err != nil {
		return errors.Join(err, server.Close(), service.Close())
	}
	select {
	case err = <-serving:
	case <-ctx.Done():
		err = nil
	}
	return errors.Join(err, service.Close(), server.Close())
}

func printExports(w io.Writer, base string) error {
	_, err := fmt.Fprintf(w, `export VODLIVE_BASE_URL=%s
export VODLIVE_VOD_BASE_URL=%s
export VODLIVE_ACCESS_TOKEN_ID=%s
export VODLIVE_SECRET_KEY=%s
export VODLIVE_ID_TOKEN=%s
`, base, base, simulator.DefaultAccessTokenID, simulator.DefaultSecretKey, simulator.DefaultIDToken)
	return err
}
