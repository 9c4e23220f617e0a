//go:build !unix

package credential

import "os/exec"

// killWhole does nothing: the processes that a stopped command started go on.
func killWhole(*exec.Cmd) {}
