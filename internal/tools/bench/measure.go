package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// usage is what one run of a program took.
type usage struct {
	wall   time.Duration
	cpu    time.Duration // of the program and all that it started
	memory int64         // peak of resident memory in bytes, of the provider's process if there is one
}

// measure runs a command to its end. Peaks are read from /proc while it runs: the kernel's
// ru_maxrss begins with that of the parent.
func measure(cmd *exec.Cmd) (usage, error) {
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return usage{}, err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	// Looking takes processor time that is measured, too.
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	var own, provider int64
	for {
		select {
		case <-tick.C:
			own, provider = max(own, highWater(cmd.Process.Pid)), max(provider, providerMemory(cmd.Process.Pid))
		case err := <-done:
			u := usage{wall: time.Since(begin), memory: own}
			if err != nil {
				return u, fmt.Errorf("%s: %w\n%s", filepath.Base(cmd.Path), err, said.Bytes()[max(0, said.Len()-3000):])
			}
			if provider > 0 {
				u.memory = provider
			}
			u.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			return u, nil
		}
	}
}

// providerMemory is the largest peak of the providers that a process has started.
func providerMemory(pid int) (most int64) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		content, _ := os.ReadFile(list)
		for field := range strings.FieldsSeq(string(content)) {
			child, _ := strconv.Atoi(field)
			if program, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", child)); strings.HasPrefix(filepath.Base(program), "terraform-provider-") {
				most = max(most, highWater(child))
			}
		}
	}
	return most
}

// highWater is the peak of a process's resident memory in bytes.
func highWater(pid int) int64 {
	amount, _, _ := strings.Cut(procField(fmt.Sprintf("/proc/%d/status", pid), "VmHWM"), " ")
	kib, _ := strconv.ParseInt(amount, 10, 64)
	return kib << 10
}

// procField is the value of a line "name: value" of a file below /proc.
func procField(file, name string) string {
	content, _ := os.ReadFile(filepath.Clean(file))
	for line := range strings.Lines(string(content)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return "?"
}

// median is the run with the middle wall time.
func median(runs []usage) usage {
	sorted := slices.SortedFunc(slices.Values(runs), func(a, b usage) int { return cmp.Compare(a.wall, b.wall) })
	return sorted[len(sorted)/2]
}
