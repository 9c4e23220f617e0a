package acctest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// KillProvider kills the provider process that the CLI has started, with SIGKILL.
func (p *Process) KillProvider() {
	p.tb.Helper()
	p.SignalProvider(syscall.SIGKILL)
}

// SignalProvider sends a signal to the provider process that the CLI has started, and not to the
// CLI.
func (p *Process) SignalProvider(signal syscall.Signal) {
	p.tb.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		p.tb.Fatal(err)
	}
	for _, name := range stats {
		content, err := os.ReadFile(name)
		if err != nil {
			continue // the process ended
		}
		// pid (comm) state ppid ...; comm is cut off after 15 bytes and may hold anything.
		end := bytes.LastIndexByte(content, ')')
		fields := strings.Fields(string(content[end+1:]))
		if len(fields) < 2 || fields[1] != fmt.Sprint(p.Pid()) || !bytes.Contains(content[:end], []byte("terraform-provi")) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err != nil {
			p.tb.Fatal(err)
		}
		if err := syscall.Kill(pid, signal); err != nil {
			p.tb.Fatal(err)
		}
		return
	}
	p.tb.Fatal("the CLI runs no provider")
}
