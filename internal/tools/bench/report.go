package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// report is what the parts found when they last ran as a whole, by name.
type report map[string]*result

// result is what one part found: tables in Markdown, printed as they come.
type result struct {
	Machine string
	Tables  []string
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

func (r *result) add(t table) {
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
	r.Tables = append(r.Tables, b.String())
}

// readReport reads what write has kept.
func readReport(file string) (r report, err error) {
	kept, err := os.ReadFile(filepath.Clean(file))
	if errors.Is(err, os.ErrNotExist) {
		return report{}, nil
	}
	if err == nil {
		err = json.Unmarshal(kept, &r)
	}
	return r, err
}

// write keeps the results in a file, and once there are those of all parts, it makes the page of
// them.
func (r report) write(file, dir string) error {
	kept, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, kept, 0o600); err != nil {
		return err
	}
	var page strings.Builder
	page.WriteString("# Results of `make bench`\n")
	for _, p := range parts {
		found := r[p.name]
		if found == nil {
			return nil
		}
		fmt.Fprintf(&page, "\n%s\n%s\n", strings.Join(found.Tables, "\n"), found.Machine)
	}
	return os.WriteFile(filepath.Join(dir, "results.md"), []byte(page.String()), 0o600)
}

// newResult says what the figures depend on: no host, no path.
func newResult(ctx context.Context, cli string) (*result, error) {
	out, err := exec.CommandContext(ctx, cli, "version").Output()
	if err != nil {
		return nil, fmt.Errorf("the CLI does not run: %w", err)
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
	return &result{Machine: fmt.Sprintf("Taken on %s: %d cores (%s), %s of memory, %s/%s, %s, %s; load average %s before.",
		time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(), field("/proc/cpuinfo", "model name"), field("/proc/meminfo", "MemTotal"),
		runtime.GOOS, runtime.GOARCH, runtime.Version(), version, strings.Fields(string(load) + " ?")[0])}, nil
}
