//go:build !unix

package main

import (
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

// interrupt kills the CLI. On a terminal the CLI has received Ctrl-C before.
func interrupt(p *os.Process) error { return p.Kill() }
