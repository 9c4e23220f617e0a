package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// report is what a run found: tables in Markdown, printed as they come, and the series of the charts.
type report struct {
	machine string
	tables  []string
	files   []series
	goodput []group
}

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
			row[i] = fmt.Sprintf("%.0f MiB", float64(v)/(1<<20))
		case float64:
			row[i] = fmt.Sprintf("%.2f", v)
		default:
			row[i] = fmt.Sprint(c)
		}
	}
	t.rows = append(t.rows, row)
}

func (r *report) add(t table) {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n", t.title)
	if t.text != "" {
		b.WriteString(t.text + "\n\n")
	}
	line := func(cells []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	line(t.head)
	b.WriteString("|---" + strings.Repeat("|--:", len(t.head)-1) + "|\n")
	for _, row := range t.rows {
		line(row)
	}
	fmt.Print("\n", b.String())
	r.tables = append(r.tables, b.String())
}

func (r *report) write(dir string) error {
	page := "# Results of `make bench`\n\n" + r.machine + "\n\n![Time over number of files, goodput of long lines](files.svg)\n\n" + strings.Join(r.tables, "\n")
	if err := os.WriteFile(filepath.Join(dir, "results.md"), []byte(page), 0o600); err != nil {
		return err
	}
	return drawCharts(filepath.Join(dir, "files.svg"), r.files, r.goodput)
}

// describe says what the figures depend on: no host, no path.
func describe(ctx context.Context, cli string) (string, error) {
	out, err := exec.CommandContext(ctx, cli, "version").Output()
	if err != nil {
		return "", fmt.Errorf("the CLI does not run: %w", err)
	}
	version, _, _ := strings.Cut(string(out), "\n")
	field := func(file, name string) string {
		content, _ := os.ReadFile(file)
		for line := range strings.Lines(string(content)) {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
				return strings.TrimSpace(value)
			}
		}
		return "?"
	}
	load, _ := os.ReadFile("/proc/loadavg")
	return fmt.Sprintf("Taken on %s: %d cores (%s), %s of memory, %s/%s, %s, %s; load average %s when the run began.",
		time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(), field("/proc/cpuinfo", "model name"), field("/proc/meminfo", "MemTotal"),
		runtime.GOOS, runtime.GOARCH, runtime.Version(), version, strings.Fields(string(load) + " ?")[0]), nil
}
