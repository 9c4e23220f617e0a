//go:build !linux

package acctest

import "syscall"

// KillProvider kills the provider process that the CLI has started. How to find it is known for
// Linux only.
func (p *Process) KillProvider() {
	p.tb.Helper()
	p.tb.Skip("finding the provider's process is written for Linux only")
}

// SignalProvider sends a signal to the provider process.
func (p *Process) SignalProvider(syscall.Signal) {
	p.tb.Helper()
	p.tb.Skip("finding the provider's process is written for Linux only")
}
