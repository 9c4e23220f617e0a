package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// ticks is the unit of times in /proc, the same on every Linux that Go runs on.
const ticks = time.Second / 100

func executable(pid int) string { return fmt.Sprintf("/proc/%d/exe", pid) }

func children(parent int) []int {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
	var pids []int
	for _, list := range lists {
		content, _ := os.ReadFile(list)
		for field := range strings.FieldsSeq(string(content)) {
			if pid, err := strconv.Atoi(field); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// look reads the peak of the resident size and the processor time of a process.
func look(pid int) (s sample, ok bool) {
	if s.memory = peak(pid); s.memory == 0 {
		return s, false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return s, false
	}
	// Behind the name, which may hold anything: state is field 3, user and system time are 14 and 15.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 13 {
		return s, false
	}
	for _, field := range fields[11:13] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return s, false
		}
		s.cpu += time.Duration(n) * ticks
	}
	return s, true
}

// peak is the largest resident size so far in bytes, 0 when there is no such process.
func peak(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	return field(string(status), "VmHWM:") << 10
}

// field is the number behind a name in a file of /proc, 0 without it.
func field(text, name string) int64 {
	_, rest, _ := strings.Cut(text, name)
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	n, _ := strconv.ParseInt(fields[0], 10, 64)
	return n
}

// exactCPU is the processor time of a process's living threads, to the nanosecond.
func exactCPU(pid int) time.Duration {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	var sum time.Duration
	for _, list := range lists {
		content, _ := os.ReadFile(list)
		if n, _, ok := strings.Cut(string(content), " "); ok {
			ns, _ := strconv.ParseInt(n, 10, 64)
			sum += time.Duration(ns)
		}
	}
	return sum
}

func processor() (model string, memory int64) {
	info, _ := os.ReadFile("/proc/cpuinfo")
	_, rest, _ := strings.Cut(string(info), "model name")
	model, _, _ = strings.Cut(strings.TrimLeft(rest, "\t :"), "\n")
	total, _ := os.ReadFile("/proc/meminfo")
	return model, field(string(total), "MemTotal:") << 10
}
