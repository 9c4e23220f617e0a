//go:build unix

package acctest

import (
	"os/exec"
	"syscall"
)

// setProcessGroup keeps an interrupt of the CLI from reaching the test, and the test's from
// reaching the CLI.
func setProcessGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
