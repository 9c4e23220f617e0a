//go:build unix

package credential

import (
	"os/exec"
	"syscall"
)

// killWhole makes stopping a command stop the processes that it started, too.
func killWhole(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
