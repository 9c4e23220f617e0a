package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

// report is what a run found.
type report struct {
	Machine machine `json:"machine"`
	Date    string  `json:"date"`
	Rounds  int     `json:"rounds"`
	Tables  []table `json:"tables"`
}

// machine says what the figures were taken on: no name, no path.
type machine struct {
	CPU       string            `json:"cpu"`
	Cores     int               `json:"cores"`
	MemoryGiB float64           `json:"memory_gib"`
	System    string            `json:"system"`
	Go        string            `json:"go"`
	Load      string            `json:"load"` // the minute before the run
	Versions  map[string]string `json:"versions"`
}

// table is one comparison: the same content, the same store.
type table struct {
	Store string `json:"store"`
	Title string `json:"title"`
	Bytes int64  `json:"bytes"`
	Rows  []row  `json:"rows"`
}

type row struct {
	Name   string  `json:"name"`
	What   string  `json:"what"`
	Median usage   `json:"median"`
	Runs   []usage `json:"runs"`
}

func newReport(o options) *report {
	return &report{Machine: describe(), Date: time.Now().UTC().Format(time.DateOnly), Rounds: o.rounds}
}

func (r *report) add(t table) {
	r.Tables = append(r.Tables, t)
	fmt.Print(t.markdown())
}

func (r *report) write(dir string) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	raw, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "uploads.json"), append(raw, '\n'), 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "uploads.md"), []byte(r.markdown()), 0o600)
}

func (r *report) markdown() string {
	var b bytes.Buffer
	m := r.Machine
	fmt.Fprintf(&b, "Taken on %s: %d cores of %s, %.0f GiB of memory, %s, %s; load %s when the run began. ",
		r.Date, m.Cores, m.CPU, m.MemoryGiB, m.System, m.Go, m.Load)
	fmt.Fprintf(&b, "Medians of %d runs in turns, each a process of its own; plain HTTP over loopback; the file is in the page cache. ", r.Rounds)
	fmt.Fprintf(&b, "Ratios are to the first row. Transfer manager %s, rclone %s, versitygw %s.\n",
		m.Versions["transfermanager"], m.Versions["rclone"], m.Versions["versitygw"])
	legend := make(map[string]string)
	var names []string
	for _, t := range r.Tables {
		b.WriteString("\n" + t.markdown())
		for _, row := range t.Rows {
			key := row.Name
			if strings.HasSuffix(key, "best") {
				key += " (" + t.Store + ", " + t.Title + ")"
			}
			if _, ok := legend[key]; !ok {
				names = append(names, key)
			}
			legend[key] = row.What
		}
	}
	b.WriteString("\n")
	for _, n := range names {
		fmt.Fprintf(&b, "- %s: %s\n", n, legend[n])
	}
	return b.String()
}

func (t table) markdown() string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "**%s, %s**\n\n| | wall | | CPU | | peak memory | |\n|---|--:|--:|--:|--:|--:|--:|\n", t.Store, t.Title)
	base := t.Rows[0].Median
	for _, r := range t.Rows {
		m := r.Median
		fmt.Fprintf(&b, "| %s | %.2f s | %.2f | %.2f s | %.2f | %.0f MiB | %.2f |\n",
			r.Name, m.Wall, m.Wall/base.Wall, m.CPU, m.CPU/base.CPU, m.Peak, m.Peak/base.Peak)
	}
	if apply, cli := t.row(providerApply), t.row(cliAlone); apply != nil && cli != nil {
		fmt.Fprintf(&b, "\nLess the CLI's own time, the apply takes %.2f of %s.\n", (apply.Median.Wall-cli.Median.Wall)/base.Wall, t.Rows[0].Name)
	}
	return b.String()
}

func (t table) row(name string) *row {
	for i, r := range t.Rows {
		if r.Name == name {
			return &t.Rows[i]
		}
	}
	return nil
}

func describe() machine {
	m := machine{Cores: runtime.NumCPU(), Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH, Versions: make(map[string]string)}
	if b, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(b)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				m.CPU = strings.TrimSpace(value)
				break
			}
		}
	}
	if b, err := os.ReadFile("/proc/meminfo"); err == nil {
		if f := strings.Fields(string(b)); len(f) > 1 {
			kib, _ := strconv.ParseFloat(f[1], 64)
			m.MemoryGiB = kib / (1 << 20)
		}
	}
	if b, err := os.ReadFile("/proc/loadavg"); err == nil {
		m.Load, _, _ = strings.Cut(string(b), " ")
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			if strings.HasSuffix(d.Path, "/feature/s3/transfermanager") {
				m.Versions["transfermanager"] = d.Version
			}
		}
	}
	m.Versions["rclone"] = pinned("peers/rclone/go.mod", "github.com/rclone/rclone")
	m.Versions["versitygw"] = pinned("../versitygw/go.mod", "github.com/versity/versitygw")
	return m
}

// pinned is the version of a module in a go.mod.
func pinned(path, module string) string {
	b, _ := os.ReadFile(path)
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == module {
			return f[1]
		}
	}
	return "?"
}
