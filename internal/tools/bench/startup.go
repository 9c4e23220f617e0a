package main

import (
	"context"
	"fmt"
	"os"
	"strings"
)

// startup measures what the provider takes before it calls anything, beside a provider that does
// nothing.
func (b *bench) startup(ctx context.Context) error {
	t := table{
		title: "Start-up",
		text: fmt.Sprintf("`validate`, the CLI included, medians of %d runs; memory is the provider's. *minimal* is a provider on the same framework that does nothing: "+
			"its resource has as many attributes as a live session, and no rule.", b.runs),
		head: []string{"resources", "vodlive", "minimal", "ratio", "CPU", "minimal", "ratio", "memory", "minimal", "ratio"},
	}
	for _, n := range []int{1, 500} {
		ours, err := b.validate(ctx, n, "resource \"vodlive_live_session\" \"s%d\" {"+fmt.Sprintf(session, `"session"`))
		if err != nil {
			return err
		}
		theirs, err := b.validate(ctx, n, "resource \"minimal_wide\" \"w%d\" {\n  argument_0 = \"session\"\n  preset = { resolution = \"HD\", bitrate = \"MAX_10_MBPS\" }\n}\n")
		if err != nil {
			return err
		}
		t.add(n, ours.wall, theirs.wall, ours.wall.Seconds()/theirs.wall.Seconds(), ours.cpu, theirs.cpu, ours.cpu.Seconds()/theirs.cpu.Seconds(),
			ours.memory, theirs.memory, float64(ours.memory)/float64(theirs.memory))
	}
	sizes := map[string]int64{}
	for _, program := range []string{b.tools.provider, b.tools.minimal} {
		info, err := os.Stat(program)
		if err != nil {
			return err
		}
		sizes[program] = info.Size()
	}
	t.text += fmt.Sprintf(" The binary has %.1f MiB, that of the minimal provider %.1f MiB.",
		float64(sizes[b.tools.provider])/(1<<20), float64(sizes[b.tools.minimal])/(1<<20))
	b.result.add(t)
	return nil
}

func (b *bench) validate(ctx context.Context, n int, block string) (usage, error) {
	var config strings.Builder
	for i := range n {
		fmt.Fprintf(&config, block, i)
	}
	f, err := b.workdir(nil, config.String())
	if err != nil {
		return usage{}, err
	}
	defer f.remove()
	return b.repeat(func() (usage, error) { return f.run(ctx, "validate") })
}
