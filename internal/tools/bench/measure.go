package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// usage is what one run took.
type usage struct {
	Wall float64 `json:"wall_s"`
	CPU  float64 `json:"cpu_s"`
	Peak float64 `json:"peak_mib"` // resident memory, of the process that does the work
}

// measure runs a command to its end. With provider, the peak is that of the
// provider's process below the CLI.
func measure(ctx context.Context, cmd *exec.Cmd, provider bool) (usage, error) {
	var said bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &said
	}
	cmd.Stderr = &said
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return usage{}, err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	// Not the kernel's ru_maxrss: a child starts with that of its parent.
	peak := 0.0
	every := 5 * time.Millisecond
	if provider { // to find the CLI's children takes a while, of the processor that is measured
		every = 50 * time.Millisecond
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			wall := time.Since(start)
			if err != nil {
				return usage{}, fmt.Errorf("%w\n%s", err, said.String())
			}
			cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			return usage{Wall: wall.Seconds(), CPU: cpu.Seconds(), Peak: peak}, ctx.Err()
		case <-tick.C:
			peak = max(peak, peakOf(cmd.Process.Pid, provider))
		}
	}
}

// peakOf is the largest resident memory a process has had, in MiB.
func peakOf(pid int, provider bool) float64 {
	if !provider {
		return highWater(pid)
	}
	peak := 0.0
	for _, child := range children(pid) {
		exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", child))
		if strings.HasPrefix(filepath.Base(exe), "terraform-provider-") {
			peak = max(peak, highWater(child))
		}
		peak = max(peak, peakOf(child, true))
	}
	return peak
}

func children(pid int) []int {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	var pids []int
	for _, list := range lists {
		b, _ := os.ReadFile(list)
		for f := range strings.FieldsSeq(string(b)) {
			if n, err := strconv.Atoi(f); err == nil {
				pids = append(pids, n)
			}
		}
	}
	return pids
}

func highWater(pid int) float64 {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "VmHWM:" {
			kib, _ := strconv.ParseFloat(f[1], 64)
			return kib / 1024
		}
	}
	return 0
}

func median(runs []usage) usage {
	of := func(value func(usage) float64) float64 {
		var v []float64
		for _, r := range runs {
			v = append(v, value(r))
		}
		slices.Sort(v)
		if n := len(v); n%2 == 1 {
			return v[n/2]
		} else if n > 0 {
			return (v[n/2-1] + v[n/2]) / 2
		}
		return 0
	}
	return usage{
		Wall: of(func(u usage) float64 { return u.Wall }),
		CPU:  of(func(u usage) float64 { return u.CPU }),
		Peak: of(func(u usage) float64 { return u.Peak }),
	}
}
