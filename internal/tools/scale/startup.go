package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// both is a figure of our provider and of the minimal one.
type both[T any] struct {
	Vodlive T `json:"vodlive"`
	Minimal T `json:"minimal"`
}

// startupFigures is what the JSON holds of part 3: medians.
type startupFigures struct {
	Size     both[int64]   `json:"binary_bytes"`
	Schema   both[started] `json:"schema"`
	Validate both[usage]   `json:"validate"`
	Wide     usage         `json:"validate_wide"` // the minimal provider's, of resources with as many attributes as a session
	Jobs     usage         `json:"validate_jobs"` // ours, of batch jobs, which have hardly more attributes than the minimal resource
}

const validated = 500

// startup is part 3: what the provider costs before it does anything, beside the minimal one.
func (b *bench) startup(s *section) error {
	var figures startupFigures
	for program, size := range map[string]*int64{b.cli.provider: &figures.Size.Vodlive, b.minimal: &figures.Size.Minimal} {
		info, err := os.Stat(program)
		if err != nil {
			return err
		}
		*size = info.Size()
	}
	var err error
	if figures.Schema, err = b.schemas(); err != nil {
		return err
	}
	if err := b.validations(&figures); err != nil {
		return err
	}
	*s = section{
		Part:  s.Part,
		Title: "Start-up",
		Text: []string{fmt.Sprintf("Beside `internal/tools/scale/minimal`, a provider that does nothing: one resource, data source, function, ephemeral resource and action, "+
			"on the same version of the framework, built the same way. The two run in turns; medians of %d runs. *to schema* is from exec to the answer of GetProviderSchema, "+
			"asked for as the CLIs do it (go-plugin, encrypted); *validate* is `validate` of a configuration of %d resources (of %d live sessions and of %[2]d of the minimal resource), the CLI included. "+
			"The minimal resource has 3 attributes, a live session 32; *wide* is the minimal provider with a resource of 32 and not one rule: what the framework takes for them. *jobs* is ours with 500 batch jobs, of 6 attributes.",
			b.starts, validated, validated)},
		Table: table{Head: []string{"", "vodlive", "minimal", "ratio", "wide", "ratio"}},
		Data:  figures,
	}
	row := func(name, target string, limit, ours, theirs, wide float64, unit func(float64) string) {
		cells := []any{name, unit(ours), unit(theirs), fmt.Sprintf("%.2f", ours/theirs), "", ""}
		if wide > 0 {
			cells[4], cells[5] = unit(wide), fmt.Sprintf("%.2f", ours/wide)
		}
		s.Table.add(cells...)
		if limit > 0 {
			defer s.measure(target, ours/theirs, limit)
		}
	}
	ms := func(v float64) string { return milliseconds(time.Duration(v)) }
	mib := func(v float64) string { return mebibytes(int64(v)) }
	sch, val, wide := figures.Schema, figures.Validate, figures.Wide
	row("binary", "binary: size, of the minimal provider's", 1.2, float64(figures.Size.Vodlive), float64(figures.Size.Minimal), 0, mib)
	row("to schema: time", "exec to schema: time, of the minimal provider's", 1.15, float64(sch.Vodlive.Wall), float64(sch.Minimal.Wall), 0, ms)
	row("to schema: CPU", "", 0, float64(sch.Vodlive.CPU), float64(sch.Minimal.CPU), 0, ms)
	row("to schema: memory", "exec to schema: memory, of the minimal provider's", 1.25, float64(sch.Vodlive.Memory), float64(sch.Minimal.Memory), 0, mib)
	row("size of the schema", "", 0, float64(sch.Vodlive.Schema), float64(sch.Minimal.Schema), 0, func(v float64) string { return fmt.Sprintf("%.1f KiB", v/1024) })
	row("validate: time", "validate of 500 live sessions: time, of the minimal provider's", 1.15, float64(val.Vodlive.Wall), float64(val.Minimal.Wall), float64(wide.Wall), ms)
	row("validate: CPU, CLI included", "", 0, float64(val.Vodlive.CPU), float64(val.Minimal.CPU), float64(wide.CPU), ms)
	row("validate: memory of the provider", "validate of 500 live sessions: memory, of the minimal provider's", 1.25, float64(val.Vodlive.Memory), float64(val.Minimal.Memory), float64(wide.Memory), mib)
	row("validate jobs: time", "validate of 500 batch jobs: time, of the minimal provider's", 1.15, float64(figures.Jobs.Wall), float64(val.Minimal.Wall), 0, ms)
	row("validate jobs: CPU, CLI included", "", 0, float64(figures.Jobs.CPU), float64(val.Minimal.CPU), 0, ms)
	row("validate jobs: memory of the provider", "", 0, float64(figures.Jobs.Memory), float64(val.Minimal.Memory), 0, mib)
	fmt.Printf("\n%s", s.Table.text())
	return nil
}

