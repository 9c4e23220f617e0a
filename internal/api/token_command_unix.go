//go:build unix

package api

import (
	"os/exec"
	"syscall"
)

// killWhole makes stopping a command stop the programs that it started too.
func killWhole(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
