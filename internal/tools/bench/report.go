package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// table starts with a heading, what was done, and the names of its columns.
type table struct {
	title, text string
	head        []string
	rows        [][]string
}

func (t *table) add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		switch v := c.(type) {
		case time.Duration:
			row[i] = fmt.Sprintf("%.2f s", v.Seconds())
		case int64:
			row[i] = fmt.Sprintf("%.0f MiB", float64(v)/float64(mebibyte))
		case float64:
			row[i] = fmt.Sprintf("%.2f", v)
		default:
			row[i] = fmt.Sprint(c)
		}
	}
	t.rows = append(t.rows, row)
}

// print prints the table in Markdown.
func (t *table) print() {
	fmt.Printf("\n## %s\n\n%s\n\n", t.title, t.text)
	line := func(cells []string) { fmt.Printf("| %s |\n", strings.Join(cells, " | ")) }
	line(t.head)
	fmt.Println("|---" + strings.Repeat("|--:", len(t.head)-1) + "|")
	for _, row := range t.rows {
		line(row)
	}
}

// machine says what the figures depend on: no host, no path.
func machine(ctx context.Context, cli string) (string, error) {
	out, err := exec.CommandContext(ctx, cli, "version").Output()
	if err != nil {
		return "", fmt.Errorf("the CLI does not run: %w", err)
	}
	version, _, _ := strings.Cut(string(out), "\n")
	load, _ := os.ReadFile("/proc/loadavg")
	return fmt.Sprintf("Taken on %s: %d cores (%s), %s of memory, %s/%s, %s, %s; load average %s before.",
		time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(), procField("/proc/cpuinfo", "model name"), procField("/proc/meminfo", "MemTotal"),
		runtime.GOOS, runtime.GOARCH, runtime.Version(), version, strings.Fields(string(load) + " ?")[0]), nil
}
