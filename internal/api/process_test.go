package api_test

import (
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// waitForFile returns the content of a file once another process has made it.
func waitForFile(t *testing.T, path string) string {
	t.Helper()
	var content []byte
	eventually(t, func() bool {
		var err error
		content, err = os.ReadFile(path)
		return err == nil
	})
	return string(content)
}

// waitForExit waits until a process is gone.
func waitForExit(t *testing.T, pid string) {
	t.Helper()
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	process, err := os.FindProcess(n)
	if err != nil {
		return
	}
	eventually(t, func() bool { return process.Signal(syscall.Signal(0)) != nil || zombie(pid) })
}

// zombie tells a process that has ended but that nobody has waited for.
func zombie(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return false
	}
	for i := len(stat) - 1; i > 1; i-- {
		if stat[i] == ')' {
			return i+2 < len(stat) && stat[i+2] == 'Z'
		}
	}
	return false
}

// eventually asks again and again what another process has come to.
func eventually(t *testing.T, happened func() bool) {
	t.Helper()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	deadline := time.After(20 * time.Second)
	for !happened() {
		select {
		case <-ticker.C:
		case <-deadline:
			t.Fatal("it did not happen within 20 s")
		}
	}
}
