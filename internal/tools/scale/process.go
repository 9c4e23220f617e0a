package main

import (
	"cmp"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"
)

// usage is what processes took.
type usage struct {
	// Wall is from start to end.
	Wall time.Duration `json:"wall_ns"`
	// CPU is processor time: of the program and everything that it started and waited for.
	CPU time.Duration `json:"cpu_ns"`
	// Memory is the largest resident size that a provider's process reached, in bytes; 0 where the system does not tell.
	Memory int64 `json:"provider_memory_bytes"`
	// ProviderCPU is the processor time of all provider processes together, to 10 ms and without their last moments.
	ProviderCPU time.Duration `json:"provider_cpu_ns"`
}

// own is the processor time of the CLI itself.
func (u usage) own() time.Duration { return max(u.CPU-u.ProviderCPU, 0) }

// run runs a command that starts providers, and observes them.
func run(cmd *exec.Cmd, provider string) (usage, error) {
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return usage{}, err
	}
	o := observe(cmd.Process.Pid, provider)
	err := cmd.Wait()
	u := usage{Wall: time.Since(begin)}
	o.stop()
	if state := cmd.ProcessState; state != nil {
		u.CPU = state.UserTime() + state.SystemTime()
	}
	for _, p := range o.seen {
		u.Memory = max(u.Memory, p.memory)
		u.ProviderCPU += p.cpu
	}
	return u, err
}

// observer looks at the provider processes of a CLI every few milliseconds: what they reached shows only while they live.
type observer struct {
	parent  int
	program string
	seen    map[int]sample // read after stop
	quit    chan struct{}
	group   sync.WaitGroup
}

// sample is what one process has taken so far.
type sample struct {
	memory int64
	cpu    time.Duration
}

const observeEvery = 20 * time.Millisecond

func observe(parent int, program string) *observer {
	o := &observer{parent: parent, program: program, seen: map[int]sample{}, quit: make(chan struct{})}
	o.group.Go(func() {
		tick := time.NewTicker(observeEvery)
		defer tick.Stop()
		for {
			for _, pid := range children(o.parent) {
				if target, err := os.Readlink(executable(pid)); err == nil && target == o.program {
					if s, ok := look(pid); ok {
						o.seen[pid] = s
					}
				}
			}
			select {
			case <-o.quit:
				return
			case <-tick.C:
			}
		}
	})
	return o
}

func (o *observer) stop() {
	close(o.quit)
	o.group.Wait()
}

// median is the middle of the values, which are left in their order.
func median[T cmp.Ordered](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
