//go:build !unix

package main

import (
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

// interrupt can only kill here. On a terminal the CLI has had the interrupt before.
func interrupt(p *os.Process) error { return p.Kill() }