// schemas measures both providers from start to schema, in turns.
func (b *bench) schemas() (medians both[started], err error) {
	programs := []string{b.cli.provider, b.minimal}
	runs := make([][]started, len(programs))
	for i := range b.starts + 1 {
		for k, program := range programs {
			s, err := startPlugin(b.ctx, program)
			if err != nil {
				return medians, err
			}
			if i > 0 { // the first brings the file into memory
				runs[k] = append(runs[k], s)
			}
		}
	}
	return both[started]{medianStart(runs[0]), medianStart(runs[1])}, nil
}

func medianStart(runs []started) (m started) {
	var wall, cpu []time.Duration
	var memory []int64
	for _, r := range runs {
		wall, cpu, memory = append(wall, r.Wall), append(cpu, r.CPU), append(memory, r.Memory)
		m.Schema = r.Schema
	}
	m.Wall, m.CPU, m.Memory = median(wall), median(cpu), median(memory)
	return m
}

// validations measures `validate` of four configurations, in turns.
func (b *bench) validations(figures *startupFigures) error {
	var folders []*folder
	for _, c := range []struct{ name, provider, program, block string }{
		{"vodlive", "vodlive", b.cli.provider, sessionBlock},
		{"minimal", "minimal", b.minimal, thingBlock},
		{"wide", "minimal", b.minimal, wideBlock},
		{"jobs", "vodlive", b.cli.provider, jobBlock},
	} {
		f, err := b.cli.folder(filepath.Join(b.work, "validate-"+c.name), nil, "")
		if err != nil {
			return err
		}
		f.program = c.program
		if err := f.write("main.tf", configuration(c.provider, c.block, validated)); err != nil {
			return err
		}
		folders = append(folders, f)
	}
	runs := make([][]usage, len(folders))
	for i := range b.starts + 1 {
		for k, f := range folders {
			u, err := f.run(b.ctx, "validate")
			if err != nil {
				return err
			}
			if i > 0 {
				runs[k] = append(runs[k], u)
			}
		}
	}
	figures.Validate = both[usage]{medianUsage(runs[0]), medianUsage(runs[1])}
	figures.Wide, figures.Jobs = medianUsage(runs[2]), medianUsage(runs[3])
	return nil
}

func medianUsage(runs []usage) (m usage) {
	var wall, cpu, own []time.Duration
	var memory []int64
	for _, r := range runs {
		wall, cpu, own, memory = append(wall, r.Wall), append(cpu, r.CPU), append(own, r.ProviderCPU), append(memory, r.Memory)
	}
	return usage{Wall: median(wall), CPU: median(cpu), ProviderCPU: median(own), Memory: median(memory)}
}

// One resource block each; %[1]d is its number.
const (
	sessionBlock = `
resource "vodlive_live_session" "s%[1]d" {
  name         = "session-%[1]d"
` + sessionBody + `}
`
	jobBlock = `
resource "vodlive_batch_job" "j%[1]d" {
  paths         = ["vod/input/c/u/%[1]d.mp4"]
  service_modes = ["video_optimizer"]
}
`
	thingBlock = `
resource "minimal_thing" "t%[1]d" {
  label = "thing-%[1]d"
}
`
	wideBlock = `
resource "minimal_wide" "w%[1]d" {
  argument_0 = "session-%[1]d"
  argument_1 = "` + region + `"
  argument_2 = "RTMP_PUSH"
  argument_3 = "NORM"
  argument_4 = "RTMP_PULL"
  preset     = { resolution = "HD", bitrate = "MAX_10_MBPS" }
}
`
)

// configuration is n resource blocks of a provider.
func configuration(provider, block string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "terraform {\n  required_providers {\n    %s = { source = \"vodlive/%[1]s\" }\n  }\n}\n", provider)
	for i := range n {
		fmt.Fprintf(&b, block, i)
	}
	return b.String()
}
