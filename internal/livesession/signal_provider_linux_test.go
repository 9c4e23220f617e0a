package livesession_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestSignalToTheProviderWithTheCLI sends a signal to the provider alone, as a terminal that closes
// may: SIGHUP is as SIGTERM. Only the CLI ends the provider, so the apply ends well.
func TestSignalToTheProviderWithTheCLI(t *testing.T) {
	t.Parallel()
	for name, signal := range map[string]syscall.Signal{"SIGHUP": syscall.SIGHUP, "SIGTERM": syscall.SIGTERM, "SIGINT": syscall.SIGINT} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.Start(t, simulator.Options{})
			cli := acctest.NewCLI(t, s)
			cli.Config(pushPull())
			arrived, release := hold(t, s, simulator.CallCreateSession)
			p := cli.Start("apply", "-auto-approve")
			p.Until(arrived)
			must.Succeed(t, syscall.Kill(providerOf(t, p), signal))
			time.AfterFunc(time.Second, release)
			r := p.Wait()
			if checkOneSession(t, s, cli, false); r.Code != 0 {
				t.Error(r.Output)
			}
		})
	}
}

// providerOf returns the id of the provider process that a CLI has started.
func providerOf(t *testing.T, cli *acctest.Process) int {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	must.Succeed(t, err)
	for _, name := range stats {
		content, err := os.ReadFile(name)
		if err != nil {
			continue // the process ended
		}
		// pid (comm) state ppid ...; comm is cut off after 15 bytes and may hold anything.
		end := bytes.LastIndexByte(content, ')')
		fields := strings.Fields(string(content[end+1:]))
		if len(fields) < 2 || fields[1] != fmt.Sprint(cli.Pid()) || !bytes.Contains(content[:end], []byte("terraform-provi")) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		must.Succeed(t, err)
		return pid
	}
	t.Fatal("the CLI runs no provider")
	return 0
}
