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
	wall     time.Duration
	cpu      time.Duration // of the program and all that it started
	memory   int64         // peak of resident memory in bytes, of the provider's process if there is one
	provider time.Duration // processor time of provider processes, to 10 ms
}

// measure runs a command to its end. Peaks are read from /proc while it runs: the kernel's
// ru_maxrss begins with that of the parent.
func measure(cmd *exec.Cmd) (usage, error) {
	var said bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &said
	}
	cmd.Stderr = &said
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return usage{}, err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	// Looking takes processor time that is measured, too.
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	var own int64
	providers := map[int]usage{}
	for {
		select {
		case <-tick.C:
			own = max(own, highWater(cmd.Process.Pid))
			for _, pid := range children(cmd.Process.Pid) {
				if exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); strings.HasPrefix(filepath.Base(exe), "terraform-provider-") {
					providers[pid] = usage{memory: highWater(pid), cpu: processorTime(pid)}
				}
			}
		case err := <-done:
			u := usage{wall: time.Since(begin), memory: own}
			if err != nil {
				return u, fmt.Errorf("%s: %w\n%s", filepath.Base(cmd.Path), err, said.Bytes()[max(0, said.Len()-3000):])
			}
			u.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			if len(providers) > 0 {
				u.memory = 0
			}
			for _, p := range providers {
				u.memory, u.provider = max(u.memory, p.memory), u.provider+p.cpu
			}
			return u, nil
		}
	}
}

func children(pid int) (pids []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		content, _ := os.ReadFile(list)
		for field := range strings.FieldsSeq(string(content)) {
			if child, err := strconv.Atoi(field); err == nil {
				pids = append(append(pids, child), children(child)...)
			}
		}
	}
	return pids
}

func highWater(pid int) int64 {
	content, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(content)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "VmHWM:" {
			kib, _ := strconv.ParseInt(f[1], 10, 64)
			return kib << 10
		}
	}
	return 0
}

// processorTime is utime and stime of proc(5), in ticks of 10 ms.
func processorTime(pid int) time.Duration {
	content, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(content), ") ") // a name may hold blanks
	f := strings.Fields(rest)
	if len(f) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(f[11], 10, 64)
	system, _ := strconv.ParseInt(f[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond
}

// median takes the middle of each figure by itself.
func median(runs []usage) usage {
	return usage{
		wall:     middle(runs, func(u usage) time.Duration { return u.wall }),
		cpu:      middle(runs, func(u usage) time.Duration { return u.cpu }),
		memory:   middle(runs, func(u usage) int64 { return u.memory }),
		provider: middle(runs, func(u usage) time.Duration { return u.provider }),
	}
}

func middle[R any, T cmp.Ordered](runs []R, of func(R) T) T {
	var values []T
	for _, r := range runs {
		values = append(values, of(r))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// repeat measures several times and takes the median.
func (b *bench) repeat(once func() (usage, error)) (usage, error) {
	var runs []usage
	for range b.runs {
		u, err := once()
		if err != nil {
			return u, err
		}
		runs = append(runs, u)
	}
	return median(runs), nil
}
