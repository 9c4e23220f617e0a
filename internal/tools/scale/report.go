package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// report is what a run found: printed as it goes, written as Markdown, JSON and plots at the end.
type report struct {
	Machine  machine    `json:"machine"`
	Sections []*section `json:"sections"`
}

// machine describes what the figures depend on. It names no host and no path.
type machine struct {
	Cores  int    `json:"cores"`
	CPU    string `json:"cpu"`
	Memory int64  `json:"memory_bytes"`
	System string `json:"system"`
	Go     string `json:"go"`
	CLI    string `json:"cli"`
	Load   string `json:"load_average,omitempty"` // when the run began: whether it had the machine to itself
}

func thisMachine(cliVersion string) machine {
	m := machine{Cores: runtime.NumCPU(), System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(), CLI: cliVersion}
	m.CPU, m.Memory = processor()
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		m.Load = strings.Join(strings.Fields(string(load))[:1], "")
	}
	return m
}

// target is a figure that issue or design set a limit to.
type target struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Limit float64 `json:"limit"`
	Met   bool    `json:"met"`
}

// section is one part of the report.
type section struct {
	Part    string   `json:"part"`
	Title   string   `json:"title"`
	Text    []string `json:"text,omitempty"`
	Targets []target `json:"targets,omitempty"`
	Table   table    `json:"table"`
	Plots   []string `json:"plots,omitempty"`
	Data    any      `json:"data"`
}

type table struct {
	Head []string   `json:"head"`
	Rows [][]string `json:"rows"`
}

func (t *table) add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = fmt.Sprint(c)
	}
	t.Rows = append(t.Rows, row)
}

// measure notes a figure against its limit.
func (s *section) measure(name string, value, limit float64) {
	t := target{Name: name, Value: value, Limit: limit, Met: value <= limit}
	s.Targets = append(s.Targets, t)
	fmt.Printf("  %s  %s: %s (at most %s)\n", t.verdict(), name, number(value), number(limit))
}

func (t target) verdict() string {
	if t.Met {
		return "met "
	}
	return "MISS"
}

// text is the table for a terminal.
func (t *table) text() string {
	widths := make([]int, len(t.Head))
	rows := append([][]string{t.Head}, t.Rows...)
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		b.WriteString(" ")
		for i, cell := range row {
			fmt.Fprintf(&b, " %-*s ", widths[i], cell)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func (t *table) markdown() string {
	var b strings.Builder
	line := func(row []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | ")) }
	line(t.Head)
	line(append([]string{"---"}, strings.Split(strings.Repeat("---: ", len(t.Head)-1), " ")[:len(t.Head)-1]...))
	for _, row := range t.Rows {
		line(row)
	}
	return b.String()
}

func (r *report) markdown() string {
	var b strings.Builder
	b.WriteString("# Scale: figures of `make bench-scale`\n\n")
	m := r.Machine
	fmt.Fprintf(&b, "Measured on %d cores (%s), %s of memory, %s, %s, %s", m.Cores, m.CPU, mebibytes(m.Memory), m.System, m.Go, m.CLI)
	if m.Load != "" {
		fmt.Fprintf(&b, "; the load average was %s when the run began", m.Load)
	}
	b.WriteString(".\n\n## Targets\n\n")
	t := table{Head: []string{"figure", "measured", "at most", ""}}
	for _, item := range r.targets() {
		met := "met"
		if !item.Met {
			met = "**missed**"
		}
		t.add(item.Name, number(item.Value), number(item.Limit), met)
	}
	b.WriteString(t.markdown())
	for _, s := range r.Sections {
		fmt.Fprintf(&b, "\n## %s\n\n", s.Title)
		for _, text := range s.Text {
			fmt.Fprintf(&b, "%s\n\n", text)
		}
		b.WriteString(s.Table.markdown())
		for _, plot := range s.Plots {
			fmt.Fprintf(&b, "\n![%s](%s)\n", s.Title, plot)
		}
	}
	b.WriteString(profiles)
	return b.String()
}

const profiles = `
## Profiles

A load on the provider alone, in a process of its own, the simulated service in another; without gRPC and the CLI:

    cd internal/tools/scale
    go run . -drive refresh -n 1000 -account 1000 -cpuprofile cpu.out -memprofile mem.out
    go tool pprof -top -cum cpu.out
    go tool pprof -sample_index=alloc_space -top mem.out

The loads are schema, validate, refresh, plan and upload. What packages do before main shows with GODEBUG=inittrace=1
on the provider's binary.
`

// write writes the report's files. Parts that this run left out stay as the run before had them.
func (r *report) write(dir string) error {
	var before report
	if content, err := os.ReadFile(filepath.Join(dir, "scale.json")); err == nil {
		if err := json.Unmarshal(content, &before); err != nil {
			return fmt.Errorf("the figures of the run before: %w", err)
		}
	}
	made := r.Sections
	r.Sections = nil
	for _, p := range parts {
		for _, list := range [][]*section{made, before.Sections} {
			if i := slices.IndexFunc(list, func(s *section) bool { return s.Part == p.name }); i >= 0 {
				r.Sections = append(r.Sections, list[i])
				break
			}
		}
	}
	content, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "scale.json"), append(content, '\n'), 0o600),
		os.WriteFile(filepath.Join(dir, "scale.md"), []byte(r.markdown()), 0o600),
	)
}

func (r *report) targets() (all []target) {
	for _, s := range r.Sections {
		all = append(all, s.Targets...)
	}
	return all
}

// number is a figure with three digits, or all of a whole number.
func number(v float64) string {
	if v == float64(int64(v)) {
		return fmt.Sprint(int64(v))
	}
	return fmt.Sprintf("%.3g", v)
}

func mebibytes(n int64) string {
	switch {
	case n == 0:
		return "–"
	case n >= 10<<30:
		return fmt.Sprintf("%.0f GiB", float64(n)/(1<<30))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}
