//go:build !darwin && !windows

package provider

import (
	"fmt"
	"strings"
)

// startOf returns when a process was started, "" if that is not known.
func startOf(pid int) string {
	const statLimit = 4 << 10 // bytes
	content, _ := readSome(fmt.Sprintf("/proc/%d/stat", pid), statLimit)
	_, after, _ := strings.Cut(string(content), ") ") // the name may have spaces
	const started = 19                                // of what follows the name: see proc(5), field 22
	if fields := strings.Fields(after); len(fields) > started {
		return fields[started]
	}
	return ""
}
