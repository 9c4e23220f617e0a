package provider

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// startOf returns when a process was started, "" if that is not known.
func startOf(pid int) string {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return ""
	}
	started := info.Proc.P_starttime
	return fmt.Sprintf("%d.%06d", started.Sec, started.Usec)
}
